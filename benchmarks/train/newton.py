"""Logistic regression of a few values by Newton's method, what it says of others, and its table of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

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


def thousandths(table: Floats, constant: float, weights: Floats) -> Floats:
    """How likely each row is, from 0 to 1,000."""
    likely: Floats = 1_000 / (1 + np.exp(-constant - table @ weights))
    return likely


def of_others(
    table: Floats, wanted: Floats, groups: Sequence[object], drawn_by: float, weigh: Floats | None = None
) -> Floats:
    """How likely each row is, in thousandths, by what is learnt of the other groups; `groups` names that of each."""
    counts = np.ones(len(table)) if weigh is None else weigh
    likely = np.zeros(len(table))
    for group in dict.fromkeys(groups):
        own = np.array([one == group for one in groups])
        likely[own] = thousandths(table[own], *newton(table[~own], wanted[~own], drawn_by, counts[~own]))
    return likely


def named(names: Iterable[str], constant: float, weights: Floats) -> dict[str, float]:
    """The constant and each weight by its name, rounded as they are kept."""
    return {"constant": round(constant, 3), **dict(zip(names, weights.round(3).tolist(), strict=True))}


def write_weights(path: Path, command: str, about: str, weights: Mapping[str, float]) -> None:
    """Writes the table of a head; `about` says of what the weights are log odds."""
    lines = [f"# Made by `python -m benchmarks train {command} --write`: log odds {about}.", "[weights]"]
    lines += [f'"{name}" = {value:.3f}' for name, value in weights.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
