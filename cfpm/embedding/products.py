"""Products of matrices, computed on the thread that asks: of many vectors with a few, and of vectors with weights.

A BLAS with several threads wakes them for a product of a hundredth of a second's work and lets them wait for each other
in loops: measured on two cores with other work to do, 8 ms instead of 0.1 ms. It leaves small products alone, so the
rows are handed over in blocks. The result does not depend on the number of cores either.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_NUMBERS = 8_192
"""Numbers in the rows of a block. OpenBLAS uses threads from 9,216 on for a vector, and with up to 32 columns from
262,144 products on (`GEMM_MULTITHREAD_THRESHOLD` in its sources).
"""


def products(rows: Floats, columns: Floats, out: Floats | None = None) -> Floats:
    """`rows @ columns`, where `columns` is one vector or a matrix of at most 32 columns; written to `out` if given."""
    import numpy as np

    found = np.empty((len(rows), *columns.shape[1:]), dtype=np.float32) if out is None else out
    size = max(4, _NUMBERS // max(1, rows.shape[1]) // 4 * 4)
    whole = len(rows) // size * size
    blocks = rows[:whole].reshape(-1, size, rows.shape[1])
    np.matmul(blocks, columns, out=found[:whole].reshape(-1, size, *columns.shape[1:]))
    np.matmul(rows[whole:], columns, out=found[whole:])
    return found


_COLUMNS = 16
"""Columns of a block of weights. For 24 to 160 rows blocks of 8 to 64 were measured: with 16 all blocks together take a
fifth to a third longer than one product on one thread."""

_UP_TO = 262_144
"""Products of a block, up to which OpenBLAS uses one thread."""


def in_blocks(weights: NDArray[np.generic]) -> Floats:
    """A matrix as `multiplied` takes it: block by block of its columns, whose number 16 divides or is less. Where the
    process has only one thread for it, as our commands have, all is one block."""
    import numpy as np

    one_thread = os.environ.get("OPENBLAS_NUM_THREADS") == "1"
    columns = weights.shape[1] if one_thread else min(_COLUMNS, weights.shape[1])
    return np.ascontiguousarray(weights.reshape(len(weights), -1, columns).transpose(1, 0, 2), dtype=np.float32)


def multiplied(rows: Floats, blocks: Floats) -> Floats:
    """`rows @ weights`, of weights that are `in_blocks`."""
    import numpy as np

    count, height, columns = blocks.shape
    found = np.empty((len(rows), count, columns), dtype=np.float32)
    size = _UP_TO // (height * columns) if columns <= _COLUMNS else max(1, len(rows))
    for start in range(0, len(rows), size):
        np.matmul(rows[start : start + size], blocks, out=found[start : start + size].transpose(1, 0, 2))
    return found.reshape(len(rows), count * columns)
