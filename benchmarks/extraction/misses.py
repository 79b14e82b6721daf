"""Which gold facts were missed and why, and which predictions match nothing: the texts to improve on. No figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.extraction.result import Example
from benchmarks.extraction.scoring import THRESHOLD, containment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.extraction.labelled import Answer
    from benchmarks.extraction.scoring import Gold

NOTHING_KEPT = "nothing kept of its source"
TOO_FEW_WORDS = "too few of its words kept"
TAKEN = "kept, but too long or taken by another gold fact"
CAUSES = (NOTHING_KEPT, TOO_FEW_WORDS, TAKEN)


def causes(answers: Sequence[Answer]) -> dict[str, int]:
    """How many gold facts were missed for each of the `CAUSES`."""
    counts = dict.fromkeys(CAUSES, 0)
    for answer in answers:
        for fact in _missed(answer):
            counts[_cause(_nearest(fact, answer))] += 1
    return counts


def examples(name: str, answers: Sequence[Answer]) -> tuple[Example, ...]:
    """The misses, nearest first; those of which nothing was kept, literal ones first; the junk, best-ranked first."""
    near: list[tuple[float, Example]] = []
    nothing: list[tuple[float, Example]] = []
    junk: list[tuple[float, Example]] = []
    for answer in answers:
        texts = answer.labelled.texts()
        for fact in _missed(answer):
            source = _place(answer, sorted(fact.evidence))
            if (best := _nearest(fact, answer)) is None:
                heard = " / ".join(texts.get(message_id, "") for message_id in sorted(fact.evidence))
                example = Example(name, NOTHING_KEPT, fact.text, f"said: {heard}", source)
                nothing.append((containment(fact.text, heard), example))
                continue
            alike, text = best
            near.append((alike, Example(name, "miss", fact.text, f"{alike:.2f} of it in: {text}", source)))
        junk += _junk(name, answer)
    ranked = [*_best_first(near), *_best_first(nothing), *_best_first(junk)]
    return tuple(ranked)


def _best_first(found: list[tuple[float, Example]]) -> list[Example]:
    return [example for _, example in sorted(found, key=lambda pair: -pair[0])]


def _missed(answer: Answer) -> list[Gold]:
    return [fact for index, fact in enumerate(answer.labelled.gold) if index not in answer.found]


def _nearest(fact: Gold, answer: Answer) -> tuple[float, str] | None:
    """The prediction from the fact's evidence that holds most of its words; None when nothing cites it."""
    near = answer.labelled.near
    cited = {source for evidence in fact.evidence for source in (evidence, *near.get(evidence, ()))}
    among = [p.text for p in answer.predicted if not fact.evidence or not cited.isdisjoint(p.sources)]
    if not among:
        return None
    alike, position = max((containment(fact.text, text), -position) for position, text in enumerate(among))
    return alike, among[-position]


def _cause(nearest: tuple[float, str] | None) -> str:
    if nearest is None:
        return NOTHING_KEPT
    return TOO_FEW_WORDS if nearest[0] < THRESHOLD else TAKEN


def _junk(name: str, answer: Answer) -> list[tuple[float, Example]]:
    matched = set(answer.found.values())
    found = []
    for position in answer.judged:
        prediction = answer.predicted[position]
        if position in matched:
            continue
        about = f"{prediction.category or 'no category'}, score {prediction.score:.3g}"
        source = _place(answer, prediction.sources)
        found.append((prediction.score, Example(name, "junk", prediction.text, about, source)))
    return found


def _place(answer: Answer, sources: Sequence[str]) -> str:
    return f"{answer.labelled.conversation.session} {', '.join(sources)}".strip()
