"""Finds the messages that may answer a question, each with what was learnt from it and why. Knows no items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from cfpm.recall.fitting import fit_of
from cfpm.recall.items import DIGITS
from cfpm.recall.question import read_question
from cfpm.recall.signals import turn_signals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfpm.embedding import Embedder
    from cfpm.model import Fact, LoggedMessage
    from cfpm.recall.items import Searchable
    from cfpm.recall.question import Question
    from cfpm.recall.signals import Signals
    from cfpm.recall.weights import Weights
    from cfpm.store.landscape import Facts, Turns

ALIEN = 0.3
"""A message that holds less than this of the question's meaning, and none of its words, is no answer."""

ENOUGH = 0.6
"""Share of the best score from which a message may be shown although it has none of the words: its session, time and
speaker speak for it. Measured: without it one answer in forty is lost."""

_TOUCHING = (
    "words",
    "words_before",
    "words_after",
    "fact_words",
    "time",
    "event_time",
    "instruction_meaning",
    "preference_meaning",
)
"""Signals of which any has to do with the question; what was said in a time that it names does, whatever it says."""

FACTS_OF_ONE = 3
"""Facts of one message that may be shown."""

_OWN = ("words", "meaning", "near", "near_around")
_OF_FACTS = {"words": ("words", "fact_words"), "meaning": ("meaning", "fact_meaning", "near", "near_around")}
"""What a fact's own words and meaning count for: as those of a message, and as those of a fact of it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A message of the log, or a fact whose message is not in it.

    `facts` are with their shares and how well each answers by itself; `own` is how well the whole message does. `fit`
    is how much of the question it holds.
    """

    ident: str
    score: float
    shares: Mapping[str, float]
    turn: LoggedMessage | None
    facts: tuple[tuple[Fact, Mapping[str, float], float], ...]
    own: float
    fit: float

    def times(self) -> Iterator[datetime]:
        """When it was said and learnt."""
        if self.turn is not None and self.turn.message.created_at is not None:
            yield self.turn.message.created_at
        for fact, _, _ in self.facts:
            if (at := fact.updated_at or fact.created_at) is not None:
                yield at


@dataclass(frozen=True, slots=True)
class _Shares:
    """What each signal adds to the scores of the messages that were chosen: a line of `values` for each name.

    Signals that add nothing to any of them, nearly half of all, are left out.
    """

    names: list[str]
    values: np.ndarray
    scores: np.ndarray


def gather(
    store: Searchable, namespace: str, query: str, count: int, now: datetime | None, weights: Mapping[str, Weights]
) -> list[Source]:
    """The `count` best of a namespace, best first."""
    turns, facts = store.landscape(namespace)
    if not len(turns) and not len(facts):
        return []
    question = read_question(query, turns.speakers, store.embedder, now or turns.newest)
    signals = turn_signals(store, turns, facts, question, store.embedder)
    chosen = weights["chat" if signals.chat else "agent"]
    total = chosen.total
    scale = {name: weight / total for name, weight in chosen.by_name.items()}
    counted = [name for name in signals.values if name in scale]
    # A line for each signal, each as a share of the score.
    weighed = np.array([signals.values[name] for name in counted], dtype=np.float64)
    weighed = weighed.reshape(len(counted), len(signals.rows))
    weighed *= np.array([scale[name] for name in counted])[:, None]
    worth = {name: sum(scale.get(other, 0.0) for other in of) for name, of in _OF_FACTS.items()}
    by_itself = _by_itself(signals, worth, len(facts))
    scores = weighed.sum(axis=0)
    places = _answers(signals, scores, count)
    rounded = weighed[:, places].round(DIGITS)
    told = np.flatnonzero(rounded.any(axis=1))
    shares = _Shares([counted[name] for name in told], rounded[told], scores[places])
    found = [
        *_messages(store, turns, facts, signals, places, shares, by_itself, worth),
        *_loose(store, facts, signals, by_itself, worth, count),
    ]
    if store.embedder is not None and question.pieces:
        # Messages have been compared word by word; facts without one have not.
        return [one if one.turn else _with_fit(one, question, turns, store.embedder) for one in found]
    return [_with_fit(one, question, turns, None) for one in found]


def _with_fit(source: Source, question: Question, turns: Turns, embedder: Embedder | None) -> Source:
    texts = [source.turn.message.text] if source.turn else [fact.content for fact, _, _ in source.facts]
    return replace(source, fit=max(fit_of(text, question, turns, embedder) for text in texts))


