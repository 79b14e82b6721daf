"""Shares in thousandths and their log odds, as the heads that weigh other heads' answers pass them on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def log_odds(share: int) -> float:
    """Of a share in thousandths, finite for 0 and 1,000."""
    return math.log((share + 5) / (1_005 - share))


def share_of(odds: float) -> int:
    """The share in thousandths that has these log odds; they are rounded first, since their last bits differ by
    processor."""
    return round(1_000 / (1 + math.exp(-round(odds, 3))))


def weighed(weights: Mapping[str, float], values: Mapping[str, float]) -> int:
    """The share in thousandths that these values come to, each with the weight of its name, and a constant."""
    return share_of(weights["constant"] + sum(weights[name] * value for name, value in values.items()))
