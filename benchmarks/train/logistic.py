"""Softmax regression over named features, by full steps of gradient descent: no seed, the same weights each time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from cfpm.embedding import static_embedder
from cfpm.embedding.static import as_bytes
from cfpm.text.heads.features import features
from cfpm.text.heads.linear import BIAS, UNIT, LinearHead, axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Whole = NDArray[np.intp]

LEAST = 2
"""Sentences of the training set that a feature must stand in."""

LEAST_AUTHORS = 2
"""Authors of the training set who must use it, so that the subject of one does not become a weight."""

RIDGE = 1.0
"""Pull towards 0 of each weight."""

VECTORS = 2.0
"""Length of a sentence's vector among the other features, which are 0 or 1."""

STEPS, RATE = 250, 0.08


def train(texts: Sequence[str], answers: Sequence[str], authors: Sequence[str]) -> LinearHead:
    """The head that tells the answers apart. What only one author writes about is no feature."""
    rows = [features(text) for text in texts]
    counts = Counter(name for row in rows for name in row)
    used = Counter(name for name, _ in {(name, who) for row, who in zip(rows, authors, strict=True) for name in row})
    names = sorted(name for name, count in counts.items() if count >= LEAST and used[name] >= LEAST_AUTHORS)
    kinds = sorted(set(answers))
    wanted = np.array([[answer == kind for kind in kinds] for answer in answers], dtype=np.float32)
    weights, bias = _fit(_of_words(rows, names), _of_vectors(texts), len(names), wanted)
    weights[len(names) :] *= VECTORS
    whole = {
        name: tuple(int(one) for one in row)
        for name, row in zip([*names, *axes()], np.rint(weights * UNIT), strict=True)
        if row.any() or name.startswith("#axis")
    }
    return LinearHead(kinds, {BIAS: tuple(int(one) for one in np.rint(bias * UNIT))} | whole)


def _of_words(rows: Sequence[Sequence[str]], names: Sequence[str]) -> tuple[Whole, Whole]:
    """For each word of a text that is a feature, the place of the text, and that of the feature."""
    places = {name: place for place, name in enumerate(names)}
    found = [(text, places[name]) for text, row in enumerate(rows) for name in row if name in places]
    texts, features = np.array(found, dtype=np.intp).reshape(-1, 2).T
    return texts, features


def _of_vectors(texts: Sequence[str]) -> Floats:
    rows = as_bytes(static_embedder().embed(texts))
    return np.array([np.frombuffer(row, dtype=np.int8) for row in rows], dtype=np.float32) * np.float32(VECTORS / 127)


def _fit(words: tuple[Whole, Whole], vectors: Floats, count: int, wanted: Floats) -> tuple[Floats, Floats]:
    """Least loss under the ridge, by full steps whose length follows the slope of each weight (Adam). The weights of
    the `count` words come first; few of them stand in a text, so only those are summed."""
    texts, features = words
    dense = np.hstack([vectors, np.ones((len(vectors), 1), dtype=np.float32)])
    weights = np.zeros((count + dense.shape[1], wanted.shape[1]), dtype=np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        logits = dense @ weights[count:] + _summed(texts, weights[features], len(dense))
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        wrong = shares - wanted
        slope = np.vstack([_summed(features, wrong[texts], count), dense.T @ wrong]) + RIDGE * weights
        slope[-1] -= RIDGE * weights[-1]
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        rate = RATE * (1 - step / (STEPS + 1))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
    return weights[:-1], weights[-1]


def _summed(places: Whole, rows: Floats, count: int) -> Floats:
    """The sums of the rows that go to the same place."""
    columns = [np.bincount(places, weights=column, minlength=count) for column in rows.T]
    return np.array(columns, dtype=np.float32).T
