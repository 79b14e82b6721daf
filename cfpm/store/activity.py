"""What the memory did for an agent: the recalls it answered and the commands its gate decided on. Append-only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.errors import UsageError
from cfpm.model.ids import digest
from cfpm.store.base import Part
from cfpm.store.columns import insert_into, listed
from cfpm.store.values import encode_json, moment, moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

RECALL_COLUMNS = ("id", "namespace", "session", "query", "block_hash", "fact_ids", "at")
GATE_COLUMNS = (
    "id", "namespace", "session", "agent", "tool", "dialect", "action", "reason", "command", "rewritten", "changes",
    "at",
)  # fmt: skip
ADD_RECALL = insert_into("recall_events", RECALL_COLUMNS) + " ON CONFLICT DO NOTHING"
ADD_GATE = insert_into("gate_events", GATE_COLUMNS) + " ON CONFLICT DO NOTHING"

_GATE_TEXTS = ("session", "agent", "tool", "dialect", "action", "reason", "command", "rewritten")


@dataclass(frozen=True, slots=True)
class RecallEvent:
    """One recall: the question, the hash of the block that was injected, and the facts in it, in order."""

    id: str
    namespace: str
    session: str
    query: str
    block_hash: str
    fact_ids: tuple[str, ...]
    at: datetime | None


class Activity(Part):
    """The part of the store that keeps recall and gate events."""

    def add_recall_event(
        self,
        namespace: str,
        session: str,
        query: str,
        block_hash: str,
        fact_ids: Sequence[str],
        at: datetime | None,
    ) -> str:
        """Records a recall and returns its id. The same recall at the same moment is one event."""
        content = (namespace, session, query, block_hash, encode_json(list(fact_ids)), moment_text(at))
        ident = "rec_" + digest(*(part or "" for part in content))
        with self._atomic():
            self._db.run(ADD_RECALL, (ident, *content))
        return ident

    def recall_events(
        self, namespace: str, *, session: str | None = None, block_hash: str | None = None, limit: int | None = None
    ) -> list[RecallEvent]:
        """The recalls that fit, newest first."""
        where, values = _where(namespace, session=session, block_hash=block_hash)
        sql = f"SELECT {listed(RECALL_COLUMNS)} FROM recall_events WHERE {where} ORDER BY seq DESC LIMIT ?"
        found = self._db.rows(sql, (*values, -1 if limit is None else limit))
        return [
            RecallEvent(ident, space, name, query, block, tuple(json.loads(fact_ids)), moment(at))
            for ident, space, name, query, block, fact_ids, at in found
        ]

    def add_gate_event(self, namespace: str, event: Mapping[str, object], at: datetime | None) -> str:
        """Records a decision of the gate and returns its id. The same decision at the same moment is one event.

        Keys: id (the host's, if it has one), session, agent, tool, dialect, action, reason, command, rewritten (texts),
        changes (a list).
        Raises UsageError for a key that is none of these.
        """
        if unknown := set(event) - {*_GATE_TEXTS, "id", "changes"}:
            raise UsageError(
                "gate event", f"unknown keys {sorted(unknown)}", f"Known are {['id', *_GATE_TEXTS, 'changes']}"
            )
        texts = tuple(str(event.get(name, "")) for name in _GATE_TEXTS)
        content = (namespace, *texts, encode_json(event.get("changes") or []), moment_text(at))
        # Hosts number their calls from 1 in every run, so their id alone would not tell two events apart.
        ident = "gate_" + digest(str(event.get("id", "")), *(part or "" for part in content))
        with self._atomic():
            self._db.run(ADD_GATE, (ident, *content))
        return ident

    def gate_events(
        self, namespace: str, *, session: str | None = None, limit: int | None = None
    ) -> list[dict[str, object]]:
        """The gate's decisions, newest first, as mappings with the keys of `add_gate_event`, `namespace` and `at`."""
        where, values = _where(namespace, session=session)
        sql = f"SELECT {listed(GATE_COLUMNS)} FROM gate_events WHERE {where} ORDER BY seq DESC LIMIT ?"
        found = self._db.rows(sql, (*values, -1 if limit is None else limit))
        return [
            {**dict(zip(GATE_COLUMNS, row, strict=True)), "changes": json.loads(row[10]), "at": moment(row[11])}
            for row in found
        ]


def _where(namespace: str, **wanted: str | None) -> tuple[str, list[object]]:
    given = {column: value for column, value in wanted.items() if value is not None}
    return " AND ".join(f"{column} = ?" for column in ("namespace", *given)), [namespace, *given.values()]
