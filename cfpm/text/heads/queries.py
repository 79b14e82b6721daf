"""What a query asks for, by its words, pairs of words and its vector: what the heads of queries have in common.

The weights of each are a table of its own, made by `python -m benchmarks train NAME`.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.text.heads.linear import Seen
from cfpm.text.heads.odds import weighed

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS = lazy_pattern(r"[a-z]+(?:'[a-z]+)?|\d+|[\u4e00-\u9fff]+")
_NUMBERS = lazy_pattern(r"\d+(?:st|nd|rd|th)?\b|\d+")
_DAYS = lazy_pattern(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october"
    r"|november|december)\b"
)
_STEPS = 127
_FIRST = 3
"""Words at the beginning that also count by their place."""


def share(name: str, found: Mapping[str, float]) -> int:
    """What the head of this name makes of the values of a query, in thousandths."""
    _, weights = learnt(name)
    return weighed(weights, {name: value for name, value in found.items() if name in weights})


# Each query is read by several heads.
@lru_cache(maxsize=8)
def signs(query: str) -> Mapping[str, float]:
    """What is weighed of any query: its length, its words and pairs of words, and its vector."""
    told = words(query)
    (vector,) = Seen([query]).vectors.tolist()
    return {
        "length": math.log1p(len(told)),
        **{f"axis {place}": 2 * step / _STEPS for place, step in enumerate(vector)},
        **{f"has {word}": 1.0 for word in told},
        **{f"has {one} {other}": 1.0 for one, other in pairwise(told)},
    }


def beginning(query: str) -> dict[str, float]:
    """How it begins: "can you", "what should i"."""
    told = words(query)[:_FIRST]
    return {f"begins {' '.join(told[:count])}": 1.0 for count in range(1, len(told) + 1)}


def words(query: str) -> list[str]:
    """Its words in small letters, a number as 0, a month or day of the week as `day`; of Chinese every two characters
    that stand together."""
    found: list[str] = []
    for word in _WORDS.findall(_DAYS.sub("day", _NUMBERS.sub("0", query.lower().replace("’", "'")))):
        if "\u4e00" <= word[0] <= "\u9fff" and len(word) > 1:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(word)
    return found


@cache
def learnt(name: str) -> tuple[frozenset[str], Mapping[str, float]]:
    """The words that such queries have, where the head asks for them, and the weights."""
    table = resources.files("cfpm.text.heads").joinpath("data", f"{name}.tsv").read_text(encoding="utf-8")
    _, known, *rows = table.splitlines()
    named = (row.split("\t") for row in rows)
    return frozenset(known.split()), {name: float(weight) for name, weight in named}
