"""Observes the dialogues of a set, asks every question in every way, and counts the evidence that came back."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import TYPE_CHECKING

from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.retrieval.methods import Method
    from benchmarks.retrieval.sets import Dialogue

CUTS = (5, 10, 20)

DEFINITION = (
    "recall@k: the share of a question's evidence messages among the messages that its k best items come from, "
    "mean over questions; a fact counts as the message it was learnt from. Each dialogue is a memory of its own, "
    "unless it is said that all are in one."
)


@dataclass(slots=True)
class Scores:
    """Recall of every question at the cuts, by kind, and the seconds that each took (one call for the longest cut)."""

    by_kind: dict[str, list[tuple[float, ...]]] = field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = field(default_factory=list)

    def kinds(self) -> dict[str, tuple[float, ...]]:
        """Means by kind, then those of all questions."""
        rows = {kind: self.by_kind[kind] for kind in sorted(self.by_kind)}
        rows["all"] = [row for found in self.by_kind.values() for row in found]
        return {kind: tuple(mean(column) for column in zip(*found, strict=True)) for kind, found in rows.items()}

    def count(self, kind: str) -> int:
        """Questions of a kind, or of all."""
        return sum(map(len, self.by_kind.values())) if kind == "all" else len(self.by_kind[kind])

    def document(self) -> dict[str, object]:
        """For JSON: percentages by kind, and the median time in milliseconds."""
        return {
            "recall": {
                kind: {"questions": self.count(kind)}
                | {f"@{cut}": round(100 * value, 2) for cut, value in zip(CUTS, row, strict=True)}
                for kind, row in self.kinds().items()
            },
            "median_ms": round(1000 * median(self.seconds), 3),
        }


def measure(dialogues: Sequence[Dialogue], methods: Mapping[str, Method]) -> dict[str, Scores]:
    """Scores of every method. The answer for a smaller cut is asked for by itself: what is shown depends on k."""
    found = {name: Scores() for name in methods}
    for dialogue in dialogues:
        with (
            tempfile.TemporaryDirectory(prefix="cfpm-recall-") as folder,
            Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}") as memory,
        ):
            for session, messages in dialogue.sessions.items():
                memory.observe(messages, session=session)
            for name, method in methods.items():
                _ask(memory, dialogue, method, found[name])
    return found


def _ask(memory: Memory, dialogue: Dialogue, method: Method, scores: Scores) -> None:
    for question in dialogue.questions:
        row = []
        for cut in CUTS:
            begun = perf_counter()
            got = method(memory, question.text, cut)
            if cut == CUTS[1]:
                scores.seconds.append(perf_counter() - begun)
            row.append(len(question.evidence.intersection(got)) / len(question.evidence))
        scores.by_kind[question.kind].append(tuple(row))
