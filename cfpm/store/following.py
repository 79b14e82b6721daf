"""What an index outside of the file asks, to follow what the file holds: what came since, and whether it is still us.

Holds no vectors, and knows no such index.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from cfpm.model import Fact, Status
from cfpm.store.base import Part
from cfpm.store.columns import FACT_COLUMNS, listed
from cfpm.store.rows import fact_from
from cfpm.store.search import NOT_SEARCHED

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEPT_OUT = ", ".join(f"'{origin.value}'" for origin in sorted(NOT_SEARCHED))
_LAST_TURN = "SELECT max(seq) FROM memory_turns"
_LAST_EVENT = "SELECT max(number) FROM memory_events WHERE namespace = ?"
_TURNS = (
    "SELECT seq, text FROM memory_turns"
    f" WHERE +namespace = ? AND seq > ? AND origin NOT IN ({_KEPT_OUT}) ORDER BY seq LIMIT ?"
)
_EVENTS = "SELECT number, fact_id FROM memory_events WHERE namespace = ? AND number > ? ORDER BY number LIMIT ?"
_FACTS = f"SELECT seq, {listed(FACT_COLUMNS)} FROM memory_facts WHERE id IN ({{wanted}})"
_SHOWN_TURNS = f"SELECT count(*) FROM memory_turns WHERE namespace = ? AND seq <= ? AND origin NOT IN ({_KEPT_OUT})"
_SHOWN_FACTS = f"SELECT count(*) FROM memory_facts WHERE namespace = ? AND status = '{Status.ACTIVE}'"
_TURN_TIP = "SELECT namespace, session, message_id FROM memory_turns WHERE seq = ?"
_EVENT_TIP = "SELECT fact_id, action FROM memory_events WHERE namespace = ? AND number = ?"


@dataclass(frozen=True, slots=True)
class Mark:
    """How far an index has come; 0 for nothing.

    The `seq` of the last message it has seen, of whatever namespace, and the number of the last event of its own.
    """

    turns: int = 0
    events: int = 0


class Following(Part):
    """The part of the store that tells an index what is new."""

    def mark(self, namespace: str) -> Mark:
        """Where the namespace stands."""
        return Mark(self._db.number(_LAST_TURN), self._db.number(_LAST_EVENT, (namespace,)))

    def tip(self, namespace: str, mark: Mark) -> str:
        """What stands at a mark, as a short hash: another file, or one that was restored, has something else there."""
        turn = self._db.row(_TURN_TIP, (mark.turns,))
        event = self._db.row(_EVENT_TIP, (namespace, mark.events))
        return sha256(repr((turn, event)).encode("utf-8", "replace")).hexdigest()[:16]

    def turns_after(self, namespace: str, seq: int, limit: int) -> list[tuple[int, str]]:
        """The next searched messages as `seq` and text."""
        return self._db.rows(_TURNS, (namespace, seq, limit))

    def facts_after(self, namespace: str, number: int, limit: int) -> tuple[Mapping[int, Fact], int]:
        """The facts that the next `limit` events changed, by `seq`, as they are now; and the number of the last."""
        events = self._db.rows(_EVENTS, (namespace, number, limit))
        found = self._db.among(_FACTS, (), (fact_id for _, fact_id in events))
        return {row[0]: fact_from(row[1:]) for row in found}, events[-1][0] if events else number

    def searched(self, namespace: str, mark: Mark) -> int:
        """How many messages up to the mark are searched, and facts believed now. Counts them, so not for each turn."""
        return self._db.number(_SHOWN_TURNS, (namespace, mark.turns)) + self._db.number(_SHOWN_FACTS, (namespace,))
