"""Scores the text that a memory would put into a prompt against what a story wants there. Asks no model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfpm import Memory, Status
from cfpm.recall.block import NOTHING_FITS
from cfpm.recall.tokens import estimated
from cfpm.store.search import content_words

if TYPE_CHECKING:
    from benchmarks.stories.stories import Statement, Story, Wanted

BUDGETS = (600, 1_200)
"""Tokens of a block."""

_MARKED = re.compile(r"; (?=\[)")
MARKS = (
    "[outdated",
    "[maybe outdated]",
    "[claimed",
    "[said in jest",
    "[contradicted",
    "[hypothetical",
    "[hearsay",
    "contradicts fact_",
)
"""What a line carries that says not to take it at its word."""

K1, B = 1.5, 0.75
"""Of BM25, as commonly set."""

Recaller = Callable[[str, int], str]
"""The text for a query and a budget in tokens."""


@dataclass(slots=True)
class Score:
    """Counts over stories: how many were asked, and how many of those came out as they should."""

    asked: Counter[str] = field(default_factory=Counter)
    good: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def count(self, measure: str, good: bool, what: str) -> None:
        """Notes one case of a measure, and its text when it did not come out."""
        self.asked[measure] += 1
        self.good[measure] += good
        if not good:
            self.misses.append(f"{measure}: {what}")

    def share(self, measure: str) -> float:
        """Of those asked, those that came out; 0 where none was asked."""
        return self.good[measure] / self.asked[measure] if self.asked[measure] else 0.0


def memory_of(memory: Memory) -> Recaller:
    """What `Memory.recall` puts into a prompt."""
    return lambda query, budget: memory.recall(query, max_tokens=budget).block


def plain_search(story: Story) -> Recaller:
    """BM25 over the messages, best first, whole, until the budget is full: the simplest memory there is."""
    texts = [f"{message['role']}: {message['content']}" for message in story.messages()]
    documents = [Counter(content_words(text)) for text in texts]
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / max(1, len(lengths))
    holding = Counter(word for document in documents for word in document)

    def score(place: int, words: list[str]) -> float:
        document, length = documents[place], lengths[place]
        return sum(
            math.log(1 + (len(documents) - holding[word] + 0.5) / (holding[word] + 0.5))
            * document[word] * (K1 + 1) / (document[word] + K1 * (1 - B + B * length / mean))
            for word in words
        )  # fmt: skip

    def search(query: str, budget: int) -> str:
        words = list(dict.fromkeys(content_words(query)))
        scores = {place: score(place, words) for place in range(len(texts))}
        chosen: list[str] = []
        for place in sorted(scores, key=lambda place: (-scores[place], place)):
            if scores[place] > 0 and estimated("\n".join([*chosen, texts[place]])) <= budget:
                chosen.append(texts[place])
        return "\n".join(chosen)

    return search


def score_prompts(story: Story, recall: Recaller, score: Score) -> None:
    """Counts what the text for each question and order holds, at each budget."""
    for wanted in story.questions:
        for budget in BUDGETS:
            text = recall(wanted.asked, budget).casefold()
            score.count(f"answered at {budget}", _holds(text, wanted), f"{story.name}: {wanted.asked}")
            if _holds(text, wanted):
                score.count(f"answered, and not called unknown, at {budget}", NOTHING_FITS not in text, wanted.asked)
            unmarked = _unmarked(text, wanted)
            score.count(f"no outdated value unmarked at {budget}", not unmarked, f"{story.name}: {wanted.asked}")
            if wanted.outdated and budget == BUDGETS[0]:
                score.count("right value first", _first(text, wanted), f"{story.name}: {wanted.asked}")
    for wanted in story.orders:
        text = recall(wanted.asked, BUDGETS[0]).casefold()
        score.count("rule beside its order", _holds(text, wanted), f"{story.name}: {wanted.asked}")


def score_facts(story: Story, memory: Memory, score: Score) -> None:
    """Counts what is believed of what should be, and of what should not."""
    facts = [fact.content.casefold() for fact in memory.facts(status=Status.ACTIVE)]
    for one in story.known:
        good = any(word.casefold() in fact for word in one.words for fact in facts)
        score.count("known", good, f"{story.name}: {one.text}")
    for one in story.not_believed:
        score.count("not believed", not _believed(one, facts), f"{story.name}: {one.text}")


def _believed(statement: Statement, facts: list[str]) -> bool:
    return any(all(word.casefold() in fact for word in statement.words) for fact in facts)


def _holds(text: str, wanted: Wanted) -> bool:
    return any(found.casefold() in text for found in wanted.found)


def _unmarked(text: str, wanted: Wanted) -> list[str]:
    # A line that tells the change holds both values. What stands behind it in brackets is marked by itself.
    lines = [line for line in text.splitlines() if not any(found.casefold() in line for found in wanted.found)]
    parts = [part for line in lines for part in _MARKED.split(line) if not any(mark in part for mark in MARKS)]
    return [old for old in wanted.outdated if any(old.casefold() in part for part in parts)]


def _first(text: str, wanted: Wanted) -> bool:
    right = [at for found in wanted.found if (at := text.find(found.casefold())) >= 0]
    old = [at for value in wanted.outdated if (at := text.find(value.casefold())) >= 0]
    return bool(right) and (not old or min(right) <= min(old))
