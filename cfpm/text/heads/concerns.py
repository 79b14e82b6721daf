"""How much each of a user's standing rules has to do with what is ordered.

A rule seldom shares a word with what it concerns. The order is read by the encoder of queries (`asking`), the rule by
the lower layers of that encoder and three of its own, which have learnt from rules of many users, and orders beside
them, to come near to the orders that a rule concerns (`python -m benchmarks train concerns`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.text.heads.asking import SHARED, of_length_1, pieces_of, wide_vector
from cfpm.text.heads.relation import encoder, stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding.encoder import Encoder

    Floats = NDArray[np.float32]

BELOW = 2
"""Layers of `asking` above the shared one over which the own ones stand."""


def concerns(order: str, rules: Sequence[str]) -> list[float]:
    """The cosine of the order and each rule, as learnt; 0 where one has no word. A rule that was not read in this
    process takes some 10 ms, each further time none."""
    import numpy as np

    asked = wide_vector(order)
    # Rounded, so that the order of the rules is the same on every processor.
    return [round(float(np.dot(rule_vector(rule), asked)), 3) for rule in rules]


# The same rules stand beside every order.
@lru_cache(maxsize=4_096)
def rule_vector(text: str) -> Floats:
    """Of length 1, or 0 without a word."""
    import numpy as np

    ids = pieces_of(text)
    reader, columns, bias = _reader()
    if not ids:
        return np.zeros(columns.shape[1], dtype=np.float32)
    (rows,) = reader.read_marked([(ids, [0] * len(ids))])
    return of_length_1(rows.mean(axis=0) @ columns + bias)


@cache
def _reader() -> tuple[Encoder, Floats, Floats]:
    """What reads word pieces, and what makes a vector of the mean of their rows."""
    weights = stored("concerns")
    below = encoder().topped(SHARED, stored("asking")).topped(SHARED + BELOW, weights)
    return below, weights["map"].astype("f4"), weights["map.bias"].astype("f4")
