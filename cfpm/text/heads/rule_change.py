"""Which of the standing rules a newer statement ends: by the relation of both, how near they are, and whether another
rule is nearer.

Of two rules the relation head alone knows one change in five: "Double quotes for strings." has no word of change, and
is told from another rule by being about what just one standing rule is about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.tables import toml_table
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.nearness import closeness
from cfpm.text.heads.odds import log_odds, share_of
from cfpm.text.heads.relation import judge
from cfpm.text.heads.replacement import shared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfpm.text.heads.nearness import Closeness, Older

READ = 4
"""Rules that are read with the statement, the nearest by both vectors: of 1,050 changes in the dialogues of 21 authors
95 in 100 are of one of these, by the vectors of their words alone 91."""

ENDS = 300
"""Thousandths from which a rule is ended: of what memories read in the dialogues of five authors kept apart, where 85
rules end, 29 are found and 25 others taken for ended; from 400 on 22 and 13. What is read in long talk and in stories
teaches the weights to be slow."""

MAY_END = -0.5
"""Log odds before it is read from which a rule may be ended: of what is read in the dialogues of 13 authors two in
five have less, of 197 rules that end 7, and none of the 80 that are found when all are read."""

MANY = 10
"""Rules near that are counted: as many statements are looked up."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a statement and a rule; the shares in thousandths."""

    same: int
    update: int
    contradict: int
    words: Closeness
    """Among the rules that stand near, by their words."""
    meaning: Closeness
    """The same by what was said."""
    shared: float
    """The words that both share, as `replacement.shared` counts them."""
    instruction: int
    later: int
    task: int
    many: int
    """How many rules stand near, `MANY` at most."""
    others: int
    """The share of update and contradiction of that other rule of those read for which it is the largest."""

    def values(self) -> dict[str, float]:
        """By the names that the weights have."""
        return {**self.of_the_pair(), **self._known()}

    def of_the_pair(self) -> dict[str, float]:
        """What only reading tells, by name."""
        return {
            "update": log_odds(self.update),
            "same": log_odds(self.same),
            "contradict": log_odds(self.contradict),
            "only": log_odds(self.update + self.contradict) - log_odds(self.others),
        }

    def _known(self) -> dict[str, float]:
        return {
            "cosine": self.words.cosine,
            **_ranked("", self.words),
            "meant": self.meaning.cosine,
            **_ranked("meant_", self.meaning),
            "shared": self.shared,
            "instruction": self.instruction / 1_000,
            "later": self.later / 1_000,
            "task": self.task / 1_000,
            "many": math.log(self.many),
        }

    def beforehand(self, weights: Mapping[str, float]) -> float:
        """The log odds by all that is known before the pair is read."""
        return weights["constant"] + sum(weights[name] * value for name, value in self._known().items())


def _ranked(name: str, one: Closeness) -> dict[str, float]:
    first = one.rank == 0
    return {
        f"{name}first": float(first),
        f"{name}second": float(one.rank == 1),
        f"{name}ahead": one.gap if first else 0.0,
        f"{name}behind": 0.0 if first else one.gap,
    }


def signals(newer: str, rules: Sequence[Older], *, least: float = -math.inf) -> dict[int, Signals]:
    """Of the rules that are read, by their places: the nearest `READ`, with `least` only those that have these log odds
    by all that is known before they are read."""
    if not rules:
        return {}
    words = closeness([one.cosine for one in rules])
    meaning = closeness([one.meant for one in rules])
    nearest = sorted(range(len(rules)), key=lambda place: (-rules[place].cosine - rules[place].meant, place))[:READ]
    seen = Seen([newer])
    (kind,), (lasting,) = head("user").of(seen), head("user-lasting").of(seen)
    unread = {
        place: Signals(
            0,
            0,
            0,
            words[place],
            meaning[place],
            shared(newer, rules[place].text),
            kind["instruction"],
            lasting["later"],
            lasting["task"],
            min(len(rules), MANY),
            0,
        )
        for place in nearest
    }
    chosen = [place for place, one in unread.items() if one.beforehand(_weights()) >= least]
    told = judge(newer, [rules[place].text for place in chosen])
    return {
        place: replace(
            unread[place],
            same=read.same,
            update=read.update,
            contradict=read.contradict,
            others=max((one.update + one.contradict for one in told if one is not read), default=0),
        )
        for place, read in zip(chosen, told, strict=True)
    }


def ended(newer: str, rules: Sequence[Older]) -> list[tuple[int, int]]:
    """The places of the rules that it ends, and how surely in thousandths, the surest first; not of those that it only
    says again."""
    # Mostly none ends, which shows by those that may: only beside one that does all are compared.
    return _ended(signals(newer, rules, least=MAY_END)) and _ended(signals(newer, rules))


def _ended(read: Mapping[int, Signals]) -> list[tuple[int, int]]:
    weights = _weights()
    sure = [(likelihood(one, weights), place) for place, one in read.items() if one.same <= one.update + one.contradict]
    return [(place, share) for share, place in sorted(sure, reverse=True) if share >= ENDS]


def likelihood(one: Signals, weights: Mapping[str, float]) -> int:
    """That the statement ends the rule, in thousandths."""
    total = one.beforehand(weights) + sum(weights[name] * value for name, value in one.of_the_pair().items())
    return share_of(total)


@cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = toml_table("cfpm.text.heads", "data/rule_change")["weights"]
    return weights
