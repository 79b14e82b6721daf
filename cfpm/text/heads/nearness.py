"""Which earlier statements a newer one may repeat, replace or deny, of those that are near to it: reading pairs takes
time."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEAST = -4.8
"""Log odds from which a pair is worth reading: of the two likeliest of each statement one in ten has less, of 294 that
are right, in worlds and logs kept apart, one."""


class Older(NamedTuple):
    """An earlier statement; `cosine` is that of both texts by their words, `meant` that of the stored
    vectors of both where they were said, 0 where they have none; `said` grows with the time at which it was said."""

    text: str
    cosine: float
    meant: float
    said: int


class Closeness(NamedTuple):
    """How close an earlier statement is to a newer one, among others: the cosine of both, how many are closer, and how
    much closer it is than the next, or, below 0, how much farther than the closest."""

    cosine: float
    rank: int
    gap: float


def closeness(cosines: Sequence[float]) -> list[Closeness]:
    """Of each of the statements that are near, by these cosines; one by itself has nothing next to it."""
    ranks, order = _ranks(cosines), sorted(cosines, reverse=True)
    ahead = order[0] - (order[1] if len(order) > 1 else 0.0) if order else 0.0
    return [
        Closeness(one, rank, round(one - order[0] if rank else ahead, 3))
        for one, rank in zip(cosines, ranks, strict=True)
    ]


def nearest(by_words: Sequence[float], by_meaning: Sequence[float], many: int, least: float) -> list[int]:
    """The places of at most so many earlier statements, by their cosines of both kinds: half of them the nearest by
    their words, with one of at least `least`, the others the nearest by meaning, and where these have none, by their
    words as well. In the order of their words."""
    words = sorted(range(len(by_words)), key=lambda place: (-by_words[place], place))
    near = [place for place in words if by_words[place] >= least]
    meaning = sorted((place for place in words if by_meaning[place] > 0), key=lambda place: (-by_meaning[place], place))
    chosen = dict.fromkeys([*near[: many // 2], *meaning, *near])
    return sorted(list(chosen)[:many], key=lambda place: (-by_words[place], place))


def values(newer: str, older: Sequence[Older]) -> list[dict[str, float]]:
    """What is known of each, by the names that the weights have."""
    from cfpm.embedding import static_embedder

    pieces = static_embedder().pieces
    own = set(pieces(newer))
    by_words = _ranks([one.cosine for one in older])
    by_meaning = _ranks([one.meant for one in older])
    by_time = _ranks([one.said for one in older])
    found = []
    for place, one in enumerate(older):
        its = set(pieces(one.text))
        shared = len(own & its)
        found.append(
            {
                "cosine": one.cosine,
                "first": float(by_words[place] == 0),
                "rank": math.log1p(by_words[place]),
                "shared": float(shared),
                "of_older": shared / max(1, len(its)),
                "of_newer": shared / max(1, len(own)),
                "meant": one.meant,
                "meant_first": float(by_meaning[place] == 0),
                "meant_rank": math.log1p(by_meaning[place]),
                "before": by_time[place] / len(older),
            }
        )
    return found


def likelihoods(newer: str, older: Sequence[Older]) -> list[float]:
    """The log odds that it repeats, replaces or denies each of them."""
    weights = _weights()
    return [
        round(weights["constant"] + sum(weights[name] * value for name, value in one.items()), 3)
        for one in values(newer, older)
    ]


def _ranks(numbers: Sequence[float]) -> list[int]:
    """How many are larger than each, and of equals how many stand before it."""
    order = sorted(range(len(numbers)), key=lambda place: (-numbers[place], place))
    ranks = [0] * len(numbers)
    for rank, place in enumerate(order):
        ranks[place] = rank
    return ranks


@cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = toml_table("cfpm.text.heads", "data/nearness")["weights"]
    return weights
