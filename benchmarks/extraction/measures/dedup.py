"""Sentence pairs that people have labelled: the pruner must merge what says the same, never what says the opposite.

Measures this package alone, whatever extractor is scored: it is the pruner that merges.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.dedup.__main__ import Score, score
from benchmarks.dedup.pairs import Pair, sets
from benchmarks.extraction.conversation import Extractor
from benchmarks.extraction.measures.agent_logs import shown
from benchmarks.extraction.result import Example, Result, Row
from cfpm.pruner.relation.sameness import same
from cfpm.settings import Settings

GOAL_SET = "SICK"
"""The only set that labels contradictions; the others only say how alike two sentences are."""

MAX_EXAMPLES = 40


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Rows for every set that is there; goals for the one that labels contradictions."""
    del extractor
    found = sets(data)
    if not found:
        return None
    threshold = Settings().fuzzy_threshold
    rows = [row for name, pairs in found.items() for row in _rows(name, score(pairs, threshold))]
    examples = [
        example for name, pairs in found.items() if name == GOAL_SET for example in _examples(name, pairs, threshold)
    ]
    return Result(tuple(rows), tuple(examples[:MAX_EXAMPLES]))


def _rows(name: str, result: Score) -> list[Row]:
    goal = name == GOAL_SET
    title = f"{name} (cfpm)"
    rows = [
        Row(title, "true duplicates merged", result.duplicate_recall, result.duplicates, 0.4 if goal else None),
        Row(title, "merged pairs that are duplicates", result.merged_precision, result.merged),
    ]
    if result.contradictions:
        merged = result.merged_contradictions
        rows.append(Row(title, "contradictions merged", merged, result.contradictions, 0.01, at_least=False))
    return rows


def _examples(name: str, pairs: list[Pair], threshold: float) -> list[Example]:
    """Contradictions that are merged first, then duplicates that are not."""
    wrong, missed = [], []
    for pair in pairs:
        if pair.contradiction or pair.duplicate:
            verdict = same(pair.first, pair.second, threshold=threshold)
            text = shown((pair.first, pair.second))
            if pair.contradiction and verdict.same:
                wrong.append(Example(name, "junk", text, "a contradiction, merged"))
            elif pair.duplicate and not verdict.same:
                missed.append(Example(name, "miss", text, "says the same, not merged"))
    return [*wrong, *missed]
