"""All messages and facts of a namespace as arrays, kept and brought up to date at each call. Scores nothing.

What was written since, by this process or another, is added; nothing that is known is read again. A million messages
take three quarters of a gigabyte; the texts stay in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.store.fact_arrays import CATEGORIES, Facts
from cfpm.store.turn_arrays import ROLES, Turns
from cfpm.store.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CATEGORIES", "ROLES", "Facts", "Landscapes", "Turns"]

KEPT = 16
"""Namespaces whose arrays are kept; those that were not asked for longest go first."""

AT_ONCE = 50_000
"""Rows that are read before they become arrays."""

# The `+` keeps the index of the namespace out: what is new is found by its number.
_TURNS = (
    "SELECT t.seq, t.session, t.turn, t.position, t.role, t.name, t.created_at, d.sz, v.vector, v.pieces"
    " FROM memory_turns t LEFT JOIN turn_vectors v ON v.seq = t.seq AND v.space = ?"
    " LEFT JOIN turns_text_docsize d ON d.id = t.seq"
    " WHERE +t.namespace = ? AND t.seq > ? ORDER BY t.seq"
)
_NAMES = "SELECT session, message_id, seq FROM memory_turns WHERE +namespace = ? AND seq > ?"
_FACT = (
    "SELECT f.seq, f.category, f.status, f.event_time, f.session, f.message_id, t.seq, d.sz, v.vector"
    " FROM memory_facts f"
    " LEFT JOIN memory_turns t ON t.namespace = f.namespace AND t.session = f.session AND t.message_id = f.message_id"
    " LEFT JOIN fact_vectors v ON v.seq = f.seq AND v.space = ?"
    " LEFT JOIN facts_text_docsize d ON d.id = f.seq"
)
_FACTS = f"{_FACT} WHERE +f.namespace = ? AND f.seq > ? ORDER BY f.seq"
_CHANGED = (
    f"{_FACT} WHERE f.id IN (SELECT fact_id FROM memory_events WHERE namespace = ? AND number > ?)"
    " AND f.namespace = ? AND f.seq <= ? ORDER BY f.seq"
)
_LAST_EVENT = "SELECT max(number) FROM memory_events WHERE namespace = ?"


@dataclass(slots=True)
class _Known:
    """What was read of a namespace so far, and by which embedder's vectors."""

    space: tuple[int | None, int]
    turns: Turns
    facts: Facts
    events: int = 0


class Landscapes(Vectors):
    """The part of the store that keeps arrays of what it holds."""

    _landscapes: dict[str, _Known]

    def landscape(self, namespace: str) -> tuple[Turns, Facts]:
        """The messages and facts as they are now; the next call may change these arrays."""
        # What a transaction sees may be rolled back, and its numbers given away again.
        passing = self._db.may_roll_back
        with self._db.reading():
            known = self._landscapes.pop(namespace, None)
            space = (self.space(), self.revision())
            if known is None or known.space != space:
                width = self.embedder.dimensions if self.embedder else 1
                known = _Known(space, Turns(width), Facts(width))
            self._refresh(namespace, known)
        if not passing:
            self._landscapes[namespace] = known
            while len(self._landscapes) > KEPT:
                del self._landscapes[next(iter(self._landscapes))]
        return known.turns, known.facts

    def _refresh(self, namespace: str, known: _Known) -> None:
        """Reads what was written since."""
        turns, facts, space = known.turns, known.facts, known.space[0]
        last = int(turns.seq[-1]) if len(turns) else -1
        for rows in self._db.parts(_TURNS, (space, namespace, last), AT_ONCE):
            turns.extend(rows)
        if facts.waits and len(turns) and turns.seq[-1] > last:
            facts.arrived(self._arrived(namespace, last), turns)
        newest = int(facts.seq[-1]) if len(facts) else -1
        events = self._db.number(_LAST_EVENT, (namespace,))
        if events != known.events and len(facts):
            facts.put(self._db.rows(_CHANGED, (space, namespace, known.events, namespace, newest)), turns)
        for rows in self._db.parts(_FACTS, (space, namespace, newest), AT_ONCE):
            facts.put(rows, turns)
        known.events = events

    def _arrived(self, namespace: str, last: int) -> Iterator[tuple[str, str, int]]:
        yield from self._db.rows(_NAMES, (namespace, last))
