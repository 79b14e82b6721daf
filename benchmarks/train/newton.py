"""Logistic regression of a few values by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_PASSES = 20
"""Steps: it stands still after ten."""


def newton(
    values: Floats, wanted: Floats, drawn_by: float = 1.0, weigh: Floats | None = None, *, same_spread: bool = True
) -> tuple[float, Floats]:
    """The constant, and a weight for each column of `values`, which are brought to the same spread or stay as they are;
    `wanted` has 0 or 1 for each row. `drawn_by` is how strongly weights are drawn to nothing, `weigh` how much each row
    counts."""
    counts = np.ones(len(values)) if weigh is None else weigh
    middle = values.mean(axis=0)
    spread = values.std(axis=0) + 1e-9 if same_spread else np.ones(values.shape[1])
    table = np.column_stack([np.ones(len(values)), (values - middle) / spread])
    drawn = np.eye(table.shape[1]) * drawn_by
    drawn[0, 0] = 0
    weights = np.zeros(table.shape[1])
    for _ in range(_PASSES):
        likely = 1 / (1 + np.exp(-table @ weights))
        slope = table.T @ (counts * (likely - wanted)) + drawn @ weights
        weights -= np.linalg.solve((table * (counts * likely * (1 - likely))[:, None]).T @ table + drawn, slope)
    scaled = weights[1:] / spread
    return float(weights[0] - scaled @ middle), scaled
