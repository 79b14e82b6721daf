"""The ways to find messages for a query: recall by the front door, BM25 without our tables, and vectors alone."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.retrieval.methods import dense, recalled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.queries.queries import Statement
    from cfpm import Memory

    Method = Callable[[str, int], list[str]]

K1, B = 1.5, 0.75
"""Of BM25, as commonly set."""

_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+")


def terms(text: str) -> list[str]:
    """Words in small letters; of Chinese the characters and the pairs of them."""
    found: list[str] = []
    for run in _RUN.findall(text.lower()):
        if run[0] < "\u3400":
            found.append(run)
        else:
            found += [*run, *(a + b for a, b in pairwise(run))]
    return found


def plain_search(statements: Sequence[Statement], split: Callable[[str], list[str]] = terms) -> Method:
    """BM25 over the statements, whose words `split` names; only what shares a word is found."""
    documents = [Counter(split(one.text)) for one in statements]
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / max(1, len(lengths))
    holding = Counter(word for document in documents for word in document)

    def score(place: int, words: Sequence[str]) -> float:
        document, length = documents[place], lengths[place]
        return sum(
            math.log(1 + (len(documents) - holding[word] + 0.5) / (holding[word] + 0.5))
            * document[word] * (K1 + 1) / (document[word] + K1 * (1 - B + B * length / mean))
            for word in words
        )  # fmt: skip

    def search(query: str, k: int) -> list[str]:
        words = split(query)
        scores = {place: found for place in range(len(documents)) if (found := score(place, words)) > 0}
        return [statements[place].ident for place in sorted(scores, key=lambda place: (-scores[place], place))[:k]]

    return search


def methods(memory: Memory, statements: Sequence[Statement]) -> dict[str, Method]:
    """By name."""
    return {
        "recall": lambda query, k: recalled(memory, query, k),
        "BM25": plain_search(statements),
        "vectors": lambda query, k: dense(memory, query, k),
    }
