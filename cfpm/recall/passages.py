"""What a block shows of the messages that were found: single sentences and facts, each ranked by what it says itself.

A message that answers may say ten things. Which messages are found, `retrieval` decides; how much fits, `block`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cfpm.embedding import sentence_embedder, static_embedder
from cfpm.model import Category, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.recall.items import RULES
from cfpm.recall.late_interaction import CLOSE, rarity
from cfpm.recall.question import TELLING, Shape, stands, tells
from cfpm.recall.running import folded
from cfpm.recall.subject import common, cosines
from cfpm.recall.subjects import MOST, Likeliest, later
from cfpm.secrets import PLACEHOLDER
from cfpm.store.search import content_words
from cfpm.text import is_low_information
from cfpm.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cfpm.embedding import Embedder
    from cfpm.model import Fact
    from cfpm.recall.candidates import Rows, Values
    from cfpm.recall.items import Key, RecallItem
    from cfpm.recall.nearness import Nearness
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import TurnArrays

    Near = Callable[[Sequence[RecallItem]], Nearness | None]

MOST_SENTENCES = 24
"""Sentences of one message that are looked at; of longer ones the first."""

MOSTLY = 0.6
"""Share of a sentence from which a fact that is a part of it says enough of it to stand in its place."""

_WORD = lazy_pattern(r"[^\W\d_]{2,}")

ASKED, LATER = 600, 200
"""Thousandths of a request from which, and of what is worth knowing later up to which, a user's sentence is an order of
the moment: surely the one and hardly the other. No figure of four stories changes by it, and blocks of another's orders
hold fewer old ones."""

_OF_WHAT_WAS_FOUND = ("score", "newer_than", "newer_than_ordered")
"""Signals that say how a passage stands among those that were found."""

_LEAST = 2
"""Words that say something which a sentence among others needs to be shown."""

MOST_COMMON = 0.9
"""Mean share of a word of the question in all passages from which it counts no less: one that all have is left a
tenth."""

AROUND = 0.5
"""What counts of a passage's message and of the one before it, which often names what the passage only answers."""

_LINE = 14
"""About the tokens of a line beside its text: its kind, its id, its date."""

_MANY = 16
"""Passages of which the mean is what the whole memory is about."""

CONCERNS = 10.0
"""What the cosine of an order and a rule counts for, in log odds, beside what it counts for in any passage: of 300
orders of 30 stories 264 have their rule in 600 tokens, 262 without it and 265 with 20."""

_LONG = 4.0
"""Natural logarithm of about fifty word pieces, as many as a long sentence has."""


class Passages(NamedTuple):
    """The facts, deeds and sentences of the messages found, the likeliest answers first; `beside` has, by the key of
    one, what was said later on its subject."""

    items: Sequence[RecallItem] = ()
    beside: Mapping[Key, RecallItem] = {}
    question: Question | None = None
    """The query, as it was read."""
    nearest: float | None = None
    """The cosine of the query and the nearest of the sentences found; None where these have no vectors."""


def passages(
    ranked: Sequence[Sequence[RecallItem]],
    question: Question,
    turns: TurnArrays,
    embedder: Embedder,
    near: Near = lambda _: None,
) -> Passages:
    """What to show of the messages found. `ranked` has the items of each message, the best message first; `near` says
    how near the query is to each of them, as far as that is known."""
    ordered = question.shape is Shape.TEXT
    units = [
        unit for items in ranked for unit in units_of(items) if not (ordered and unit.spans and _of_the_moment(unit))
    ]
    if not units or not question.pieces or question.subject is None:
        return Passages(units)
    read = Reading(units, question, turns, embedder, near)
    order = read.order(load_weights())
    best = [units[place] for place in order]
    joined = later(read.likeliest(order), load_joins())
    return Passages(
        best,
        {best[older].key: best[newer] for older, newer in joined.items()},
        question,
        read.nearest(),
    )


