"""A head: whole numbers, one for each feature, whose sum says how sure it is; the same on every processor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.train.features import features

if TYPE_CHECKING:
    from collections.abc import Mapping

UNIT = 100
"""Weights are hundredths of a logit, so that sums are exact on every processor."""

BIAS = ""
"""The feature that every sentence has."""


@dataclass(frozen=True, slots=True)
class LinearHead:
    """`weights` by feature, in hundredths of a logit."""

    weights: Mapping[str, int]

    def score(self, text: str) -> int:
        """How much speaks for the sentence, in hundredths of a logit: 0 is even, 110 three to one, 220 nine to one."""
        known = self.weights
        return known[BIAS] + sum(known[name] for name in features(text) if name in known)