def _by_itself(signals: Signals, worth: Mapping[str, float], count: int) -> np.ndarray:
    """How well each fact answers, whatever its message; `worth` is what its words and its meaning count for."""
    total = np.zeros(count)
    for name, weight in worth.items():
        total += weight * signals.facts[name].astype(np.float64)
    return total


def _answers(signals: Signals, scores: np.ndarray, count: int) -> list[int]:
    """The best that have to do with the question, by themselves or by a neighbour, or nearly as well as those."""
    values = signals.values
    touched = signals.fits >= ALIEN
    for name in _TOUCHING:
        touched |= values[name] > 0
    if not touched.any():
        return []
    enough = ENOUGH * scores[touched].max()
    # Among equal scores in the order of the rows, which ascend.
    order = np.argsort(-scores, kind="stable")
    chosen: list[int] = order[(touched | ((scores >= enough) & (enough > 0)))[order]][:count].tolist()
    return chosen


def _messages(
    store: Searchable,
    turns: Turns,
    facts: Facts,
    signals: Signals,
    places: list[int],
    found: _Shares,
    by_itself: np.ndarray,
    worth: Mapping[str, float],
) -> Iterator[Source]:
    rows = signals.rows[places]
    seqs = turns.seq[rows].tolist()
    messages = store.messages_by_seq(seqs)
    learnt = _learnt(facts, rows, len(turns), by_itself)
    known = store.facts_by_seq([int(facts.seq[fact]) for of in learnt.values() for fact in of])
    lines = zip(
        rows.tolist(), seqs, found.scores.tolist(), signals.fits[places].tolist(), found.values.T.tolist(), strict=True
    )
    for row, seq, score, fit, values in lines:
        shares = {name: share for name, share in zip(found.names, values, strict=True) if share}
        facts_of = learnt.get(row, ())
        context = _context(shares) if facts_of else {}
        turn = messages[seq]
        yield Source(
            ident=turn.message.id,
            score=score,
            shares=shares,
            turn=turn,
            facts=tuple(
                (known[int(facts.seq[fact])], context | _shares(signals, fact, worth), float(by_itself[fact]))
                for fact in facts_of
            ),
            own=sum(shares.get(name, 0.0) for name in _OWN),
            fit=fit,
        )


def _context(shares: Mapping[str, float]) -> dict[str, float]:
    """What speaks for a message beside its own words and its facts: it speaks for each of its facts."""
    return {name: share for name, share in shares.items() if name not in _OWN and not name.startswith("fact_")}


def _learnt(facts: Facts, rows: np.ndarray, turns: int, by_itself: np.ndarray) -> dict[int, list[int]]:
    """The active facts of each message, best first."""
    found: dict[int, list[int]] = {}
    if not len(facts) or not len(rows):
        return found
    # One more place, for facts without a message.
    wanted = np.zeros(turns + 1, dtype=np.bool_)
    wanted[rows] = True
    for fact in np.flatnonzero(wanted[facts.turn] & facts.active).tolist():
        found.setdefault(int(facts.turn[fact]), []).append(fact)
    return {row: sorted(of, key=lambda fact: (-by_itself[fact], fact))[:FACTS_OF_ONE] for row, of in found.items()}


def _shares(signals: Signals, fact: int, worth: Mapping[str, float]) -> dict[str, float]:
    own = {name: round(float(weight * signals.facts[name][fact]), DIGITS) for name, weight in worth.items()}
    return {name: share for name, share in own.items() if share}


def _loose(
    store: Searchable, facts: Facts, signals: Signals, by_itself: np.ndarray, worth: Mapping[str, float], count: int
) -> Iterator[Source]:
    """Facts whose message is not in the log: dictated, imported, or of a host that keeps no log."""
    loose = np.flatnonzero((facts.turn < 0) & facts.active & (signals.facts["words"] > 0))
    best = loose[np.lexsort((loose, -by_itself[loose]))][:count]
    known = store.facts_by_seq(facts.seq[best].tolist())
    for fact in best.tolist():
        found, shares = known[int(facts.seq[fact])], _shares(signals, fact, worth)
        yield Source(found.id, sum(shares.values()), shares, None, ((found, shares, 1.0),), 0.0, 0.0)
