"""How surely a query asks what earlier sessions came to as a whole: "Where did we leave off?".

Such queries have hardly a word that says what they are about, beside those of asking, of time and of talk itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.text.heads.queries import learnt, share, signs, words

if TYPE_CHECKING:
    from collections.abc import Collection

SURELY = 600
"""Thousandths from which a query asks for sessions: of six authors, each by what is learnt of the others, 87 in 100
such queries are above it, of what only looks so 1, of questions of stories 4 in 1,000."""

_MANY = 6


def asks_for_sessions(query: str) -> int:
    """The share in thousandths."""
    known, _ = learnt("recap")
    return share("recap", values(query, known))


def values(query: str, known: Collection[str]) -> dict[str, float]:
    """What is weighed, by names of which the weights have some; `known` are the words that such queries have."""
    told = words(query)
    others = sum(word not in known for word in told)
    return {
        "others of all": 3 * others / max(1, len(told)),
        "others": 3 * min(others, _MANY) / _MANY,
        **signs(query),
    }
