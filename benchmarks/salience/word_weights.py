"""Weights of words by their meaning: what was learnt for the columns of the static embedder, written out word by word.

So a word that few conversations hold is rated like its neighbours, and the memory itself needs no vectors for it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.embedding.static import static_embedder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.extraction.labelled import Labelled

PREFIX = "meaning:"
COMMON = 8_000
"""Words that get a weight: the first of the embedder's vocabulary, which has the most frequent ones first."""

_FIRST = "the"
"""What stands before it in the vocabulary are marks and single signs."""
_WITHIN = re.compile(r"(?<=[a-z,;] )[A-Za-z]+")


def meaning(words: Iterable[str]) -> dict[str, float]:
    """The sum of the words' vectors, a feature for each column."""
    total = [0.0] * static_embedder().dimensions
    for word in words:
        for column, value in enumerate(_vector(word)):
            total[column] += value
    return {f"{PREFIX}{column:03}": value for column, value in enumerate(total)}


def weight_of(word: str, weights: Mapping[str, float]) -> float:
    """What the weights of the columns make of one word."""
    return sum(value * weights[name] for name, value in meaning((word,)).items())


def common_words(sets: Sequence[Labelled]) -> list[str]:
    """Frequent English words, without those that these conversations write with a capital: names of people, places."""
    vocabulary = static_embedder().spelled
    first = next(number for number in range(static_embedder().vocabulary) if vocabulary(number) == _FIRST)
    words = [vocabulary(number) for number in range(first, static_embedder().vocabulary)]
    words = [word for word in words if word.isascii() and word.isalpha()]
    named = _named(sets)
    return [word for word in words[:COMMON] if word not in named]


def _named(sets: Sequence[Labelled]) -> frozenset[str]:
    capital: Counter[str] = Counter()
    for labelled in sets:
        for message in labelled.conversation.messages:
            for word in _WITHIN.findall(message.text):
                capital[word.lower()] += 1 if word[0].isupper() else -1
    return frozenset(word for word, count in capital.items() if count > 0)


@lru_cache(maxsize=100_000)
def _vector(word: str) -> tuple[float, ...]:
    return tuple(static_embedder().embed([word])[0].tolist())
