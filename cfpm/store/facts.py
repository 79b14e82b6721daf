"""What is believed: reading facts by id, key, topic, likeness and expiry. Every question a turn asks has an index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.model import Category, Fact, Status
from cfpm.model.ids import after_short, beginning
from cfpm.store.mending import member
from cfpm.store.rows import fact_from
from cfpm.store.schema import FACT_COLUMNS, listed, marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.store.connection import Connection, Row

_COLUMNS = listed(FACT_COLUMNS)
_F = listed(FACT_COLUMNS, "f")

# A `+` before a column keeps its index out: without statistics SQLite cannot see that the id alone finds the row.
# The literals let SQLite prove that the partial indices apply; bound values would not.
LEARNT = "status = 'active' AND pinned = 0 AND source IN ('cfpm_auto', 'model')"

_ONE = f"SELECT {_COLUMNS} FROM memory_facts WHERE id = ? AND +namespace = ?"
_BEGINNING = f"SELECT {_COLUMNS} FROM memory_facts WHERE id >= ? AND id < ? AND +namespace = ? LIMIT 2"
_IN_NAMESPACES = f"SELECT {_COLUMNS} FROM memory_facts WHERE +namespace IN ({{spaces}}) AND id IN ({{{{wanted}}}})"
_ARTIFACTS_AT = (
    f"SELECT {_COLUMNS} FROM memory_facts WHERE namespace = ? AND category = 'artifact' AND status = 'active'"
    ' AND ("key" = ? OR ("key" > ? AND "key" < ?)) ORDER BY seq'
)
BY_ID = f"SELECT seq, {_COLUMNS} FROM memory_facts WHERE id IN ({{wanted}})"
_MESSAGES_OF = (
    "SELECT f.id, t.seq FROM memory_facts f JOIN memory_turns t"
    " ON t.namespace = f.namespace AND t.session = f.session AND t.message_id = f.message_id WHERE f.id IN ({wanted})"
)
_BY_SEQ = f"SELECT seq, {_COLUMNS} FROM memory_facts WHERE seq IN ({{wanted}})"
_BY_KEY = (
    f"SELECT {_COLUMNS} FROM memory_facts"
    " WHERE namespace = ? AND category = ? AND key IN ({wanted}) ORDER BY seq DESC"
)
_IN_BLOCK = (
    "SELECT * FROM (SELECT fact FROM fact_blocks WHERE namespace = ? AND category = ? AND block = ?"
    " ORDER BY fact DESC LIMIT ?)"
)
_SIMILAR = f"""
WITH best AS (
  SELECT fact, count(*) AS shared FROM ({{blocks}}) GROUP BY fact ORDER BY shared DESC, fact DESC LIMIT ?
)
SELECT {_F} FROM best CROSS JOIN memory_facts f ON f.seq = best.fact ORDER BY best.shared DESC, f.seq DESC
"""
_ON_TOPIC = (
    f"SELECT {_COLUMNS} FROM memory_facts WHERE namespace = ? AND status = 'active' AND topic <> ''"
    " AND topic IN ({wanted}) ORDER BY seq DESC"
)
_LATEST_ON_TOPIC = _ON_TOPIC.format(wanted="?") + " LIMIT ?"
_EXPIRED = (
    f"SELECT {_COLUMNS} FROM memory_facts WHERE namespace = ? AND stale_at <= ?"
    " AND status = 'active' AND pinned = 0 AND stale_at IS NOT NULL ORDER BY stale_at, seq LIMIT ?"
)
_LEAST_USEFUL = (
    f"SELECT {_COLUMNS} FROM memory_facts WHERE namespace = ? AND category = ? AND {LEARNT}"
    " ORDER BY confidence, evidence_count, updated_at, seq LIMIT ?"
)
# A fork has what was learnt in the turns that it shares with its origin.
_OF_SESSION = f"""
WITH RECURSIVE line (session, before) AS (
  SELECT ?, {2**62} UNION SELECT s.parent, min(s.parent_turn, line.before)
  FROM line JOIN sessions s ON s.namespace = ? AND s.session = line.session WHERE s.parent <> ''
)
SELECT {_F} FROM memory_facts f WHERE f.status = 'active' AND f.id IN (
  SELECT c.fact_id FROM line JOIN memory_candidates c INDEXED BY candidate_session
    ON c.namespace = ? AND c.session = line.session AND c.turn < line.before WHERE c.decision <> 'rejected'
) AND f.namespace = ? ORDER BY f.pinned DESC, f.updated_at DESC, f.seq DESC LIMIT ?
"""
_COUNT = "SELECT learnt FROM fact_counts WHERE namespace = ? AND category = ?"
_ACTIVE = "SELECT sum(active) FROM fact_counts WHERE namespace = ?"
_ACTIVE_OF = "SELECT sum(active) FROM fact_counts WHERE namespace IN ({spaces}) AND category = ?"
_REPLACED = (
    f"SELECT {_COLUMNS} FROM memory_facts WHERE status = 'superseded' AND +namespace IN ({{spaces}})"
    " AND superseded_by IN ({{wanted}}) ORDER BY updated_at, seq"
)
_FORGOTTEN = "SELECT 1 FROM memory_facts WHERE namespace = ? AND status = 'forgotten' LIMIT 1"
_STATUSES = "SELECT status, count(*) FROM memory_facts WHERE namespace = ? GROUP BY status"


def _similar_to(keys: int) -> str:
    return _SIMILAR.format(blocks=" UNION ALL ".join([_IN_BLOCK] * keys))


def _that_fit(namespaces: int, *, category: bool, status: Status | None, pinned: bool) -> str:
    where = [f"namespace IN ({marks(namespaces)})"]
    if category:
        where.append("category = ?")
    if status is not None:
        # Were it bound, SQLite would prepare the statement anew for each value, because of the partial indices.
        where.append(f"status = '{status.value}'")
    if pinned:
        where.append("pinned = 1")
    fitting, order = f"memory_facts WHERE {' AND '.join(where)}", "ORDER BY pinned DESC, updated_at DESC, seq DESC"
    if category or pinned:
        return f"SELECT {_COLUMNS} FROM {fitting} {order} LIMIT ?"
    # Of all categories together no index has the order, so their entries are sorted in it, and not the rows.
    return f"SELECT {_COLUMNS} FROM memory_facts WHERE seq IN (SELECT seq FROM {fitting} {order} LIMIT ?) {order}"


@dataclass(frozen=True, slots=True)
class Facts:
    """Reads facts."""

    db: Connection

    def get(self, namespace: str, fact_id: str) -> Fact | None:
        """The fact with this id, or with an id of which this is the beginning or as a prompt cites it; None for none,
        and where several are cited alike."""
        row = self.db.row(_ONE, (fact_id, namespace))
        if row is None and (start := beginning(fact_id)):
            found = self.db.rows(_BEGINNING, (start, after_short(start), namespace))
            row = found[0] if len(found) == 1 else None
        return fact_from(row) if row else None

    def by_id(self, namespaces: str | Sequence[str], ids: Iterable[str]) -> dict[str, Fact]:
        """Those of these facts that the namespace, or one of the namespaces, has."""
        names = [namespaces] if isinstance(namespaces, str) else list(namespaces)
        found = self.db.among(_IN_NAMESPACES.format(spaces=marks(len(names))), names, ids)
        return {row[0]: fact_from(row) for row in found}

    def replaced(self, namespaces: Sequence[str], ids: Iterable[str]) -> dict[str, Fact]:
        """By the ids of facts, what each of them took the place of, the last of several."""
        rows = self.db.among(_REPLACED.format(spaces=marks(len(namespaces))), list(namespaces), ids)
        facts = map(fact_from, rows)
        return {fact.superseded_by: fact for fact in facts}

    def artifacts_at(self, namespace: str, path: str) -> list[Fact]:
        """The active artifacts of this canonical path and of what lies under it."""
        under = f"{path}\\" if "\\" in path else f"{path}/"
        return [fact_from(row) for row in self.db.rows(_ARTIFACTS_AT, (namespace, path, under, f"{under}\U0010ffff"))]

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Fact]:
        """The facts of these rows."""
        return {row[0]: fact_from(row[1:]) for row in self.db.among(_BY_SEQ, (), seqs)}

    def messages_of(self, idents: Iterable[str]) -> dict[str, int]:
        """By the ids of facts, the `seq` of the message that each was learnt from, where the log holds it."""
        return dict(self.db.among(_MESSAGES_OF, (), idents))

    def find(
        self,
        namespaces: str | Sequence[str],
        *,
        category: Category | None = None,
        status: Status | None = None,
        pinned: bool = False,
        limit: int | None = None,
    ) -> list[Fact]:
        """Those that fit (`pinned`: of the pinned ones): pinned first, then the newest change, then the last learnt."""
        names = [namespaces] if isinstance(namespaces, str) else list(namespaces)
        of = () if category is None else (category.value,)
        sql = _that_fit(len(names), category=category is not None, status=status, pinned=pinned)
        return _facts(self.db.rows(sql, (*names, *of, -1 if limit is None else limit)))

    def of_session(self, namespace: str, session: str, limit: int) -> list[Fact]:
        """Active facts that something said in this session, or in what it shares with its origin, made or confirmed:
        pinned first, then the newest change."""
        return _facts(self.db.rows(_OF_SESSION, (session, namespace, namespace, namespace, limit)))

    def similar(
        self, namespace: str, category: Category, keys: Iterable[str], limit_per_key: int = 32, limit: int = 8
    ) -> list[Fact]:
        """Facts, whatever their status, that share a block key: those that share most first, then the last learnt.

        Looks at the newest `limit_per_key` facts of each key and reads the best `limit` of them, so that a common key
        in a large store costs no more than in a small one. Facts that say the same share nearly all their keys.
        """
        values: list[object] = []
        for key in dict.fromkeys(keys):
            values += (namespace, category.value, key, limit_per_key)
        if not values:
            return []
        return _facts(self.db.rows(_similar_to(len(values) // 4), (*values, limit)))

    def on_topic(self, namespace: str, topics: Iterable[str]) -> list[Fact]:
        """Active facts with one of these topics, the last learnt first."""
        return _facts(self.db.among(_ON_TOPIC, (namespace,), topics))

    def latest_on_topic(self, namespace: str, topic: str, limit: int) -> list[Fact]:
        """At most `limit` active facts with this topic, the last learnt first."""
        return _facts(self.db.rows(_LATEST_ON_TOPIC, (namespace, topic, limit)))

    def has_forgotten(self, namespace: str) -> bool:
        """Whether the namespace has a tombstone at all."""
        return self.db.row(_FORGOTTEN, (namespace,)) is not None

    def by_keys(self, namespace: str, pairs: Iterable[tuple[Category, str]]) -> list[Fact]:
        """The facts with these categories and canonical keys, whatever their status; forgotten ones too."""
        keys: dict[Category, list[str]] = {}
        for category, key in pairs:
            keys.setdefault(category, []).append(key)
        return [
            fact_from(row)
            for category in sorted(keys)
            for row in self.db.among(_BY_KEY, (namespace, category.value), keys[category])
        ]

    def expired(self, namespace: str, now: str, limit: int) -> list[Fact]:
        """Active facts, not pinned, whose `stale_at` is not after `now`, the longest expired first."""
        return _facts(self.db.rows(_EXPIRED, (namespace, now, limit)))

    def active_learnt(self, namespace: str, category: Category) -> int:
        """How many active facts that nobody pinned or wrote the category has: what the capacity is compared with."""
        return self.db.number(_COUNT, (namespace, category.value))

    def least_useful(self, namespace: str, category: Category, n: int) -> list[Fact]:
        """The `n` facts of `active_learnt` with the least confidence, then evidence, then the oldest change."""
        return _facts(self.db.rows(_LEAST_USEFUL, (namespace, category.value, n)))

    def active(self, namespace: str) -> int:
        """How many facts are believed now."""
        return self.db.number(_ACTIVE, (namespace,))

    def active_of(self, namespaces: Sequence[str], category: Category) -> int:
        """How many facts of a kind are believed now."""
        return self.db.number(_ACTIVE_OF.format(spaces=marks(len(namespaces))), (*namespaces, category.value))

    def by_status(self, namespace: str) -> dict[Status, int]:
        """How many facts have each status."""
        found: Counter[Status] = Counter()
        for status, count in self.db.rows(_STATUSES, (namespace,)):
            found[Status(member("status", status))] += count
        return dict(found)

    def active_by_namespace(self) -> dict[str, int]:
        """How many facts are active in each namespace that has some."""
        sql = "SELECT namespace, COUNT(*) FROM memory_facts WHERE status = ? GROUP BY namespace ORDER BY namespace"
        return dict(self.db.rows(sql, (Status.ACTIVE.value,)))


def _facts(rows: Iterable[Row]) -> list[Fact]:
    return [fact_from(row) for row in rows]
