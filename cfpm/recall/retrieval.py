"""Finds the messages that may answer a question, each with what was learnt from it and why. Makes no items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cfpm.model import Status
from cfpm.recall.candidates import highest
from cfpm.recall.items import DIGITS
from cfpm.recall.late_interaction import answerability
from cfpm.recall.nearness import asked_vector
from cfpm.recall.question import read_question
from cfpm.recall.signals import turn_signals
from cfpm.recall.weights import fitting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from cfpm.embedding import Embedder
    from cfpm.model import Fact, LoggedMessage
    from cfpm.recall.candidates import Values
    from cfpm.recall.items import Neighbour
    from cfpm.recall.question import Question
    from cfpm.recall.signals import Signals
    from cfpm.recall.weights import Weights
    from cfpm.store.namespace_arrays import FactArrays, TurnArrays
    from cfpm.store.store import Store

ALIEN = 0.3
"""A message that holds less than this of the question's meaning, and none of its words, is no answer."""

ENOUGH = 0.6
"""Share of the best score from which a message may be shown although it has none of the words: its session, time and
speaker speak for it. Measured: without it one answer in forty is lost."""

FACTS_OF_ONE = 3
"""Facts of one message that may be shown."""

NEAREST = 60
"""Messages that are looked at because a sentence of them is near to the question."""

SENTENCE_WEIGHT = 0.5
"""What the cosine of the nearest sentence counts for in items; all other signals together give at most about 1. Of 600
questions about 30 stories from which the vectors have not learnt 59 in 100 have their answer among the ten best without
it, 71 with it and 74 with 0.8; of the evidence in BEAM 500K it is 57.9, 58.8 and 57.4."""

SENTENCE = "sentence"
"""The name under which its share stands in `why`."""

NEIGHBOUR_WEIGHT = 0.1
"""Share of the score for the nearest neighbour; all other signals together give at most about 1.

Measured on LoCoMo, neighbours by a sentence transformer beside the static table: 0.1 changes recall by less than half a
point, 0.2 costs one to two. It brings in what no other signal touches, and hardly moves what they agree on."""

NEIGHBOUR_LEAST = 0.15
"""Cosine below which a neighbour says nothing: most pairs of texts on different subjects are under it."""

NEIGHBOUR = "neighbour"
"""The name under which its share stands in `why`."""

_TOUCHING = (
    *("words", "words_before", "words_after", "fact_words"),
    *("time", "event_time", "instruction_meaning", "preference_meaning"),
)
"""Signals of which any has to do with the question; what was said in a time that it names does, whatever it says."""

_OWN = ("words", "meaning", "near", "near_around")
_OF_FACTS = {"words": ("words", "fact_words"), "meaning": ("meaning", "fact_meaning", "near", "near_around")}
"""What a fact's own words and meaning count for: as those of a message, and as those of a fact of it."""


@dataclass(frozen=True, slots=True)
class Match:
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
    seq: int = 0
    """Of the message in the store; 0 where it is not in the log, or was found by another index."""
    touches: bool = True
    """False for a message that has nothing to do with the question as a whole; a sentence of it may."""

    def times(self) -> Iterator[datetime]:
        """When it was said and learnt."""
        if self.turn is not None and self.turn.message.created_at is not None:
            yield self.turn.message.created_at
        for fact, _, _ in self.facts:
            if (at := fact.updated_at or fact.created_at) is not None:
                yield at


def retrieve(
    store: Store,
    namespace: str,
    query: str,
    count: int,
    now: datetime | None,
    weights: Mapping[str, Weights],
    *,
    read: int = 0,
) -> list[Match]:
    """The `count` best of a namespace, best first; behind those also the messages with the sentences that are nearest
    to the question, and others, until there are `read`."""
    turns, facts = store.namespace_index.load(namespace)
    if not len(turns) and not len(facts):
        return []
    question = read_question(query, turns.speakers, store.vectors.embedder, now or turns.newest)
    close, nearest = np.zeros(len(turns), dtype=np.float32), list[int]()
    if store.vectors.embedder is not None:
        close = store.sentence_index.closeness(namespace, turns, asked_vector(query))
        nearest = _nearest(close) if len(turns) > read else []
    signals = turn_signals(store, turns, facts, question, store.vectors.embedder, nearest)
    # Where their sentences are read one by one, each has its own cosine.
    weighed = None if read else close
    scored = _Scored(store, turns, facts, signals, fitting(weights, question, chat=signals.chat), weighed)
    found = [*scored.messages(count, nearest, read), *scored.loose_facts(count)]
    if store.vectors.embedder is not None and question.pieces:
        # Messages have been compared word by word; facts without one have not.
        return [one if one.turn else _with_fit(one, question, turns, store.vectors.embedder) for one in found]
    return [_with_fit(one, question, turns, None) for one in found]


