"""Whether what a sentence says is meant as it stands: not somebody else's word, not a jest, no guess.

A hearsay may be worth more than most statements: what an authority says, or somebody of their own affairs. So what is
said, by whom and about what are weighed together. Not for quotations and conditions, which show by their signs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.tables import toml_table
from cfpm.text.heads.odds import weighed

if TYPE_CHECKING:
    from collections.abc import Mapping

UNMEANT = 500
"""Thousandths from which a sentence is taken for one that is not meant."""

TRIGGER = "trigger"

REPORTED, JEST, SUPPOSED = "reported", "jest", "supposed"
"""Somebody else's word that the speaker does not stand for, a jest, a guess."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One way of not meaning what is said, by its signs and their weights."""

    trigger: re.Pattern[str]
    signs: Mapping[str, re.Pattern[str]]
    weights: Mapping[str, float]

    def values(self, lower: str) -> dict[str, float]:
        """1 for each sign that stands in a sentence in lower case, by name."""
        return {name: float(sign.search(lower) is not None) for name, sign in self.signs.items()}

    def share(self, lower: str) -> int:
        """That it is said in this way, in thousandths; 0 without its trigger."""
        if not self.weights or not self.trigger.search(lower):
            return 0
        return weighed(self.weights, self.values(lower))


def unmeant(text: str) -> str:
    """`reported`, `jest` or `supposed`, whichever is the most probable; empty for what is meant."""
    lower = text.lower()
    share, name = max((kind.share(lower), name) for name, kind in kinds().items())
    return name if share >= UNMEANT else ""


@cache
def kinds() -> Mapping[str, Kind]:
    """All three, by name."""
    known = toml_table("cfpm.text.heads", "data/belief")
    weights = toml_table("cfpm.text.heads", "data/belief_weights")
    return {
        name: _kind(signs, {sign: float(weight) for sign, weight in weights.get(name, {}).items()})
        for name, signs in known.items()
    }


def _kind(signs: Mapping[str, str], weights: Mapping[str, float]) -> Kind:
    read = {name: compiled(pattern) for name, pattern in signs.items()}
    return Kind(read.pop(TRIGGER), read, weights)
