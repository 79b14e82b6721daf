"""Which of the statements that are near to one by their vectors may say anything of it: reading pairs takes time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

LEAST = -4.8
"""Of 330 statements of authors who were kept apart that repeat, replace or deny a near one, this leaves out one in a
hundred of those that are among the nearest ten; the two likeliest hold the right one of 85 in 100."""

_CONSTANT = -7.02
_COSINE, _FIRST, _RANK = 5.031, 0.932, -0.303
_SHARED, _OF_OLDER, _OF_NEWER = 0.509, 10.067, -10.966
"""Logistic regression on the six worlds w1 to w5 and w7 of `benchmarks/labels`, tested on w6, w8 and another."""


def worth_reading(newer: str, older: Sequence[str]) -> list[int]:
    """The places of the older statements, the nearest first, to which the relation of the newer one is worth asking,
    the likeliest first: by the cosine of both, their order, and how many word pieces they share.
    """
    if not older:
        return []
    from cfpm.embedding import static_embedder

    embedder = static_embedder()
    vectors = embedder.embed([newer, *older])
    cosines = (vectors[1:] @ vectors[0]).tolist()
    own = set(embedder.pieces(newer))
    found = []
    for rank, (text, cosine) in enumerate(zip(older, cosines, strict=True)):
        likely = score(cosine, rank, own, set(embedder.pieces(text)))
        if likely >= LEAST:
            found.append((-likely, rank))
    return [rank for _, rank in sorted(found)]


def score(cosine: float, rank: int, newer: AbstractSet[int], older: AbstractSet[int]) -> float:
    """The log odds that a newer statement repeats, replaces or denies an older one, by the word pieces of both, their
    cosine, and how many statements are nearer."""
    shared = len(newer & older)
    found = _CONSTANT + _COSINE * cosine + _FIRST * (rank == 0) + _RANK * rank + _SHARED * shared
    return round(found + _OF_OLDER * shared / max(1, len(older)) + _OF_NEWER * shared / max(1, len(newer)), 3)