def _nearest(close: Values) -> list[int]:
    """The rows of the nearest messages, the nearest first."""
    rows = np.sort(highest(close, NEAREST))
    rows = rows[np.argsort(-close[rows], kind="stable")]
    found: list[int] = rows[close[rows] > 0].tolist()
    return found


def _with_fit(match: Match, question: Question, turns: TurnArrays, embedder: Embedder | None) -> Match:
    texts = [match.turn.message.text] if match.turn else [fact.content for fact, _, _ in match.facts]
    return replace(match, fit=max(answerability(text, question, turns, embedder) for text in texts))


class _Scored:
    """The messages and facts of a namespace with their scores as answers to one question."""

    def __init__(
        self,
        store: Store,
        turns: TurnArrays,
        facts: FactArrays,
        signals: Signals,
        weights: Weights,
        close: Values | None,
    ) -> None:
        self._store = store
        self._turns = turns
        self._facts = facts
        self._signals = signals
        total = weights.total
        scale = {name: weight / total for name, weight in weights.by_name.items()}
        self._names = [name for name in signals.values if name in scale]
        self._context = {name for name in self._names if name not in _OWN and "fact_" not in name}
        # A line for each signal, each as a share of the score.
        shares = np.array([signals.values[name] for name in self._names], dtype=np.float64)
        self._shares = shares.reshape(len(self._names), len(signals.rows))
        self._shares *= np.array([scale[name] for name in self._names])[:, None]
        if close is not None and close.any():
            self._names.append(SENTENCE)
            self._context.add(SENTENCE)
            self._shares = np.vstack((self._shares, SENTENCE_WEIGHT * close[signals.rows].astype(np.float64)))
        self._worth = {name: sum(scale.get(other, 0.0) for other in of) for name, of in _OF_FACTS.items()}
        self._by_itself = np.zeros(len(facts))
        """How well each fact answers, whatever its message."""
        for name, weight in self._worth.items():
            self._by_itself += weight * signals.facts[name].astype(np.float64)

    def messages(self, count: int, nearest: Sequence[int], read: int) -> Iterator[Match]:
        """The best messages that have to do with the question, with their facts; then those in the `nearest` rows, and
        until there are `read` the best of the others."""
        scores = self._shares.sum(axis=0)
        touching = self._answers(scores, count)
        places = [*touching]
        # What is kept and not searched has no word pieces: a memory block, what a rewind took back.
        left = self._turns.pieces.sizes(self._signals.rows) > 0
        left[touching] = False
        if nearest:
            near = self._signals.rows.searchsorted(nearest)
            places += near[left[near]].tolist()
            left[near] = False
        if len(places) < read:
            order = np.argsort(-scores, kind="stable")
            places += order[left[order]][: read - len(places)].tolist()
        rows = self._signals.rows[places]
        seqs = self._turns.seq[rows].tolist()
        messages = self._store.log.by_seq(seqs)
        learnt = self._learnt(rows)
        facts = self._store.facts.by_seq([int(self._facts.seq[fact]) for of in learnt.values() for fact in of])
        lines = self._shares[:, places].round(DIGITS).T.tolist()
        for number, (place, row, seq, line) in enumerate(zip(places, rows.tolist(), seqs, lines, strict=True)):
            shares = {name: share for name, share in zip(self._names, line, strict=True) if share}
            told = learnt.get(row, ())
            # What speaks for a message beside its own words and its facts speaks for each of its facts.
            context = {name: share for name, share in shares.items() if name in self._context} if told else {}
            yield Match(
                ident=messages[seq].message.id,
                score=float(scores[place]),
                shares=shares,
                turn=messages[seq],
                facts=tuple(
                    (facts[int(self._facts.seq[fact])], context | self._fact_shares(fact), float(self._by_itself[fact]))
                    for fact in told
                ),
                own=sum(shares.get(name, 0.0) for name in _OWN),
                fit=float(self._signals.fits[place]),
                seq=seq,
                touches=number < len(touching),
            )

    def loose_facts(self, count: int) -> Iterator[Match]:
        """Facts whose message is not in the log: dictated, imported, or of a host that keeps no log."""
        facts = self._facts
        loose = np.flatnonzero((facts.turn < 0) & facts.active & (self._signals.facts["words"] > 0))
        best = loose[np.lexsort((loose, -self._by_itself[loose]))][:count]
        known = self._store.facts.by_seq(facts.seq[best].tolist())
        for place in best.tolist():
            fact, shares = known[int(facts.seq[place])], self._fact_shares(place)
            yield Match(fact.id, sum(shares.values()), shares, None, ((fact, shares, 1.0),), 0.0, 0.0)

    def _answers(self, scores: np.ndarray, count: int) -> list[int]:
        """The best that have to do with the question, by themselves or by a neighbour, or nearly as well as those."""
        touched = self._signals.fits >= ALIEN
        for name in _TOUCHING:
            touched |= self._signals.values[name] > 0
        if not touched.any():
            # Nothing answers: what comes nearest, if anything has to do with it at all; `fit` says how little it is.
            touched = self._signals.fits > 0
        if not touched.any():
            return []
        enough = ENOUGH * scores[touched].max()
        # Among equal scores in the order of the rows, which ascend.
        order = np.argsort(-scores, kind="stable")
        chosen: list[int] = order[(touched | ((scores >= enough) & (enough > 0)))[order]][:count].tolist()
        return chosen

    def _learnt(self, rows: np.ndarray) -> dict[int, list[int]]:
        """The active facts of each message, best first."""
        # One more place, for facts without a message.
        wanted = np.zeros(len(self._turns) + 1, dtype=np.bool_)
        wanted[rows] = True
        found: dict[int, list[int]] = {}
        for fact in np.flatnonzero(wanted[self._facts.turn] & self._facts.active).tolist():
            found.setdefault(int(self._facts.turn[fact]), []).append(fact)
        return {
            row: sorted(of, key=lambda fact: (-self._by_itself[fact], fact))[:FACTS_OF_ONE] for row, of in found.items()
        }

    def _fact_shares(self, fact: int) -> dict[str, float]:
        facts = self._signals.facts
        own = {name: round(float(weight * facts[name][fact]), DIGITS) for name, weight in self._worth.items()}
        return {name: share for name, share in own.items() if share}


