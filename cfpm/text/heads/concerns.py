"""How much each of a user's standing rules has to do with what is ordered.

A rule seldom shares a word with what it concerns. The order is read by the encoder of queries (`asking`), the rule by
the lower layers of that encoder and three of its own, which have learnt from rules of many users, and orders beside
them, to come near to the orders that a rule concerns (`python -m benchmarks train concerns`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cfpm.text.heads.asking import SHARED, Reader, reader_of, wide_vector
from cfpm.text.heads.relation import encoder, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BELOW = 2
"""Layers of `asking` above the shared one over which the own ones stand."""

_KEPT = 4_096
"""Rules whose vectors a process keeps: the same stand beside every order."""

_known: dict[str, Floats] = {}


def concerns(order: str, rules: Sequence[str]) -> list[float]:
    """The cosine of the order and each rule, as learnt; 0 where one has no word. A rule that was not read in this
    process takes some 8 ms, each further time none."""
    asked = wide_vector(order)
    # Rounded, so that the order of the rules is the same on every processor.
    return [round(float(vector @ asked), 3) for vector in rule_vectors(rules)]


def rule_vectors(rules: Sequence[str]) -> list[Floats]:
    """Of length 1, or 0 without a word."""
    # Another thread may empty it meanwhile.
    found = {rule: kept for rule in rules if (kept := _known.get(rule)) is not None}
    if new := [rule for rule in dict.fromkeys(rules) if rule not in found]:
        read = dict(zip(new, _reader().vectors(new), strict=True))
        found |= read
        if len(_known) + len(read) > _KEPT:
            _known.clear()
        _known.update(read)
    return [found[rule] for rule in rules]


@cache
def _reader() -> Reader:
    return reader_of(stored("concerns"), encoder().topped(SHARED, stored("asking")), SHARED + BELOW)
