"""Logistic regression over named features, by full steps of gradient descent: no seed, the same weights each time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.train.features import features
from benchmarks.train.head import BIAS, UNIT, LinearHead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LEAST = 3
"""Sentences of the training set that a feature must stand in."""

LEAST_AUTHORS = 2
"""Authors of the training set who must use it, so that the subject of one does not become a weight."""

RIDGE = 1.5
"""Pull towards 0 of each weight, as a share of one sentence's."""

STEPS, RATE, MOMENTUM = 400, 0.3, 0.9


def train(texts: Sequence[str], wanted: Sequence[bool], authors: Sequence[str]) -> LinearHead:
    """The head that tells the wanted texts from the others. What only one author writes about is no feature."""
    rows = [features(text) for text in texts]
    counts = Counter(name for row in rows for name in row)
    used = Counter(name for name, _ in {(name, who) for row, who in zip(rows, authors, strict=True) for name in row})
    names = sorted(name for name, count in counts.items() if count >= LEAST and used[name] >= LEAST_AUTHORS)
    weights, bias = _fit(_matrix(rows, names), np.array(wanted, dtype=np.float64))
    whole = {name: round(float(weight) * UNIT) for name, weight in zip(names, weights, strict=True)}
    return LinearHead({BIAS: round(bias * UNIT)} | {name: weight for name, weight in whole.items() if weight})


def _matrix(rows: Sequence[Sequence[str]], names: Sequence[str]) -> NDArray[np.float64]:
    places = {name: place for place, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)))
    for line, row in zip(matrix, rows, strict=True):
        line[[places[name] for name in row if name in places]] = 1
    return matrix


def _fit(matrix: NDArray[np.float64], wanted: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    count = len(matrix)
    weights, bias = np.zeros(matrix.shape[1]), 0.0
    speed, bias_speed = np.zeros_like(weights), 0.0
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-(matrix @ weights + bias)))
        slope = matrix.T @ (sure - wanted) / count * len(wanted) / 100 + RIDGE * weights / 100
        speed = MOMENTUM * speed - RATE * slope
        bias_speed = MOMENTUM * bias_speed - RATE * float((sure - wanted).sum()) / 100
        weights += speed
        bias += bias_speed
    return weights, bias
