"""A summary made of sentences of the text itself, in place of the model that the published schemes ask."""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from benchmarks.compaction.requests import content_words, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.context.history import Entry
    from cfpm.recall.tokens import Count

_SHORTEST, _LONGEST = 20, 400
"""Characters of a sentence that may be chosen."""
_BULLET = 3
"""Tokens of a bullet and the end of its line."""
_LEAST = 12
"""Tokens below which no sentence is looked for."""


def extract(entries: Iterable[Entry], room: int, count: Count) -> str:
    """The sentences of what was said that carry the most frequent words, in their order, within so many tokens.

    SumBasic (Nenkova and Vanderwende 2005): a sentence weighs the mean probability of its words; the best is taken,
    the probability of its words squared, and so on.
    """
    every = list(
        dict.fromkeys(s for entry in entries for s in sentences(entry.said) if _SHORTEST <= len(s) <= _LONGEST)
    )
    words = [content_words(sentence) for sentence in every]
    counts = Counter(word for of_one in words for word in of_one)
    total = sum(counts.values()) or 1
    weight = {word: number / total for word, number in counts.items()}
    # A weight only falls, so the front of the heap is the best as soon as its weight is the present one.
    heap = [(-_mean(of_one, weight), n) for n, of_one in enumerate(words) if of_one]
    heapify(heap)
    chosen: list[int] = []
    while heap and room >= _LEAST:
        was, best = heappop(heap)
        now = -_mean(words[best], weight)
        if now > was:
            heappush(heap, (now, best))
            continue
        cost = count(every[best]) + _BULLET
        if cost > room:
            continue
        room -= cost
        chosen.append(best)
        for word in words[best]:
            weight[word] **= 2
    return "\n".join(f"- {every[n]}" for n in sorted(chosen))


def _mean(words: frozenset[str], weight: dict[str, float]) -> float:
    return sum(weight[word] for word in words) / len(words)


def cut_end(text: str, room: int, count: Count) -> str:
    """The end of a text, by lines, within so many tokens."""
    kept: list[str] = []
    for line in reversed(text.splitlines()):
        room -= count(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
