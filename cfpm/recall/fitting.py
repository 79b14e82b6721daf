"""How much of a question a text holds, by which an agent can tell that it does not know. Ranks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cfpm.recall.closeness import CLOSE, rarity
from cfpm.store.search import content_words

if TYPE_CHECKING:
    from cfpm.embedding import Embedder
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import TurnArrays


def fit_of(text: str, question: Question, turns: TurnArrays, embedder: Embedder | None) -> float:
    """The share of the question that a text holds, from 0 to 1: as `Signals.fits`; without an embedder, by words."""
    if embedder is None or not question.pieces:
        wanted, there = content_words(question.words), set(content_words(text))
        return sum(word in there for word in wanted) / len(wanted) if wanted else 0.0
    pieces = embedder.pieces(text)
    if not pieces:
        return 0.0
    best = embedder.closeness(question.pieces, np.array(pieces)).max(axis=1)
    rare = rarity(turns, question)
    return float(rare @ np.where(best >= CLOSE, best, 0) / rare.sum())
