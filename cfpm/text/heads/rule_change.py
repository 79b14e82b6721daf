"""Which of the standing rules a newer statement ends: by the relation of both, how near they are, and whether another
rule is nearer.

Of two rules the relation head alone knows one change in five: "Double quotes for strings." has no word of change, and
is told from another rule by being about what just one standing rule is about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.tables import toml_table
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.nearness import score
from cfpm.text.heads.relation import judge
from cfpm.text.heads.replacement import log_odds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ = 4
"""Rules that are read with the statement, the nearest by their vectors: of 416 changes in the dialogues of eight
authors 391 are of one of the nearest three, but of 44 that were missed in memories 11 were not."""

ENDS = 680
"""Thousandths from which a rule is ended: on two authors kept apart more than nine of ten that are taken for ended are.
What is read in long talk, where no rule ends, teaches the weights to be slow."""

MANY = 10
"""Rules near that are counted: as many statements are looked up."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a statement and a rule; the shares in thousandths."""

    same: int
    update: int
    contradict: int
    cosine: float
    rank: int
    """How many rules are nearer."""
    gap: float
    """Of the nearest rule how much nearer it is than the next; of another how much farther than the nearest, below
    0."""
    instruction: int
    later: int
    task: int
    nearness: float
    many: int
    """How many rules stand near, `MANY` at most."""
    others: int
    """The share of update and contradiction of that other rule of those read for which it is the largest."""

    def values(self) -> dict[str, float]:
        """By the names that the weights have."""
        first = self.rank == 0
        return {
            "update": log_odds(self.update),
            "same": log_odds(self.same),
            "contradict": log_odds(self.contradict),
            "cosine": self.cosine,
            "first": float(first),
            "second": float(self.rank == 1),
            "ahead": self.gap if first else 0.0,
            "behind": 0.0 if first else self.gap,
            "instruction": self.instruction / 1_000,
            "later": self.later / 1_000,
            "task": self.task / 1_000,
            "nearness": self.nearness,
            "many": math.log(self.many),
            "only": log_odds(self.update + self.contradict) - log_odds(self.others),
        }


def signals(newer: str, rules: Sequence[str]) -> dict[int, Signals]:
    """Of the rules that are read, by their places."""
    if not rules:
        return {}
    from cfpm.embedding import static_embedder

    embedder = static_embedder()
    vectors = embedder.embed([newer, *rules])
    # Rounded, so that the order is the same on every processor.
    cosines = [round(cosine, 4) for cosine in (vectors[1:] @ vectors[0]).tolist()]
    order = sorted(range(len(rules)), key=lambda place: (-cosines[place], place))[:READ]
    seen = Seen([newer])
    (kind,), (lasting,) = head("user").of(seen), head("user-lasting").of(seen)
    own = set(embedder.pieces(newer))
    read = judge(newer, [rules[place] for place in order])
    following = cosines[order[1]] if len(order) > 1 else 0.0
    return {
        place: Signals(
            told.same,
            told.update,
            told.contradict,
            cosines[place],
            rank,
            cosines[place] - (following if rank == 0 else cosines[order[0]]),
            kind["instruction"],
            lasting["later"],
            lasting["task"],
            score(cosines[place], rank, own, set(embedder.pieces(rules[place]))),
            min(len(rules), MANY),
            max((one.update + one.contradict for one in read if one is not told), default=0),
        )
        for rank, (place, told) in enumerate(zip(order, read, strict=True))
    }


def ended(newer: str, rules: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the rules that it ends, and how surely in thousandths, the surest first; not of those that it only
    says again."""
    weights = _weights()
    read = signals(newer, rules).items()
    sure = [(likelihood(one, weights), place) for place, one in read if one.same <= one.update + one.contradict]
    return [(place, share) for share, place in sorted(sure, reverse=True) if share >= ENDS]


def likelihood(one: Signals, weights: Mapping[str, float]) -> int:
    """That the statement ends the rule, in thousandths."""
    total = weights["constant"] + sum(weights[name] * value for name, value in one.values().items())
    return round(1_000 / (1 + math.exp(-round(total, 3))))


@cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = toml_table("cfpm.text.heads", "data/rule_change")["weights"]
    return weights
