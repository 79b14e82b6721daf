"""What a block shows of the messages that were found: single sentences and facts, each ranked by what it says itself.

A message that answers may say ten things. Which messages are found, `retrieval` decides; how much fits, `block`.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from cfpm.model import Role
from cfpm.recall.candidates import as_shares
from cfpm.recall.late_interaction import CLOSE, rarity
from cfpm.recall.running import folded
from cfpm.recall.subject import common, cosines
from cfpm.store.search import content_words
from cfpm.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cfpm.embedding import Embedder
    from cfpm.recall.candidates import Values
    from cfpm.recall.items import RecallItem
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import TurnArrays

MOST_SENTENCES = 24
"""Sentences of one message that are looked at; of longer ones the first."""

MOSTLY = 0.6
"""Share of a sentence from which a fact that is a part of it says enough of it to stand in its place."""

_LONG = 4.0
"""Natural logarithm of about fifty word pieces, as many as a long sentence has."""


def passages(
    ranked: Sequence[Sequence[RecallItem]], question: Question, turns: TurnArrays, embedder: Embedder
) -> list[RecallItem]:
    """The facts, deeds and sentences of the messages, the likeliest answers first. `ranked` has the items of each
    message, the best message first."""
    units = [unit for items in ranked for unit in _units(items)]
    if not units or not question.pieces or question.subject is None:
        return units
    weights = load_weights()
    values = signals(units, question, turns, embedder)
    scores = np.round(sum(weights[name] * column for name, column in values.items()), 4)
    return [units[place] for place in np.argsort(-scores, kind="stable").tolist()]


def signals(
    units: Sequence[RecallItem], question: Question, turns: TurnArrays, embedder: Embedder
) -> dict[str, Values]:
    """What speaks for each: the score of its message, how much of the question it holds, how near it is in meaning,
    whose it is, what it is, and how much it says."""
    best = max(max(unit.score for unit in units), 1e-9)
    texts = [_text(unit) for unit in units]
    pieces = [embedder.pieces(text) for text in texts]
    wanted = frozenset(content_words(question.words))
    shared = [len(wanted.intersection(content_words(text))) / max(1, len(wanted)) for text in texts]
    assert question.subject is not None
    mean = common(turns)
    columns = {
        "score": [unit.score / best for unit in units],
        "covers": _covered(pieces, question, turns, embedder),
        "meaning": cosines(embedder.embed(texts) - mean, question.subject - mean),
        "words": shared,
        "user": [unit.role is Role.USER and not unit.deed for unit in units],
        "fact": [unit.kind == "fact" for unit in units],
        "deed": [unit.deed for unit in units],
        "asking": [text.rstrip().endswith(("?", "？")) for text in texts],
        "length": [np.log1p(len(own)) / _LONG for own in pieces],
    }
    # Rounded, so that the order is the same on every processor.
    return {name: np.round(np.array(values, dtype=np.float64), 4) for name, values in columns.items()}


def _units(items: Sequence[RecallItem]) -> Iterator[RecallItem]:
    """The facts and deeds of a message as they are; of the message itself each sentence that no fact says."""
    facts = [folded(item.content) for item in items if item.kind == "fact"]
    for item in items:
        if item.kind == "fact" or item.deed or item.doubt:
            yield item
            continue
        spans = [(one.start, one.end) for one in sentences(item.text)][:MOST_SENTENCES]
        for start, end in spans or [(0, len(item.text))]:
            if not _said_by(folded(item.text[start:end]), facts):
                yield replace(item, spans=((start, end),))


def _said_by(sentence: str, facts: Iterable[str]) -> bool:
    return any(sentence in fact or (fact in sentence and len(fact) >= MOSTLY * len(sentence)) for fact in facts if fact)


def _text(unit: RecallItem) -> str:
    return unit.text[unit.spans[0][0] : unit.spans[0][1]] if unit.spans else unit.content


def _covered(
    pieces: Sequence[Sequence[int]], question: Question, turns: TurnArrays, embedder: Embedder
) -> Values:
    """How much of the question's words each text holds in word or meaning, as shares of the best."""
    different = np.unique(np.array([piece for own in pieces for piece in own] or [0]))
    close = embedder.closeness(question.pieces, different)
    close = np.where(close >= CLOSE, close, np.float32(0))
    rare = rarity(turns, question)
    held = np.array(
        [
            float(rare @ close[:, np.searchsorted(different, list(set(own)))].max(axis=1)) if own else 0.0
            for own in pieces
        ],
        dtype=np.float32,
    )
    return as_shares(held)


@cache
def load_weights() -> Mapping[str, float]:
    """How much each of these counts, from `passages.toml`."""
    table = tomllib.loads(resources.files("cfpm.recall").joinpath("passages.toml").read_text(encoding="utf-8"))
    return {name: float(weight) for name, weight in table.items()}