def with_neighbours(
    store: Store, namespaces: Sequence[str], matches: Sequence[Match], neighbours: Sequence[Neighbour]
) -> list[Match]:
    """The matches, those that an index outside of the store found near with more score, and behind them others of it.

    What such an index found is a hint: it is read from the store, and passes every check that others pass. Facts that
    are not active, and what belongs to another namespace, are left out.
    """
    shares = _neighbour_shares(neighbours)
    turns = store.log.by_seq(found.seq for found in shares if found.kind == "turn")
    facts = store.facts.by_seq(found.seq for found in shares if found.kind == "fact")
    of_turns = {
        _place(turn): (share, turn)
        for found, share in shares.items()
        if found.kind == "turn" and (turn := turns.get(found.seq)) and turn.namespace in namespaces
    }
    of_facts = {
        fact.id: (share, fact)
        for found, share in shares.items()
        if found.kind == "fact" and (fact := facts.get(found.seq)) and fact.namespace in namespaces
        if fact.status is Status.ACTIVE
    }
    raised = [_raised(match, of_turns, of_facts) for match in matches]
    known = {_place(match.turn) for match in matches if match.turn}
    told = {fact.id for match in matches for fact, _, _ in match.facts}
    new = [
        Match(turn.message.id, share, {NEIGHBOUR: share}, turn, (), share, 1.0)
        for place, (share, turn) in of_turns.items()
        if place not in known
    ]
    loose = [
        Match(fact.id, share, {NEIGHBOUR: share}, None, ((fact, {NEIGHBOUR: share}, share),), 0.0, 1.0)
        for ident, (share, fact) in of_facts.items()
        if ident not in told
    ]
    return [*raised, *new, *loose]


def _neighbour_shares(neighbours: Iterable[Neighbour]) -> dict[Neighbour, float]:
    """What each adds: nothing at NEIGHBOUR_LEAST, NEIGHBOUR_WEIGHT for the nearest."""
    near = [found for found in neighbours if found.closeness > NEIGHBOUR_LEAST]
    span = max((found.closeness for found in near), default=1.0) - NEIGHBOUR_LEAST
    return {found: round(NEIGHBOUR_WEIGHT * (found.closeness - NEIGHBOUR_LEAST) / span, DIGITS) for found in near}


def _place(turn: LoggedMessage) -> tuple[str, str, str]:
    return turn.namespace, turn.session, turn.message.id


def _raised(
    match: Match,
    of_turns: Mapping[tuple[str, str, str], tuple[float, LoggedMessage]],
    of_facts: Mapping[str, tuple[float, Fact]],
) -> Match:
    share = of_turns[_place(match.turn)][0] if match.turn and _place(match.turn) in of_turns else 0.0
    facts = []
    for fact, why, itself in match.facts:
        more = of_facts[fact.id][0] if fact.id in of_facts else 0.0
        facts.append((fact, {**why, NEIGHBOUR: more} if more else why, itself + more))
        share = max(share, more)
    if not share:
        return match
    why = {**match.shares, NEIGHBOUR: share}
    return replace(match, score=match.score + share, shares=why, facts=tuple(facts), touches=True)
