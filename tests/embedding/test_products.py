"""Products of matrices on the thread that asks: exactly what numpy's own product is, and in blocks of one thread."""

from __future__ import annotations

import numpy as np
import pytest

from cfpm.embedding.products import in_blocks, multiplied

ONE_THREAD = 262_144
"""Products from which OpenBLAS wakes other threads."""


def whole(rows: int, columns: int) -> np.ndarray:
    """Whole numbers of a byte, whose sums floats hold exactly."""
    return np.random.default_rng(7).integers(-127, 128, (rows, columns)).astype(np.float32)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize(("height", "width"), [(384, 1152), (384, 1536), (768, 384), (384, 4), (16, 16)])
@pytest.mark.parametrize("count", [1, 41, 42, 43, 200])
def test_blocks_give_the_product_of_the_whole(
    count: int, height: int, width: int, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
    rows, weights = whole(count, height), whole(height, width)
    assert (multiplied(rows, in_blocks(weights)) == rows @ weights).all()


@pytest.mark.parametrize("height", [384, 768])
def test_no_block_wakes_other_threads(height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    sizes = []
    product = np.matmul

    def counted(one: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
        sizes.append(one.shape[0] * other.shape[-2] * other.shape[-1])
        product(one, other, out=out)

    monkeypatch.setattr(np, "matmul", counted)
    multiplied(whole(200, height), in_blocks(whole(height, 384)))
    assert sizes
    assert max(sizes) <= ONE_THREAD
