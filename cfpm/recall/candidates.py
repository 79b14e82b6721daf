"""Candidate generation: words and meaning of all messages of a namespace, and which few hundred may be answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cfpm.embedding.products import products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import FactArrays, TurnArrays
    from cfpm.store.store import Store

    Values = NDArray[np.float32]
    Rows = NDArray[np.int64]

CANDIDATES = 250
"""Messages that are looked at closely; the rest stood behind them in words, meaning and surroundings together."""

BUSY = 2_000
"""Messages that count for the score of their session."""

TOP = 3
"""A session is worth the mean of its best three messages: one alone may be chance, all of them dilute."""

NEIGHBOUR, SESSION, FACTS, SPEAKER = 0.3, 0.5, 0.3, 0.1
"""What counts for a candidate beside its own words and meaning; weights decide among candidates only."""

SAMPLE = 64
"""Of so many values one is looked at to guess where the greatest begin."""


@dataclass(frozen=True, slots=True)
class CoarseScores:
    """Shares of the greatest, of each message and of each session; and those of the facts by themselves.

    The values of messages have one 0 behind them, which is that of row -1: no neighbour.
    """

    words: Values
    meaning: Values
    words_of_session: Values
    meaning_of_session: Values
    fact_words: Values
    fact_meaning: Values
    fact_closeness: Values
    """Cosines of the facts, as they are."""

    def of(self, turns: TurnArrays, rows: Rows) -> dict[str, Values]:
        """Words and meaning of some messages, their neighbours and sessions."""
        before, after, session = turns.before[rows], turns.after[rows], turns.session[rows]
        found = {"words": self.words[rows], "meaning": self.meaning[rows]}
        for name, values, sessions in (
            ("words", self.words, self.words_of_session),
            ("meaning", self.meaning, self.meaning_of_session),
        ):
            found |= {f"{name}_before": values[before], f"{name}_after": values[after]}
            found[f"{name}_session"] = sessions[session]
        return found


def coarse_scores(store: Store, turns: TurnArrays, facts: FactArrays, question: Question) -> CoarseScores:
    """Reads the words in the index, and compares all vectors."""
    words = np.zeros(len(turns) + 1, dtype=np.float32)
    words[:-1] = store.search.word_scores(question.words, turns, "turns")
    meaning = np.zeros(len(turns) + 1, dtype=np.float32)
    close = np.zeros(len(facts), dtype=np.float32)
    if question.vector is not None:
        meaning[:-1] = products(turns.vectors, question.vector)
        close = products(facts.vectors, question.vector)
    fact_words = np.where(facts.active, store.search.word_scores(question.words, facts, "facts"), np.float32(0))
    as_shares(words)
    as_shares(meaning)
    return CoarseScores(
        words=words,
        meaning=meaning,
        words_of_session=of_sessions(turns.session, words[:-1], turns.sessions),
        meaning_of_session=of_sessions(turns.session, meaning[:-1], turns.sessions),
        fact_words=as_shares(fact_words),
        fact_meaning=as_shares(np.where(facts.active, close, np.float32(0))),
        fact_closeness=close,
    )


def candidates(turns: TurnArrays, coarse: CoarseScores, weighed: list[tuple[float, Values]]) -> Rows:
    """The messages that are worth a closer look, in their order. `weighed` are values of all messages with weights."""
    if len(turns) <= CANDIDATES:
        return np.arange(len(turns))
    own = coarse.words + coarse.meaning
    # `take` of so many goes twice as fast as brackets.
    rough = own.take(turns.before)
    rough += own.take(turns.after)
    rough *= NEIGHBOUR
    rough += own[:-1]
    rough += (SESSION * (coarse.words_of_session + coarse.meaning_of_session)).take(turns.session)
    for weight, values in weighed:
        rough += np.float32(weight) * values
    return np.sort(highest(rough, CANDIDATES))


def as_shares(values: Values) -> Values:
    """The same array as shares of its greatest; what is below nothing is nothing."""
    best = float(values.max(initial=0))
    np.maximum(values, 0, out=values)
    if best > 0:
        values /= best
    return values


def highest(values: Values, count: int) -> Rows:
    """The places of the `count` greatest values, in no order."""
    if len(values) <= count:
        return np.arange(len(values))
    wanted = 2 * count // SAMPLE + 8
    if len(values) < 4 * SAMPLE * wanted:
        return np.argpartition(values, len(values) - count)[-count:]
    sample = values[::SAMPLE]
    limit = np.partition(sample, len(sample) - wanted)[-wanted]
    places = np.flatnonzero(values >= limit)
    if not count <= len(places) < len(values) // 2:
        return np.argpartition(values, len(values) - count)[-count:]
    return places[np.argpartition(values[places], len(places) - count)[-count:]]


def of_sessions(session: Rows, values: Values, count: int) -> Values:
    """The mean of the best three of each session."""
    some = values > 0
    # Most words stand in few messages, of which none need be chosen.
    best = np.flatnonzero(some) if np.count_nonzero(some) <= BUSY else highest(values, BUSY)
    of, own = session[best], values[best].astype(np.float64)
    # By session, then the greatest first: one sort of one number.
    order = best[np.argsort(of * (own.max(initial=0) + 1) - own)]
    total = np.zeros(count, dtype=np.float32)
    if len(order):
        of = session[order]
        among = np.ones(len(order), dtype=np.bool_)
        among[TOP:] = of[TOP:] != of[:-TOP]
        top = order[among]
        total[:] = np.bincount(session[top], weights=values[top], minlength=count) / TOP
    return total


def best_of_facts(turns: TurnArrays, facts: FactArrays, values: Values) -> Values | None:
    """The best of each message's facts; None when all are nothing."""
    known = np.flatnonzero((facts.turn >= 0) & (values != 0))
    if not len(known):
        return None
    found = np.zeros(len(turns), dtype=np.float32)
    np.maximum.at(found, facts.turn[known], values[known])
    return found
