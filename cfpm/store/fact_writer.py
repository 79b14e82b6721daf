"""Writing facts: the row, its event, its count, its blocks and its full text together, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Any

from cfpm.model import Category, Fact, FactChange, Source, Status
from cfpm.store.events import LAST_EVENT
from cfpm.store.facts import BY_ID
from cfpm.store.rows import encode_json, fact_from, fact_row, moment_text
from cfpm.store.schema import FACT_COLUMNS, insert_into
from cfpm.store.search import index_text

if TYPE_CHECKING:
    from cfpm.store.connection import Connection
    from cfpm.store.tombstones import Tombstones
    from cfpm.store.trail import Trail
    from cfpm.store.vectors import Vectors

BlockKeys = Callable[[Fact], Sequence[str]]
"""The keys under which a fact is found when something like it is drafted. The same fact of the same status always has
the same keys."""

LEARNT_SOURCES = frozenset({Source.AUTO, Source.MODEL})

ADD_FACT = insert_into("memory_facts")
ADD_EVENT = insert_into("memory_events")
_COUNT = (
    "INSERT INTO fact_counts (namespace, category, active, learnt) VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET active = active + excluded.active, learnt = learnt + excluded.learnt"
)
_BLOCK = "INSERT INTO fact_blocks (namespace, category, block, fact) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_UNBLOCK = "DELETE FROM fact_blocks WHERE namespace = ? AND category = ? AND block = ? AND fact = ?"
_INDEX = "INSERT INTO facts_text (rowid, text) VALUES (?, ?)"
_UNINDEX = "INSERT INTO facts_text (facts_text, rowid, text) VALUES ('delete', ?, ?)"

IDENTITY = frozenset({"id", "namespace", "key"})
"""Fields that no change alters; the event names the fact, so it does not repeat them."""

_DEFAULTS = fact_row(Fact("", "", Category.NOTE, "", ""))
_STATUS, _FORGOTTEN = FACT_COLUMNS.index("status"), Status.FORGOTTEN.value


@dataclass(slots=True)
class _Stored:
    """A fact's row as the transaction sees it now."""

    seq: int
    fact: Fact