def relevance(
    standing: Sequence[RecallItem],
    question: Question,
    turns: TurnArrays,
    embedder: Embedder,
    near: Near = lambda _: None,
) -> dict[str, float]:
    """How much speaks for each fact that stands beside an order, by its id, whatever else was found: as for an answer,
    and for a rule how near the order is to it."""
    if not standing or not question.pieces or question.subject is None:
        return {}
    read = Reading(standing, question, turns, embedder, near)
    weights, columns = read.of(load_weights()), read.signals()
    scores = sum(weights.get(name, 0.0) * column for name, column in columns.items() if name not in _OF_WHAT_WAS_FOUND)
    if "near" in columns:
        scores = scores + CONCERNS * columns["near"] * [one.category in RULES for one in standing]
    return {fact.id: score for fact, score in zip(standing, np.round(scores, 4).tolist(), strict=True)}


def how_surely_rules(standing: Sequence[Fact]) -> dict[str, float]:
    """How surely each fact that stands is a rule or a preference, by its id, from 0 to 1 in tenths; what a person wrote
    down or pinned is surely one. Of 145 that four stories left 54 in 100 are one, of each story's surest eight 94."""
    from cfpm.text.heads.linear import rule_share

    return {fact.id: 1.0 if fact.is_given else round(rule_share(fact.content), 1) for fact in standing}


def nearest_sentence(item: RecallItem, text: str, embedder: Embedder) -> RecallItem:
    """Of a message the sentence that is nearest to a text in meaning."""
    span = _nearest(item.text, text, embedder)
    return replace(item, spans=(span,)) if span else item


# What stands is asked about in every recall, and mostly the same was said later.
@lru_cache(maxsize=1_024)
def _nearest(text: str, other: str, embedder: Embedder) -> tuple[int, int] | None:
    spans = _spans(text)
    if len(spans) < 2:
        return None
    vectors = embedder.embed([other, *(text[start:end] for start, end in spans)])
    # Rounded, so that the choice is the same on every processor.
    return spans[int(np.round(cosines(vectors[1:], vectors[0]), 4).argmax())]


