"""All messages and facts of a namespace as arrays, kept and brought up to date at each call. Scores nothing.

What was written since, by this process or another, is added; nothing that is known is read again. A million messages
take three quarters of a gigabyte; the texts stay in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfpm.store.events import LAST_EVENT
from cfpm.store.namespace_arrays import FactArrays, TurnArrays

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.store.connection import Connection
    from cfpm.store.vectors import Vectors

KEPT = 16
"""Namespaces whose arrays are kept; those that were not asked for longest go first."""

AT_ONCE = 50_000
"""Rows that are read before they become arrays."""

# The `+` keeps the index of the namespace out: what is new is found by its number.
LAST_ERASURE = "SELECT max(seq) FROM erasures"
_TURNS = (
    "SELECT t.seq, t.session, t.turn, t.position, t.role, t.name, t.created_at, v.vector, v.pieces"
    " FROM memory_turns t LEFT JOIN turn_vectors v ON v.seq = t.seq AND v.space = ?"
    " WHERE +t.namespace = ? AND t.seq > ? ORDER BY t.seq"
)
_NAMES = "SELECT session, message_id, seq FROM memory_turns WHERE +namespace = ? AND seq > ?"
_FACT = (
    "SELECT f.seq, f.category, f.status, f.event_time, f.session, f.message_id, t.seq, v.vector"
    " FROM memory_facts f"
    " LEFT JOIN memory_turns t ON t.namespace = f.namespace AND t.session = f.session AND t.message_id = f.message_id"
    " LEFT JOIN fact_vectors v ON v.seq = f.seq AND v.space = ?"
)
_FACTS = f"{_FACT} WHERE +f.namespace = ? AND f.seq > ? ORDER BY f.seq"
_CHANGED = (
    f"{_FACT} WHERE f.id IN (SELECT fact_id FROM memory_events WHERE namespace = ? AND number > ?)"
    " AND f.namespace = ? AND f.seq <= ? ORDER BY f.seq"
)


@dataclass(slots=True)
class _Known:
    """What was read of a namespace so far, and by which embedder's vectors."""

    space: tuple[int | None, int, int]
    """Of the embedder, its revision, and how many erasures there were: rows may be gone since."""
    turns: TurnArrays
    facts: FactArrays
    events: int = 0


@dataclass(frozen=True, slots=True)
class NamespaceIndex:
    """Keeps arrays of what the store holds."""

    db: Connection
    vectors: Vectors
    known: dict[str, _Known] = field(default_factory=dict)

    def load(self, namespace: str) -> tuple[TurnArrays, FactArrays]:
        """The messages and facts as they are now; the next call may change these arrays."""
        # What a transaction sees may be rolled back, and its numbers given away again.
        passing = self.db.may_roll_back
        with self.db.reading():
            known = self.known.pop(namespace, None)
            space = (self.vectors.space(), self.vectors.revision(), self.db.number(LAST_ERASURE))
            if known is None or known.space != space:
                embedder = self.vectors.embedder
                width = embedder.dimensions if embedder else 1
                known = _Known(space, TurnArrays(width), FactArrays(width))
            self._refresh(namespace, known)
        if not passing:
            self.known[namespace] = known
            while len(self.known) > KEPT:
                del self.known[next(iter(self.known))]
        return known.turns, known.facts

    def _refresh(self, namespace: str, known: _Known) -> None:
        """Reads what was written since."""
        turns, facts, space = known.turns, known.facts, known.space[0]
        last = int(turns.seq[-1]) if len(turns) else -1
        for rows in self.db.parts(_TURNS, (space, namespace, last), AT_ONCE):
            turns.extend(rows)
        if facts.waits and len(turns) and turns.seq[-1] > last:
            facts.arrived(self._arrived(namespace, last), turns)
        newest = int(facts.seq[-1]) if len(facts) else -1
        events = self.db.number(LAST_EVENT, (namespace,))
        if events != known.events and len(facts):
            facts.put(self.db.rows(_CHANGED, (space, namespace, known.events, namespace, newest)), turns)
        for rows in self.db.parts(_FACTS, (space, namespace, newest), AT_ONCE):
            facts.put(rows, turns)
        known.events = events

    def _arrived(self, namespace: str, last: int) -> Iterator[tuple[str, str, int]]:
        yield from self.db.rows(_NAMES, (namespace, last))
