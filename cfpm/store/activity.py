"""What the memory did for an agent: the recalls it answered and the commands its gate decided on. Append-only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.errors import UsageError
from cfpm.model.ids import digest
from cfpm.store.rows import encode_json, gate_event_from, moment_text
from cfpm.store.schema import GATE_COLUMNS, equal, insert_into, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from cfpm.store.connection import Connection

ADD_RECALL = insert_into("recall_events") + " ON CONFLICT DO NOTHING"
ADD_GATE = insert_into("gate_events") + " ON CONFLICT DO NOTHING"
_RECALLED = "SELECT fact_ids FROM recall_events WHERE namespace = ? AND block_hash = ? ORDER BY seq DESC LIMIT 1"
_TOLD = "SELECT query, fact_ids, at FROM recall_events WHERE namespace = ? AND session = ? ORDER BY seq DESC"

_GATE_TEXTS = ("session", "agent", "tool", "dialect", "action", "reason", "command", "rewritten")


@dataclass(frozen=True, slots=True)
class Activity:
    """Keeps recall and gate events."""

    db: Connection

    def add_recall_event(
        self,
        namespace: str,
        session: str,
        query: str,
        block_hash: str,
        told: Sequence[str],
        at: datetime | None,
    ) -> str:
        """Records a recall and returns its id. The same recall at the same moment is one event.

        `told` are the ids of the facts and messages that its block shows.
        """
        content = (namespace, session, query, block_hash, encode_json(list(told)), moment_text(at))
        ident = "rec_" + digest(*(part or "" for part in content))
        with self.db.atomic():
            self.db.run(ADD_RECALL, (ident, *content))
        return ident

    def told(self, namespace: str, session: str) -> tuple[frozenset[str], str]:
        """The ids of all facts and messages that a session was told since its newest brief, with that, and the time of
        that brief; of the whole session, and no time, where it had none. A brief is a recall without a question."""
        ids: set[str] = set()
        for query, told, at in self.db.rows(_TOLD, (namespace, session)):
            ids.update(map(str, json.loads(told)))
            if not query:
                return frozenset(ids), at or ""
        return frozenset(ids), ""

    def recalled_facts(self, namespace: str, block_hash: str) -> list[str]:
        """The ids of the facts in the block with this hash, as its newest recall noted them; empty for none."""
        row = self.db.row(_RECALLED, (namespace, block_hash))
        return list(map(str, json.loads(row[0]))) if row else []

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
        with self.db.atomic():
            self.db.run(ADD_GATE, (ident, *content))
        return ident

    def gate_events(
        self, namespace: str, *, session: str | None = None, limit: int | None = None
    ) -> list[dict[str, object]]:
        """The gate's decisions, newest first, as mappings with the keys of `add_gate_event`, `namespace` and `at`."""
        where, values = equal(namespace=namespace, session=session)
        sql = f"SELECT {listed(GATE_COLUMNS)} FROM gate_events WHERE {where} ORDER BY seq DESC LIMIT ?"
        found = self.db.rows(sql, (*values, -1 if limit is None else limit))
        return [gate_event_from(row) for row in found]