class Reading:
    """The passages beside the question."""

    def __init__(
        self,
        units: Sequence[RecallItem],
        question: Question,
        turns: TurnArrays,
        embedder: Embedder,
        near: Near = lambda _: None,
    ) -> None:
        assert question.subject is not None
        self.units = units
        self.texts = [_text(unit) for unit in units]
        self._near = near(units)
        self._question = question
        said = [_said(text, embedder) for text in self.texts]
        self._pieces = [one.pieces for one in said]
        self._seqs = np.array([unit.seq for unit in units], dtype=np.int64)
        self._turns = turns
        # What is asked in a store of another embedder's is asked in its vectors.
        self._sentences = sentence_embedder() if embedder is static_embedder() else None
        vectors = np.array([one.vector for one in said])
        mean = _mean(vectors) if self._sentences else common(turns)
        vectors -= mean
        asked = self._sentences.of_pieces([question.pieces])[0] if self._sentences else question.subject
        held = held_of(self._pieces, question, embedder)
        # What nearly every passage holds does not tell one from another.
        weights = rarity(turns, question) * (1 - np.minimum(held.mean(axis=0), MOST_COMMON))
        weights /= weights.sum()
        self._held: Values = held * weights
        around, before = self._around(turns, question, embedder, mean)
        self._held_around: Values = np.maximum(held, around) * weights
        self._meaning = cosines(vectors + before, asked - mean)
        self._directions, self._directions_around = _of_length_1(vectors), _of_length_1(vectors + before)
        asked_for = {name: name in question.asks for name in TELLING}
        self._tells = {name: np.array([of and name in one.tells for one in said]) for name, of in asked_for.items()}

    def _around(self, turns: TurnArrays, question: Question, embedder: Embedder, mean: Values) -> tuple[Values, Values]:
        """What each passage's message and the one before it hold of the question, and the vector of the one before,
        each as much as it counts; a passage of no message of these has neither."""
        rows, here = turns.rows_of(self._seqs)
        row, before = np.where(here, rows, -1), np.full(len(rows), -1)
        before[here] = turns.before[rows[here]]
        # Not `np.unique`, which loads all of numpy.ma.
        every = np.array(sorted({*row.tolist(), *before.tolist()}), dtype=row.dtype)
        every = every[every >= 0]
        flat, starts = turns.pieces.of(every)
        # The last row is that of no message.
        held = np.pad(_held(flat, np.diff(starts), question, embedder), ((0, 1), (0, 0)))
        places = [np.where(of >= 0, np.searchsorted(every, of), len(every)) for of in (row, before)]
        if self._sentences:
            said = np.array([_vector(flat[start:end].tobytes()) for start, end in pairwise(starts)]).reshape(
                len(every), self._sentences.dimensions
            )
        else:
            said = turns.vectors[every]
        vectors = np.vstack((said - mean, np.zeros((1, said.shape[1]), dtype=np.float32)))
        around: Values = np.float32(AROUND) * np.maximum(held[places[0]], held[places[1]])
        return around, np.float32(AROUND) * vectors[places[1]]

    def signals(self) -> dict[str, NDArray[np.float64]]:
        """What speaks for each: the score of its message; how much of the question it holds, by itself and with what
        stands around it; how near it is in meaning; whose it is; what it is (what reads as a rule counts only where
        something is ordered); how long and how new it is; and whether it holds what is asked for: a time, a number, a
        name, ..."""
        from cfpm.text.heads.linear import rule_share

        best = max(*(unit.score for unit in self.units), 1e-9)
        ordered = self._question.shape is Shape.TEXT
        user = np.array([unit.role is Role.USER and not unit.deed for unit in self.units])
        newer_than = np.searchsorted(np.sort(self._seqs), self._seqs) / max(1, len(self._seqs) - 1)
        columns = {
            "score": [unit.score / best for unit in self.units],
            "covers": self._held.sum(axis=1),
            "covers_around": self._held_around.sum(axis=1),
            "meaning": self._meaning,
            "user": user,
            "fact": [unit.kind == "fact" for unit in self.units],
            "stands": [ordered and stands(text) for text in self.texts],
            "rule": [ordered and one and rule_share(text) for one, text in zip(user, self.texts, strict=True)],
            "deed": [unit.deed for unit in self.units],
            "asking": [asks(text) for text in self.texts],
            "length": [np.log1p(len(own)) / _LONG for own in self._pieces],
            "newer_than": newer_than,
            "newer_than_ordered": newer_than * ordered,
        }
        columns |= {f"tells_{name}": told for name, told in self._tells.items()}
        if self._near is not None:
            columns |= {"near": self._near.cosines, "unread": self._near.unread}
            columns["near_ordered"] = ordered * self._near.cosines
        # Rounded, so that the order is the same on every processor.
        return {name: np.array(values, dtype=np.float64).round(4) for name, values in columns.items()}

    def nearest(self) -> float | None:
        """The cosine of the query and the sentence that is nearest to it, as far as the sentences were read."""
        return round(float(self._near.cosines.max()), 4) if self._near is not None else None

    def of(self, weights: Mapping[str, Mapping[str, float]]) -> Mapping[str, float]:
        """Those of the weights that fit: a memory of an older version was not read by sentences."""
        return weights["answer" if self._near is not None else "answer_unread"]

    def order(self, weights: Mapping[str, Mapping[str, float]]) -> list[int]:
        """The places of the passages, first those that are the likeliest answers for the tokens that they take."""
        own = self.of(weights)
        odds = sum(own.get(name, 0.0) * column for name, column in self.signals().items())
        scores = np.round(odds - np.log([_LINE + len(own) for own in self._pieces]), 4)
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        return order

    def likeliest(self, order: Sequence[int]) -> Likeliest:
        """The first of them, as they are held against each other."""
        best = list(order[:MOST])
        pieces = [self._pieces[place] for place in best]
        every = np.array(sorted({piece for own in pieces for piece in own} or {0}))
        rare = np.log((len(self._turns) + 1) / (self._turns.frequency[every] + 0.5)).clip(0.1)
        words = np.zeros((len(best), len(every)), dtype=np.float32)
        for row, own in zip(words, pieces, strict=True):
            places = np.searchsorted(every, own)
            row[places] = rare[places]
        return Likeliest(
            [self.units[place] for place in best],
            [self.texts[place] for place in best],
            self._directions[best],
            self._directions_around[best],
            self._held[best],
            _of_length_1(words),
            np.any([told[best] for told in self._tells.values()], axis=0),
            self._near.vectors[best] if self._near is not None else None,
        )


