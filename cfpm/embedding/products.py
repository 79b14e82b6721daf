"""Products of many vectors with a few, computed on the thread that asks. Not for large matrices on both sides.

A BLAS with several threads wakes them for a product of a hundredth of a second's work and lets them wait for each other
in loops: measured on two cores with other work to do, 8 ms instead of 0.1 ms. It leaves small products alone, so the
rows are handed over in blocks. The result does not depend on the number of cores either.
"""

from __future__ import annotations

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
