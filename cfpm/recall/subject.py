"""How near messages are to the subject of a query, by what sets both apart from all that is said in the memory.

What every message of a memory has in common, its manner and its one or two great themes, lies in the mean of their
vectors. A long message is near to that mean, and with it near to any query: without it, it is near to few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from cfpm.embedding.products import products

if TYPE_CHECKING:
    from cfpm.recall.candidates import Rows, Values
    from cfpm.store.namespace_arrays import TurnArrays

FEW = 20
"""Messages that say little of what is common: the mean is drawn to nothing as if so many more had said nothing."""


class _Sum:
    """The sum of the vectors of all messages; follows them as they come."""

    def __init__(self, width: int) -> None:
        self._sum = np.zeros(width, dtype=np.float64)
        self._count = 0

    def mean(self, turns: TurnArrays) -> Values:
        if self._count < len(turns):
            self._sum += turns.vectors[self._count :].sum(axis=0, dtype=np.float64)
            self._count = len(turns)
        found: Values = (self._sum / (self._count + FEW)).astype(np.float32)
        return found


_sums: WeakKeyDictionary[TurnArrays, _Sum] = WeakKeyDictionary()
"""Of each namespace that is kept, as long as its messages are."""


def common(turns: TurnArrays) -> Values:
    """The mean of the vectors of all messages."""
    return _sums.setdefault(turns, _Sum(turns.vectors.shape[1])).mean(turns)


def apart(turns: TurnArrays, rows: Rows, vector: Values) -> Values:
    """Cosines of these messages and the query's `vector`, each less what is common to all messages."""
    return cosines(turns.vectors.take(rows, axis=0) - (mean := common(turns)), vector - mean)


def cosines(vectors: Values, wanted: Values) -> Values:
    """Of vectors of any length and one; 0 for a vector of length 0."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors)) * np.float32(np.sqrt(wanted @ wanted))
    found: Values = products(vectors, wanted) / np.maximum(lengths, np.float32(1e-9))
    return found