def _of_the_moment(unit: RecallItem) -> bool:
    """Whether it is what a user asked for once: beside another order it is done long ago, or not to be done."""
    (start, end), *_ = unit.spans
    return unit.role is Role.USER and not unit.deed and _asked_once(unit.text[start:end])


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _asked_once(sentence: str) -> bool:
    from cfpm.text.heads.linear import Seen, head

    seen = Seen([sentence])
    (kind,), (lasting,) = head("user").of(seen), head("user-lasting").of(seen)
    return kind["goal"] >= ASKED and lasting["later"] <= LATER


def units_of(items: Sequence[RecallItem]) -> Iterator[RecallItem]:
    """The facts and deeds of a message as they are; of the message itself each sentence that none of them says."""
    facts = [folded(item.content) for item in items if item.kind == "fact"]
    deeds = [folded(item.text) for item in items if item.deed]
    for item in items:
        if item.category is Category.VERIFIED_ACTION and (
            _says_little(item.content) or _said_by(folded(item.content), deeds)
        ):
            continue
        if item.kind == "fact" or item.deed or item.marked:
            yield item
            continue
        if item.role is Role.ASSISTANT and _only_acknowledges(item.text):
            continue
        bare = PLACEHOLDER.sub("", item.text)
        if bare != item.text and not any(map(str.isalnum, bare)):
            # A secret that was taken out, and nothing beside it.
            continue
        for start, end in _spans(item.text):
            sentence = item.text[start:end]
            if deeds and item.role is Role.TOOL and (_said_by(folded(sentence), deeds) or _only_ends(sentence)):
                continue
            if _needs_more(item, sentence, end):
                continue
            if not (facts and _said_by(folded(sentence), facts)):
                yield replace(item, spans=((start, end),))


def _needs_more(item: RecallItem, sentence: str, end: int) -> bool:
    """Whether a sentence says nothing alone: an agent's question, which stands with its answer as a fact where that is
    worth knowing, or a user's words that announce what comes behind them ("The landlord mailed:")."""
    if item.role is Role.ASSISTANT:
        return asks(sentence)
    return item.role is Role.USER and end < len(item.text) and sentence.rstrip().endswith((":", "："))


