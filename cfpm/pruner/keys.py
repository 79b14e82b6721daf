"""Under which keys the store finds a fact when a draft may be the same, give it a new value, or deny it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.model import PATH_CATEGORIES, Category, Status
from cfpm.pruner.similarity import block_keys
from cfpm.pruner.updating import heard
from cfpm.text.changes import opening_key
from cfpm.text.deeds.denials import deed_keys, denial, denial_keys
from cfpm.text.quantities.mentions import Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.model import Fact

VALUE_WORDS = 6
"""Words of a value under which it is found: its noun first, then names, then the longest."""

_AMOUNT = "am"
"""Money and counts are found together: "$80,000" and "95k"."""

VALUE_KEYS = 12
"""Keys of all values of one text together."""

KINDS = (Category.NOTE, Category.EVENT, Category.GOAL, Category.PROFILE, Category.DECISION)
"""Kinds in which a value may stand."""

DENIABLE = (*KINDS, Category.PREFERENCE)
"""Kinds in which something is told that was done or was not: "I prefer tea, I've never had coffee"."""


def fact_keys(fact: Fact) -> Sequence[str]:
    """The keys under which the store finds a fact when something like it is drafted.

    What was superseded is neither the same as a draft nor has a value to lose, but it can still be denied.
    """
    if fact.status is Status.SUPERSEDED:
        return _opposing_keys(fact.content, fact.category)
    return index_keys(fact.content, fact.category, fact.topic)


@lru_cache(maxsize=1_024)
def index_keys(content: str, category: Category, topic: str = "") -> tuple[str, ...]:
    """All keys under which a fact is stored that nothing took the place of."""
    if category in PATH_CATEGORIES:
        return block_keys(content, category)
    found = dict.fromkeys(block_keys(content, category))
    if category in KINDS:
        found.update(dict.fromkeys(value_keys(heard(content, topic))))
    found.update(dict.fromkeys(_opposing_keys(content, category)))
    if category in KINDS and (opening := opening_key(content)):
        found[opening] = None
    return tuple(found)


def _opposing_keys(content: str, category: Category) -> tuple[str, ...]:
    return (*denial_keys(denial(content)), *deed_keys(content)) if category in DENIABLE else ()


def value_keys(told: Iterable[Mention]) -> tuple[str, ...]:
    """The kind of each value with each of the longest words beside it."""
    found: dict[str, None] = {}
    for mention in told:
        kind = _AMOUNT if mention.figure.kind in ("money", "count") else mention.figure.kind[:2]
        known, names = mention.slots, mention.names
        words = sorted(mention.near | names, key=lambda w: (w not in known, w not in names, -len(w), w))
        for word in words[:VALUE_WORDS]:
            found[f"{kind}:{word}"] = None
    return tuple(found)[:VALUE_KEYS]
