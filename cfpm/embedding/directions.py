"""How close word pieces are to each other, by all columns that the model gives. Makes no vectors of texts.

More columns of single pieces tell more; the mean of a text gains little from them, and every message would pay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cfpm.embedding.products import products

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_AT_ONCE = 512
"""Rows that are compared at once: less than a megabyte, which stays in the cache."""


class Directions:
    """A row for each word piece, of which only the direction counts."""

    def __init__(self, *columns: NDArray[np.int8]) -> None:
        """`columns` stand side by side."""
        self._rows = np.concatenate(columns, axis=1)
        squares = np.einsum("ij,ij->i", self._rows, self._rows, dtype=np.int32)
        self._lengths = np.sqrt(np.maximum(squares, 1)).astype(np.float32)

    def cosines(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> Floats:
        """A row for each wanted piece; 0 for a piece without a direction."""
        asked = self._of(np.array(wanted, dtype=np.intp))
        asked /= self._lengths.take(wanted)[:, None]
        # Long rows: what is done to each number afterwards goes ten times as fast as in rows of a few.
        cosines = np.empty((len(wanted), len(pieces)), dtype=np.float32)
        for start in range(0, len(pieces), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            products(self._of(pieces[part]), asked.T, out=cosines[:, part].T)
        cosines /= self._lengths.take(pieces)
        return cosines

    def _of(self, pieces: NDArray[np.integer]) -> Floats:
        return self._rows.take(pieces, axis=0).astype(np.float32)
