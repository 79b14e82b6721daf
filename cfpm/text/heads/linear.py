"""Heads that sum whole numbers: one for each feature of a sentence and each answer, the same on every processor."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from cfpm.text.heads.features import features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNIT = 100
"""Weights are hundredths of a logit, so that sums are exact."""

BIAS = "#bias"
"""The feature that every sentence has."""

AXIS = "#axis"
"""Opens the names of the features that are the numbers of the sentence's vector, -127 to 127."""

_STEPS = 127


class LinearHead:
    """Tells how probable each answer is for a sentence."""

    def __init__(self, answers: Sequence[str], weights: Mapping[str, tuple[int, ...]]) -> None:
        """`weights` has for each feature a number for each answer, in hundredths of a logit."""
        self.answers = tuple(answers)
        self._all = dict(weights)
        self._bias = weights[BIAS]
        self._weights = {name: row for name, row in weights.items() if not name.startswith(AXIS)}
        self._axes = [weights[name] for name in axes() if name in weights]

    def table(self) -> list[tuple[str, tuple[int, ...]]]:
        """All features with their weights, by name."""
        return sorted(self._all.items())

    def shares(self, texts: Sequence[str]) -> list[dict[str, int]]:
        """For each text the probability of each answer, in thousandths."""
        summed = [self._of_words(text) for text in texts]
        if self._axes and texts:
            import numpy as np

            from cfpm.embedding import static_embedder
            from cfpm.embedding.static import as_bytes

            rows = as_bytes(static_embedder().embed(texts))
            vectors = np.array([np.frombuffer(row, dtype=np.int8) for row in rows], dtype=np.int64)
            added = (vectors @ np.array(self._axes, dtype=np.int64)) // _STEPS
            summed = (np.array(summed) + added).tolist()
        return [dict(zip(self.answers, _shares(row), strict=True)) for row in summed]

    def _of_words(self, text: str) -> list[int]:
        known = self._weights
        rows = [self._bias, *(known[name] for name in features(text) if name in known)]
        return [sum(column) for column in zip(*rows, strict=True)]


def axes(count: int = 128) -> list[str]:
    """The names of the features that are the numbers of a vector."""
    return [f"{AXIS}{number}" for number in range(count)]


def _shares(logits: Sequence[int]) -> list[int]:
    most = max(logits)
    raised = [math.exp((logit - most) / UNIT) for logit in logits]
    whole = math.fsum(raised)
    return [round(1_000 * one / whole) for one in raised]


@cache
def head(name: str) -> LinearHead:
    """The head of this name that ships with the package."""
    table = resources.files("cfpm.text.heads").joinpath("data", f"{name}.tsv").read_text(encoding="utf-8")
    first, *lines = table.splitlines()
    rows = (line.split("\t") for line in lines)
    return LinearHead(first.split("\t")[1:], {name: tuple(map(int, numbers)) for name, *numbers in rows})