def unsaid(text: str, facts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """The sentences of a text that none of these facts says, which are `folded`; no questions."""
    return tuple(
        (start, end)
        for start, end in _spans(text)
        if not _said_by(folded(text[start:end]), facts) and not asks(text[start:end])
    )


def asks(text: str) -> bool:
    """Whether a text ends as a question."""
    return text.rstrip().endswith(("?", "？"))


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _only_acknowledges(text: str) -> bool:
    """ "Noted.", "Got it, will do.": an agent's word or two that tells nothing; a number may be an answer."""
    says_little = len(content_words(text)) < _LEAST or is_low_information(text)
    return says_little and not any(map(str.isdigit, text))


def _only_ends(text: str) -> bool:
    """ "Exit code 1", "12 passed in 1.2s": a tool's word that it is done, which its deed tells."""
    if len(_WORD.findall(text)) > _LEAST:
        return False
    from cfpm.extractor.outcomes import reports_failure, success

    return success(text) is not None or reports_failure(text)


def _says_little(text: str) -> bool:
    """ "6 passed": that says nothing without its call, which is told as a deed."""
    return sum(not word.isdigit() for word in content_words(text)) < _LEAST


_SALUTATION = lazy_pattern(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|liebe[rs]?|sehr geehrte[rs]?|hallo|cher|chère|bonjour|"
    r"estimad[oa]|querid[oa]|hola)\b[^.!?:\n]{0,60},",
    re.IGNORECASE,
)
"""The line with which a letter opens."""


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _spans(text: str) -> Sequence[tuple[int, int]]:
    """The sentences that say something; the whole of a text that has none."""
    every = [(one.start, one.end) for one in sentences(text) if not _SALUTATION.fullmatch(one.text)][:MOST_SENTENCES]
    return [(start, end) for start, end in every if len(content_words(text[start:end])) >= _LEAST] or [(0, len(text))]


def _said_by(sentence: str, facts: Iterable[str]) -> bool:
    return any(sentence in fact or (fact in sentence and len(fact) >= MOSTLY * len(sentence)) for fact in facts if fact)


class _Said(NamedTuple):
    """What of a passage is the same whatever is asked: its different word pieces, its vector, what of TELLING it
    holds."""

    pieces: Sequence[int]
    vector: Values
    tells: frozenset[str]


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _said(text: str, embedder: Embedder) -> _Said:
    in_vectors = sentence_embedder() if embedder is static_embedder() else embedder
    return _Said(embedder.pieces(text), in_vectors.embed([text])[0], tells(text))


# As above; a message's pieces are stored.
@lru_cache(maxsize=4_096)
def _vector(pieces: bytes) -> Values:
    found: Values = sentence_embedder().of_pieces([np.frombuffer(pieces, dtype=np.uint16).tolist()])[0]
    return found


def _text(unit: RecallItem) -> str:
    return unit.text[unit.spans[0][0] : unit.spans[0][1]] if unit.spans else unit.content


def _mean(vectors: Values) -> Values:
    """What all these have in common; of a few it would be what one of them says."""
    mean: Values = vectors.mean(axis=0) * np.float32(len(vectors) >= _MANY)
    return mean


def _of_length_1(rows: Values) -> Values:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    found: Values = rows / np.maximum(lengths, np.float32(1e-9))[:, None]
    return found


def held_of(pieces: Sequence[Sequence[int]], question: Question, embedder: Embedder) -> Values:
    """For each text and each word piece of the question the cosine of the nearest piece, 0 if none is close."""
    sizes = np.array([len(own) for own in pieces], dtype=np.intp)
    flat = np.fromiter(chain.from_iterable(pieces), dtype=np.intp, count=int(sizes.sum()))
    return _held(flat, sizes, question, embedder)


def _held(flat: NDArray[np.integer], sizes: Rows, question: Question, embedder: Embedder) -> Values:
    """The same of the pieces of all texts in a row, so many of each."""
    found = np.zeros((len(sizes), len(question.pieces)), dtype=np.float32)
    if len(flat):
        # Not `np.unique`, which loads all of numpy.ma.
        different = np.array(sorted(set(flat.tolist())))
        close = embedder.closeness(question.pieces, different)
        close = np.where(close >= CLOSE, close, np.float32(0)).T
        full = np.flatnonzero(sizes)
        starts = (np.cumsum(sizes) - sizes)[full]
        found[full] = np.maximum.reduceat(close.take(np.searchsorted(different, flat), axis=0), starts, axis=0)
    return found


@cache
def load_weights() -> Mapping[str, Mapping[str, float]]:
    """How much each of these counts for an answer, from `passages.toml`."""
    return toml_table("cfpm.recall", "passages")


@cache
def load_joins() -> Mapping[str, Mapping[str, float]]:
    """How much speaks for two of them being about one point, from `joins.toml`."""
    return toml_table("cfpm.recall", "joins")
