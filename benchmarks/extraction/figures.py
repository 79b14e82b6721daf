"""The rows that every set with gold facts has: budgeted recall, precision, grounding, cost. Reads no set."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.extraction.misses import causes
from benchmarks.extraction.result import Row
from benchmarks.extraction.scoring import BUDGETS, grounding, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.extraction.labelled import Answer

GROUNDING_GOAL = 1.0


def rows(name: str, answers: Sequence[Answer], goals: Mapping[int, float]) -> Iterator[Row]:
    """The rows of a set; `goals` are the goals of budgeted recall, by budget."""
    gold = sum(len(answer.labelled.gold) for answer in answers)
    for budget in BUDGETS:
        reached = sum(len(answer.within[budget]) for answer in answers)
        yield Row(name, f"BGR@{budget}", share(reached, gold), gold, goals.get(budget))
    judged = sum(len(answer.judged) for answer in answers)
    right = sum(len(answer.found) for answer in answers)
    precision, recall = share(right, judged), share(right, gold)
    yield Row(name, "precision", precision, judged)
    yield Row(name, "recall", recall, gold)
    yield Row(name, "F1", 2 * right / (judged + gold) if judged + gold else None, gold)
    grounded = [held for answer in answers for held in grounding(answer.predicted, answer.labelled.texts())]
    yield Row(name, "grounding", share(sum(grounded), len(grounded)), len(grounded), GROUNDING_GOAL)
    yield Row(name, "facts per gold fact", share(len(grounded), gold), gold)
    yield _cost(name, answers)
    for cause, count in causes(answers).items():
        yield Row(name, f"missed: {cause}", share(count, gold), gold)


def _cost(name: str, answers: Sequence[Answer]) -> Row:
    seen = sum(len(tokens(text)) for answer in answers for text in answer.labelled.texts().values())
    stored = sum(len(tokens(prediction.text)) for answer in answers for prediction in answer.predicted)
    return Row(name, "tokens stored per token seen", share(stored, seen), seen)


def label_rows(name: str, answers: Sequence[Answer], kind: Callable[[str], str]) -> Iterator[Row]:
    """Recall by kind of gold fact, without a budget and within one of 1; `kind` names the kind of a label."""
    all_of: Counter[str] = Counter()
    found: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for answer in answers:
        for index, fact in enumerate(answer.labelled.gold):
            name_of_kind = kind(fact.label)
            all_of[name_of_kind] += 1
            found[name_of_kind] += index in answer.found
            within[name_of_kind] += index in answer.within[1]
    for label, count in sorted(all_of.items()):
        yield Row(name, f"recall, {label}", share(found[label], count), count)
        yield Row(name, f"BGR@1, {label}", share(within[label], count), count)


def category_rows(name: str, answers: Sequence[Answer]) -> Iterator[Row]:
    """Precision by the category that the extractor gave; nothing for an extractor without categories."""
    all_of: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for answer in answers:
        matched = set(answer.found.values())
        for position in answer.judged:
            category = answer.predicted[position].category
            all_of[category] += 1
            right[category] += position in matched
    for category, count in sorted(all_of.items()):
        if category:
            yield Row(name, f"precision, {category}", share(right[category], count), count)


def share(part: int, whole: int) -> float | None:
    """None where there is nothing to be a share of."""
    return part / whole if whole else None
