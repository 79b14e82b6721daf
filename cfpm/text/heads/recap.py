"""How surely a query asks what earlier sessions came to as a whole: "Where did we leave off?".

Such queries have hardly a word that says what they are about, beside those of asking, of time and of talk itself.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.text.heads.linear import Seen
from cfpm.text.heads.odds import weighed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_WORDS = lazy_pattern(r"[a-z]+(?:'[a-z]+)?|\d+|[\u4e00-\u9fff]+")
_NUMBERS = lazy_pattern(r"\d+(?:st|nd|rd|th)?\b|\d+")
_DAYS = lazy_pattern(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october"
    r"|november|december)\b"
)
_MANY = 6
_STEPS = 127


def asks_for_sessions(query: str) -> int:
    """The share in thousandths."""
    known, weights = _learnt()
    found = values(query, known)
    return weighed(weights, {name: value for name, value in found.items() if name in weights})


def values(query: str, known: Collection[str]) -> dict[str, float]:
    """What is weighed, by names of which the weights have some; `known` are the words that such queries have."""
    told = words(query)
    others = sum(word not in known for word in told)
    (vector,) = Seen([query]).vectors.tolist()
    return {
        "others of all": 3 * others / max(1, len(told)),
        "others": 3 * min(others, _MANY) / _MANY,
        "length": math.log1p(len(told)),
        **{f"axis {place}": 2 * step / _STEPS for place, step in enumerate(vector)},
        **{f"has {word}": 1.0 for word in told},
        **{f"has {one} {other}": 1.0 for one, other in pairwise(told)},
    }


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
def _learnt() -> tuple[frozenset[str], Mapping[str, float]]:
    """The words that such queries have, and the weights."""
    table = resources.files("cfpm.text.heads").joinpath("data", "recap.tsv").read_text(encoding="utf-8")
    _, known, *rows = table.splitlines()
    named = (row.split("\t") for row in rows)
    return frozenset(known.split()), {name: float(weight) for name, weight in named}
