"""How much each signal counts, from `weights.toml`, which `python -m benchmarks ranking` writes. Weighs nothing."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal, by name; one that is not named counts nothing. `total` is the greatest score."""

    by_name: Mapping[str, float]

    @property
    def total(self) -> float:
        """What a message would have for which everything speaks and nothing against."""
        return sum(weight for weight in self.by_name.values() if weight > 0) or 1.0

    def without(self, names: Collection[str]) -> Weights:
        """The same with some signals left out, to measure what they are worth."""
        return Weights({name: weight for name, weight in self.by_name.items() if name not in names})


@cache
def load_weights() -> dict[str, Weights]:
    """Those for `chat` (people with names among themselves) and for `agent` (a user and an assistant)."""
    text = resources.files("cfpm.recall").joinpath("weights.toml").read_text(encoding="utf-8")
    return {name: Weights(table) for name, table in tomllib.loads(text).items()}


@cache
def load_threshold() -> float:
    """The share of a query below which what was found does not answer it, from `answerability.toml`."""
    text = resources.files("cfpm.recall").joinpath("answerability.toml").read_text(encoding="utf-8")
    return float(tomllib.loads(text)["threshold"])
