"""The audit trail: every draft with its verdict. Rows are added once; only a user's reversal changes one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.errors import NotFoundError
from cfpm.model import Candidate, Category, Decision
from cfpm.store.mending import member
from cfpm.store.rows import candidate_from, candidate_row, moment_if_sound
from cfpm.store.schema import CANDIDATE_COLUMNS, equal, insert_into, listed, marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from cfpm.model import LoggedMessage
    from cfpm.store.connection import Connection
    from cfpm.store.trail import Trail

_COLUMNS = listed(CANDIDATE_COLUMNS)
ADD_CANDIDATE = insert_into("memory_candidates") + " ON CONFLICT DO NOTHING"
# Nobody keeps an index in the order of ids, because every turn would write all over it; a session's own one holds them.
# Measured: 0.2 s among a million candidates.
_OF_ID = "memory_candidates INDEXED BY candidate_session WHERE namespace = ? AND id = ?"
_ONE = f"SELECT {_COLUMNS} FROM {_OF_ID}"
_DECIDE = (
    "UPDATE memory_candidates SET decision = ?, reason = ?, rule = ?, detail = ?, fact_id = ?, reviewed = 1"
    " WHERE seq = ?"
)
# Not triggers: each would take half as long again as the row itself.
_COUNT = (
    "INSERT INTO candidate_counts (namespace, decision, reason, category, candidates) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET candidates = candidates + excluded.candidates"
)
# Those of a turn that is heard a second time are known already.
_NEWEST = "SELECT namespace, decision, reason, category FROM memory_candidates ORDER BY seq DESC LIMIT ?"
_RECOUNT = (
    "INSERT INTO candidate_counts (namespace, decision, reason, category, candidates)"
    " SELECT namespace, decision, reason, category, count(*) FROM memory_candidates GROUP BY 1, 2, 3, 4"
)
_STATS = (
    "SELECT decision, reason, category, candidates FROM candidate_counts WHERE namespace = ? AND candidates > 0"
    " ORDER BY decision, reason, category"
)
_OLDEST = (
    "SELECT seq FROM memory_candidates"
    " WHERE namespace = ? AND decision = 'rejected' AND reviewed = 0 ORDER BY seq DESC LIMIT -1 OFFSET ?"
)
_LAST_SAID = (
    "SELECT fact_id, max(created_at) FROM memory_candidates"
    " WHERE namespace = ? AND decision <> 'rejected' AND created_at IS NOT NULL GROUP BY fact_id"
)
_DOUBTED = (
    "WITH wanted (place, namespace, session, turn, message_id) AS (VALUES {places})"
    " SELECT w.place, c.span_start, c.span_end, c.reason, c.rule, f.id"
    " FROM wanted w CROSS JOIN memory_candidates c INDEXED BY candidate_session"
    " ON c.namespace = w.namespace AND c.session = w.session AND c.turn = w.turn AND c.message_id = w.message_id"
    " LEFT JOIN memory_facts f ON f.id = c.fact_id AND f.status = 'superseded' AND c.decision <> 'rejected'"
    " WHERE f.id IS NOT NULL OR (c.decision = 'rejected' AND c.reason IN ({reasons}))"
)
_ANSWERED = (
    "WITH wanted (place, namespace, session, turn, message_id) AS (VALUES {places})"
    " SELECT w.place, f.id, f.content"
    " FROM wanted w CROSS JOIN memory_candidates c INDEXED BY candidate_session"
    " ON c.namespace = w.namespace AND c.session = w.session AND c.turn = w.turn AND c.message_id <> w.message_id"
    " JOIN memory_facts f ON f.id = c.fact_id AND f.status = 'superseded' AND c.decision <> 'rejected'"
)
_PLACE = "(?, ?, ?, ?, ?)"
_SEQ = f"SELECT seq FROM {_OF_ID}"


class Doubt(NamedTuple):
    """Words of a message that are not believed: `place` of the message in what was asked for, and offsets in its text.

    `superseded` is the id of the fact that they were learnt as and that something took the place of; None for refused
    words.
    """

    place: int
    start: int
    end: int
    reason: str
    rule: str
    superseded: str | None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Keeps candidates."""

    db: Connection
    trail: Trail

    def add(self, rows: Sequence[Candidate]) -> int:
        """Adds the candidates that are not yet there, and returns how many those were."""
        if not rows:
            return 0
        with self.db.atomic():
            added = self.db.many(ADD_CANDIDATE, map(candidate_row, rows))
            verdicts = map(_verdict, rows) if added == len(rows) else self.db.rows(_NEWEST, (added,))
            self.db.many(_COUNT, ((*verdict, n) for verdict, n in Counter(verdicts).items()))
            return added

    def get(self, namespace: str, candidate_id: str) -> Candidate | None:
        """The candidate with this id, or None."""
        row = self.db.row(_ONE, (namespace, candidate_id))
        return candidate_from(row) if row else None

    def find(
        self,
        namespace: str,
        *,
        decision: Decision | None = None,
        reason: str | None = None,
        session: str | None = None,
        message_id: str | None = None,
        limit: int | None = None,
    ) -> list[Candidate]:
        """The candidates that fit all that is asked for, newest first. Ask for a message together with its session."""
        where, values = equal(
            namespace=namespace,
            session=session,
            message_id=message_id,
            decision=decision and decision.value,
            reason=reason,
        )
        # SQLite would rather sort nothing than read only the candidates of a session.
        index = "candidate_trail" if session is None else "candidate_session"
        # Only the ids are sorted, not the rows.
        found = f"memory_candidates INDEXED BY {index} WHERE {where}"
        inner = f"SELECT seq FROM {found} ORDER BY seq DESC LIMIT ?"
        sql = f"SELECT {_COLUMNS} FROM memory_candidates WHERE seq IN ({inner}) ORDER BY seq DESC"
        return [candidate_from(row) for row in self.db.rows(sql, (*values, -1 if limit is None else limit))]

    def doubted(self, turns: Sequence[LoggedMessage], reasons: Sequence[str]) -> list[Doubt]:
        """Which words of these messages were refused for one of these reasons, or learnt and superseded since."""
        if not turns:
            return []
        sql = _DOUBTED.format(places=", ".join([_PLACE] * len(turns)), reasons=marks(len(reasons)))
        return [Doubt(*row) for row in self.db.rows(sql, (*_places(turns), *reasons))]

    def superseded_beside(self, turns: Sequence[LoggedMessage]) -> list[tuple[int, str, str]]:
        """What was learnt in the turns of these messages from others and superseded since: for each such fact the place
        of the message in `turns`, its id and its words."""
        if not turns:
            return []
        sql = _ANSWERED.format(places=", ".join([_PLACE] * len(turns)))
        return list(self.db.rows(sql, tuple(_places(turns))))

    def set_decision(
        self,
        namespace: str,
        candidate_id: str,
        decision: Decision,
        *,
        reason: str,
        rule: str,
        fact_id: str,
        detail: str = "",
    ) -> Candidate:
        """Records that a user reversed the verdict; the row is `reviewed` from now on. Raises NotFoundError."""
        with self.db.atomic():
            before = self.get(namespace, candidate_id)
            if before is None:
                raise NotFoundError(f"No candidate {candidate_id} in namespace {namespace}")
            after = replace(
                before, decision=decision, reason=reason, rule=rule, detail=detail, fact_id=fact_id, reviewed=True
            )
            seq = self.db.number(_SEQ, (namespace, candidate_id))
            self.db.run(_DECIDE, (decision.value, reason, rule, detail, fact_id, seq))
            self.trail.changed("memory_candidates", [seq])
            self.db.many(_COUNT, ((*_verdict(before), -1), (*_verdict(after), 1)))
        return after

    def stats(self, namespace: str) -> dict[tuple[Decision, str, Category], int]:
        """How many candidates have each decision, reason and category."""
        found = self.db.rows(_STATS, (namespace,))
        counts: Counter[tuple[Decision, str, Category]] = Counter()
        for decision, reason, category, count in found:
            key = Decision(member("decision", decision)), reason, Category(member("category", category))
            counts[key] += count
        return dict(counts)

    def last_said(self, namespace: str) -> dict[str, datetime]:
        """When each fact was last said, of those that anything dated said. Reads all candidates of the namespace."""
        found = self.db.rows(_LAST_SAID, (namespace,))
        return {fact_id: at for fact_id, text in found if (at := moment_if_sound(text)) is not None}

    def trim_rejected(self, namespace: str, keep: int) -> int:
        """Removes the oldest rejected candidates above `keep`, never one that a user reviewed; returns how many."""
        with self.db.atomic():
            oldest = [seq for (seq,) in self.db.rows(_OLDEST, (namespace, keep))]
            removed = self.trail.remove("memory_candidates", oldest)
            if removed:
                recount(self.db)
            return removed


def _places(turns: Sequence[LoggedMessage]) -> Iterator[Any]:
    """The values of a `_PLACE` for each message."""
    for place, turn in enumerate(turns):
        yield from (place, turn.namespace, turn.session, turn.turn, turn.message.id)


def recount(database: Connection) -> None:
    """Counts all verdicts anew, where it is not known which rows came or went."""
    database.run("DELETE FROM candidate_counts")
    database.run(_RECOUNT)


def _verdict(row: Candidate) -> tuple[str, str, str, str]:
    return row.namespace, row.decision.value, row.reason, row.category.value
