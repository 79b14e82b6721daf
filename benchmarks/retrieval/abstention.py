"""Asks each dialogue questions that others answer, and measures whether `Recall.fit` tells them from its own."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cfpm import Memory
from cfpm.recall.weights import margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.retrieval.sets import Dialogue, Question

ASKED = 60
"""Questions of each dialogue that are asked, at most, and as many of others."""

UNANSWERED = frozenset({"adversarial", "abstention"})
"""Kinds of questions that are made to have no answer; their subject is known, so they are counted by themselves."""


def abstaining(dialogues: Sequence[Dialogue]) -> str:
    """The area under the curve, and who is told that nothing fits, as a line."""
    chance = random.Random(3)
    fits: dict[str, list[float]] = {"own": [], "other": [], "adversarial": []}
    for dialogue in dialogues:
        own = _some(chance, list(dialogue.questions))
        foreign = [asked for other in dialogues if other is not dialogue for asked in other.questions]
        with (
            tempfile.TemporaryDirectory(prefix="cfpm-recall-") as folder,
            Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}") as memory,
        ):
            for session, messages in dialogue.sessions.items():
                memory.observe(messages, session=session)
            for asked in own:
                fits["adversarial" if asked.kind in UNANSWERED else "own"].append(_fit(memory, asked))
            fits["other"] += [_fit(memory, asked) for asked in _some(chance, foreign)[: len(own)]]
    return _line({name: np.array(found) for name, found in fits.items()})


def _fit(memory: Memory, asked: Question) -> float:
    found = memory.recall(asked.text)
    return margin(found.fit, found.nearest)


def _some(chance: random.Random, questions: list[Question]) -> list[Question]:
    return chance.sample(questions, min(ASKED, len(questions)))


def _line(fits: dict[str, np.ndarray]) -> str:
    own = fits["own"]
    parts = [f"{100 * float((own < 0).mean()):.1f} % of {len(own)} own questions below the line"]
    for name in ("other", "adversarial"):
        if len(found := fits[name]):
            above = (own[:, None] > found).mean() + 0.5 * (own[:, None] == found).mean()
            parts.append(f"{name}: AUC {above:.3f}, {100 * float((found < 0).mean()):.1f} % of {len(found)} below")
    return "  nothing fits: " + "; ".join(parts)
