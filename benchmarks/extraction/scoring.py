"""How predicted facts are held against gold facts without a judge model: containment, budgets, grounding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.extraction.conversation import Prediction

THRESHOLD = 0.5
"""Share of a gold fact's content tokens that a matching prediction holds. Measured on observations against their own
and other turns of one speaker: 81 % of true and 8 % of false pairs reach it (LoCoMo), 95 % and 9 % (BEAM)."""

GROUNDED = 0.8
"""Share of a prediction's content tokens that its cited messages must hold."""

BUDGETS = (1, 2, 4)

_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_VOWEL = re.compile(r"[aeiouy]")


@dataclass(frozen=True, slots=True)
class Gold:
    """A fact that people (or the generator of a set) hold to be said. `evidence` are message ids, empty if unknown."""

    text: str
    evidence: frozenset[str] = frozenset()
    label: str = ""
    group: str = ""
    """The stretch whose budget it belongs to: a session of LoCoMo, a chat of BEAM."""


@lru_cache(maxsize=200_000)
def tokens(text: str) -> tuple[str, ...]:
    """Lower-case words and single Chinese characters, without stop words, lightly stemmed, with repeats."""
    return tuple(_stem(word) for word in _WORD.findall(text.lower()) if word not in _stop_words())


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(resources.files("benchmarks.extraction").joinpath("stopwords.txt").read_text("utf-8").split())


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    """Takes off plural and then verb endings; nothing else, so that no two different words fall together."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return _without_ending(_without_ending(word, ("es", "s")), ("ing", "ed", "ly")).removesuffix("e")


def _without_ending(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 3 or not _VOWEL.search(stem) or (ending == "s" and word.endswith("ss")):
            continue
        return stem[:-1] if ending in ("ing", "ed") and stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
    return word


def containment(gold: str, predicted: str) -> float:
    """Share of the gold fact's distinct content tokens that stand in the prediction."""
    wanted = set(tokens(gold))
    return len(wanted & set(tokens(predicted))) / len(wanted) if wanted else 0.0


def likeness(gold: str, predicted: str) -> float:
    """Containment, or 0 where the prediction is so long that it holds the gold fact by chance."""
    wanted, given = tokens(gold), tokens(predicted)
    if not wanted or not given or len(given) > 4 * len(wanted) + 12:
        return 0.0
    share = containment(gold, predicted)
    if share < THRESHOLD:
        return 0.0
    precision = len(set(wanted) & set(given)) / len(set(given))
    return share + 2 * share * precision / (share + precision) / 10


def matches(
    gold: Sequence[Gold], predicted: Sequence[Prediction], near: Mapping[str, Collection[str]] | None = None
) -> dict[int, int]:
    """One-to-one pairs, gold index to prediction index, greedily from the most alike.

    Where a gold fact has evidence, a prediction must cite it, or a message in `near` of it (question and answer).
    """
    by_source: dict[str, list[int]] = {}
    for position, item in enumerate(predicted):
        for source in item.sources:
            by_source.setdefault(source, []).append(position)
    pairs: list[tuple[float, int, int]] = []
    for index, fact in enumerate(gold):
        if fact.evidence:
            wanted = {m for source in fact.evidence for m in (source, *(near or {}).get(source, ()))}
            among: Collection[int] = {position for source in wanted for position in by_source.get(source, ())}
        else:
            among = range(len(predicted))
        alike = ((likeness(fact.text, predicted[position].text), position) for position in among)
        pairs.extend((-score, index, position) for score, position in alike if score)
    taken_gold: dict[int, int] = {}
    taken_predictions: set[int] = set()
    for _, index, position in sorted(pairs):
        if index not in taken_gold and position not in taken_predictions:
            taken_gold[index] = position
            taken_predictions.add(position)
    return taken_gold


def within_budget(predicted: Sequence[Prediction], budget: float) -> list[Prediction]:
    """The best-ranked predictions whose content tokens together stay within the budget; the first too long one ends
    it."""
    kept, spent = [], 0
    for item in sorted(predicted, key=lambda item: -item.score):
        spent += len(tokens(item.text))
        if spent > budget:
            break
        kept.append(item)
    return kept


def grounding(predicted: Sequence[Prediction], texts: Mapping[str, str]) -> list[bool]:
    """For each prediction, whether its content tokens stand in the messages that it cites."""
    found = []
    for item in predicted:
        wanted = Counter(tokens(item.text))
        cited = {token for source in item.sources for token in tokens(texts.get(source, ""))}
        inside = sum(count for token, count in wanted.items() if token in cited)
        found.append(not wanted or inside >= GROUNDED * wanted.total())
    return found
