"""The sentences of a namespace as vectors in one array, to tell which messages have one that is near to a query.

A message is ranked by one vector of all its words, which says little of the one sentence that answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from cfpm.embedding.products import products
from cfpm.store.arrays import GrowingArray, numbers
from cfpm.store.namespace_arrays import ROLES
from cfpm.store.sentence_vectors import SPOKEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.store.arrays import Floats
    from cfpm.store.connection import Connection, Row
    from cfpm.store.namespace_arrays import TurnArrays
    from cfpm.store.sentence_vectors import SentenceVectors

MOST = 20_000
"""Messages of a namespace, the newest, whose sentences are held: some 10 MB, read in a twentieth of a second."""

LOOKED_FOR = 64
"""Messages without vectors, the newest, that are looked for at each call: they are read right behind their turn."""

OF_MANY = 0.06
"""By how much the nearest of e times as many sentences is nearer by chance. In BEAM 500K, whose assistant writes pages,
the ten best messages hold 58.8 of 100 pieces of evidence with it, 57.8 without."""

_AT_ONCE = 8_192
"""Sentences of a product."""

_STEPS = 127
"""Whole numbers that a number of a query from 0 to 1 becomes, so that sums are exact on every processor."""

_USER, _ASSISTANT = (ROLES.index(role) for role in SPOKEN)

_NEW = (
    "SELECT v.seq, v.vectors FROM sentence_vectors v JOIN memory_turns t ON t.seq = v.seq"
    " WHERE v.space = ? AND +t.namespace = ? AND v.seq > ? ORDER BY v.seq"
)
_SOME = "SELECT seq, vectors FROM sentence_vectors WHERE space = ? AND seq IN ({wanted})"


class _Held:
    """What was read so far: the vectors, their lengths, where those of each message begin, and the row of it."""

    def __init__(self, width: int) -> None:
        self.vectors = GrowingArray("i1", width)
        self.lengths = GrowingArray("f4")
        self.begins = GrowingArray("i8")
        self.turns = GrowingArray("i8")
        self.last = -1
        """The `seq` up to which messages were looked for."""
        self.missing: set[int] = set()


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """Keeps the arrays as long as those of the messages."""

    db: Connection
    vectors: SentenceVectors
    known: WeakKeyDictionary[TurnArrays, _Held] = field(default_factory=WeakKeyDictionary)

    def closeness(self, namespace: str, turns: TurnArrays, query: Floats) -> Floats:
        """For each message the cosine of the vector of a query and the nearest of its sentences, less where it has
        many; 0 for one whose sentences have no vectors or nothing to do with it."""
        import numpy as np

        held = self._refreshed(namespace, turns, len(query))
        found = np.zeros(len(turns), dtype=np.float32)
        if not len(held.turns.rows):
            return found
        asked = np.round(query * np.float32(_STEPS)).astype(np.float32)
        close = np.empty(len(held.vectors.rows), dtype=np.float32)
        for start in range(0, len(close), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            products(held.vectors.rows[part].astype(np.float32), asked, close[part])
        close /= held.lengths.rows * max(np.sqrt(asked @ asked), np.float32(1))
        begins = held.begins.rows
        chance = np.float32(OF_MANY) * np.log(np.diff(begins, append=len(close)).astype(np.float32))
        # Rounded, so that the order is the same on every processor.
        found[held.turns.rows] = np.round((np.maximum.reduceat(close, begins) - chance).clip(min=0), 4)
        return found

    def _refreshed(self, namespace: str, turns: TurnArrays, width: int) -> _Held:
        held = self.known.get(turns)
        if held is None:
            held = self.known.setdefault(turns, _Held(width))
            if len(turns) > MOST:
                held.last = int(turns.seq[-MOST - 1])
        space = self.vectors.space()
        if not space:
            return held
        if len(turns) and turns.seq[-1] > held.last:
            rows = self.db.rows(_NEW, (space, namespace, held.last))
            held.missing.update(_spoken(turns, held.last))
            held.last = int(turns.seq[-1])
            self._add(held, turns, rows)
        elif held.missing:
            newest = sorted(held.missing)[-LOOKED_FOR:]
            if rows := list(self.db.among(_SOME, (space,), newest)):
                # Where some came, all may have been read anew.
                rest = sorted(held.missing.difference(newest))
                self._add(held, turns, [*rows, *self.db.among(_SOME, (space,), rest)])
        return held

    def _add(self, held: _Held, turns: TurnArrays, rows: Sequence[Row]) -> None:
        import numpy as np

        width = held.vectors.rows.shape[1]
        sound = [(seq, blob) for seq, blob in rows if isinstance(blob, bytes) and blob and len(blob) % width == 0]
        sound = [(seq, blob) for seq, blob in sound if seq in held.missing]
        if not sound:
            return
        seqs = numbers(seq for seq, _ in sound)
        places, here = turns.rows_of(seqs)
        kept = [blob for (_, blob), known in zip(sound, here.tolist(), strict=True) if known]
        new = np.frombuffer(b"".join(kept), dtype=np.int8).reshape(-1, width)
        sizes = numbers(len(blob) // width for blob in kept)
        first = len(held.vectors.rows)
        squares = np.einsum("ij,ij->i", new.astype(np.float32), new.astype(np.float32))
        held.vectors.extend(new)
        held.lengths.extend(np.maximum(np.sqrt(squares), np.float32(1)))
        held.begins.extend(first + np.cumsum(sizes) - sizes)
        held.turns.extend(places[here])
        held.missing.difference_update(seq for seq, _ in sound)


def _spoken(turns: TurnArrays, after: int) -> list[int]:
    """The `seq` of the messages behind this one in which somebody speaks."""
    first = int(turns.seq.searchsorted(after, side="right"))
    roles = turns.role[first:]
    found: list[int] = turns.seq[first:][(roles == _USER) | (roles == _ASSISTANT)].tolist()
    return found