@dataclass(slots=True)
class _Gathered:
    """What is written once for all changes of a call."""

    number: int
    worded: dict[int, str] = field(default_factory=dict)
    """What the facts say that are new or say something else now, by `seq`."""
    events: list[tuple[object, ...]] = field(default_factory=list)
    counts: list[tuple[str, str, int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FactWriter:
    """Writes facts."""

    db: Connection
    vectors: Vectors
    tombstones: Tombstones
    trail: Trail

    def apply(self, namespace: str, changes: Sequence[FactChange], *, block_keys: BlockKeys) -> None:
        """Applies the changes in order and appends an event for each. Nothing is removed.

        A fact that is created although it exists is updated; its event then tells what it was before. Raises ValueError
        for a fact of another namespace.
        """
        if not changes:
            return
        if any(change.after.namespace != namespace for change in changes):
            raise ValueError(f"a fact of another namespace among the changes of {namespace}")
        with self.db.atomic():
            found = self.db.among(BY_ID, (), (change.after.id for change in changes))
            stored = {row[1]: _Stored(row[0], fact_from(row[1:])) for row in found}
            gathered = _Gathered(self.db.number(LAST_EVENT, (namespace,)))
            for change in changes:
                self._apply_one(stored, gathered, change, block_keys)
            self.trail.changed("memory_facts", (row.seq for row in stored.values()))
            self.vectors.add("fact", list(gathered.worded.items()))
            self.db.many(ADD_EVENT, gathered.events)
            self.add_counts(gathered.counts)

    def _apply_one(
        self, stored: dict[str, _Stored], gathered: _Gathered, change: FactChange, block_keys: BlockKeys
    ) -> None:
        after, row = change.after, fact_row(change.after)
        known = stored.get(after.id)
        earlier = fact_row(known.fact) if known else _DEFAULTS
        columns = list(compress(range(len(row)), map(ne, earlier, row)))
        if known is None:
            stored[after.id] = _Stored(self.create(after, row, block_keys), after)
            gathered.worded[stored[after.id].seq] = after.content
            before: dict[str, object] = {}
        else:
            if self._update(known, after, row, columns, block_keys):
                gathered.worded[known.seq] = after.content
            stored[after.id] = _Stored(known.seq, after)
            before = {FACT_COLUMNS[n]: earlier[n] for n in columns}
        if known and earlier[_STATUS] != row[_STATUS] and _FORGOTTEN in (earlier[_STATUS], row[_STATUS]):
            self._bury(after)
        gathered.counts.append(count_change(known.fact if known else None, after))
        gathered.number += 1
        gathered.events.append(
            (
                after.namespace,
                gathered.number,
                after.id,
                change.action.value,
                change.cause,
                moment_text(change.at),
                encode_json(before) if before else "{}",
                encode_json({FACT_COLUMNS[n]: row[n] for n in columns if FACT_COLUMNS[n] not in IDENTITY}),
            )
        )

    def create(self, fact: Fact, row: tuple[Any, ...], block_keys: BlockKeys) -> int:
        """Writes a new fact with its blocks and full text, without vector, event and count, and returns its `seq`."""
        seq = self.db.insert(ADD_FACT, row)
        assert seq is not None, "a plain INSERT either adds a row or raises"
        self.db.run(_INDEX, (seq, index_text(fact.attributed)))
        self.db.many(_BLOCK, _block_rows(fact, seq, block_keys(fact)))
        if fact.status is Status.FORGOTTEN:
            self._bury(fact)
        return seq

    def rewrite(self, seq: int, fact: Fact, block_keys: BlockKeys) -> None:
        """Writes another fact over a row whose full text and blocks are gone already; no event, no count."""
        assignments = ", ".join(f'"{name}" = ?' for name in FACT_COLUMNS)
        self.db.run(f"UPDATE memory_facts SET {assignments} WHERE seq = ?", (*fact_row(fact), seq))
        self.db.run(_INDEX, (seq, index_text(fact.attributed)))
        self.db.many(_BLOCK, _block_rows(fact, seq, block_keys(fact)))
        self.vectors.add("fact", [(seq, fact.content)])

    def _bury(self, fact: Fact) -> None:
        """What was forgotten gets a tombstone; what is believed again, or is to be gone back to, loses it."""
        self.tombstones.lift(fact.id)
        if fact.status is Status.FORGOTTEN:
            self.tombstones.add(fact.namespace, fact.category, fact.content, speaker=fact.speaker, fact_id=fact.id)

    def add_counts(self, counts: Iterable[tuple[str, str, int, int]]) -> None:
        """Adds what `count_change` gave to the numbers of active and learnt facts."""
        self.db.many(_COUNT, (row for row in counts if row[2] or row[3]))

    def _update(
        self, known: _Stored, after: Fact, row: tuple[Any, ...], columns: list[int], block_keys: BlockKeys
    ) -> bool:
        """Writes what changed; true when the fact says something else now."""
        if not columns:
            return False
        # Only what changed, so that SQLite leaves the indices of the other columns alone.
        assignments = ", ".join(f'"{FACT_COLUMNS[n]}" = ?' for n in columns)
        self.db.run(f"UPDATE memory_facts SET {assignments} WHERE seq = ?", (*(row[n] for n in columns), known.seq))
        before = known.fact
        reworded = (before.attributed, before.key) != (after.attributed, after.key)
        if reworded:
            self.db.run(_UNINDEX, (known.seq, index_text(before.attributed)))
            self.db.run(_INDEX, (known.seq, index_text(after.attributed)))
        if reworded or before.status is not after.status:
            was, now = block_keys(before), block_keys(after)
            self.db.many(_UNBLOCK, _block_rows(before, known.seq, (key for key in was if key not in now)))
            if not set(now) <= set(was):
                self.db.many(_BLOCK, _block_rows(after, known.seq, now))
        return reworded


def count_change(before: Fact | None, after: Fact) -> tuple[str, str, int, int]:
    """Namespace, category, and how many more active facts, and more that count towards the capacity, there are now."""
    was = _counted(before) if before else (0, 0)
    now = _counted(after)
    return after.namespace, after.category.value, now[0] - was[0], now[1] - was[1]


def _counted(fact: Fact) -> tuple[int, int]:
    """As `LEARNT` of facts.py says it in SQL."""
    active = fact.status is Status.ACTIVE
    return int(active), int(active and not fact.pinned and fact.source in LEARNT_SOURCES)


def _block_rows(fact: Fact, seq: int, keys: Iterable[str]) -> list[tuple[str, str, str, int]]:
    return [(fact.namespace, fact.category.value, block, seq) for block in keys]
