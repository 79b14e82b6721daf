"""Logistic regression on named features by Newton's method: exact, without randomness. Only training needs numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

_ROUNDS = 12
"""Newton's method has settled to six digits after seven rounds on the sets tried."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights by feature name, for the features as they are."""

    intercept: float
    weights: Mapping[str, float]


def fit(
    rows: Sequence[Mapping[str, float]],
    good: Sequence[bool],
    penalty: float,
    shares: Sequence[float] | None = None,
    *,
    other: Mapping[str, float] = MappingProxyType({}),
) -> Fit:
    """Fits weights that predict `good`. Features count in units of their spread, so that the penalty treats all alike.

    `penalty` is the weight of the sum of squared weights beside the sum of the log losses, in
    which each row counts by its share (default: all alike, 1 in the mean). `other` has the penalties of features
    whose names begin so.
    """
    names = sorted({name for row in rows for name in row})
    place = {name: column for column, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for number, row in enumerate(rows):
        for name, value in row.items():
            table[number, place[name]] = value
    centre, spread = table.mean(axis=0), np.maximum(table.std(axis=0), 1e-6)
    table = np.hstack([(table - centre) / spread, np.ones((len(rows), 1))])
    target = np.array(good, dtype=float)
    counts = np.ones(len(rows)) if shares is None else np.array(shares) * (len(rows) / sum(shares))
    weights = np.zeros(len(names) + 1)
    heads = {name: next((head for head in other if name.startswith(head)), "") for name in names}
    ridge = np.diag([2 * other.get(heads[name], penalty) for name in names] + [1e-9])
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (counts * (likely - target)) + ridge @ weights
        curve = (table * (counts * likely * (1 - likely))[:, None]).T @ table + ridge
        weights -= np.linalg.solve(curve, slope)
    raw = weights[:-1] / spread
    return Fit(float(weights[-1] - raw @ centre), {name: float(raw[column]) for name, column in place.items()})


def offset(found: Sequence[tuple[float, bool]], penalty: float) -> float:
    """What to add to the log odds of these cases so that they fit how many were good."""
    logits = np.array([logit for logit, _ in found])
    good = sum(good for _, good in found)
    shift = 0.0
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(logits + shift, -30, 30)))
        slope = likely.sum() - good + 2 * penalty * shift
        shift -= float(slope / ((likely * (1 - likely)).sum() + 2 * penalty))
    return shift
