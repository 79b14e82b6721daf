"""Fits weights so that messages with evidence stand above all others: a softmax over the messages of each question."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from benchmarks.ranking.examples import Example

OTHERS = 160
"""Messages without evidence that a question is held against: those for which most speaks."""

STEPS = 150
RATE = 0.15
SHRINK = 2e-3
"""How strongly weights are drawn to nothing."""

CUTS = (5, 10, 20)


def fit(examples: Sequence[Example], say: float = 0.0, worth: Mapping[str, float] | None = None) -> NDArray[np.float32]:
    """A weight for each signal. Deterministic: full batches, from nothing on, by Adam.

    `say` is the power of the number of its evidence messages with which a question counts: with 0 all questions count
    the same, with 1 all messages with evidence do. `worth` is what a question of a kind counts, above 0; 1 if it is not
    named.
    """
    answered = [example for example in examples if len(example.evidence)]
    signals, held, present = _packed(answered)
    questions, messages, width = signals.shape
    flat = signals.reshape(-1, width)
    counts = np.array([[(worth or {}).get(example.kind, 1.0)] for example in answered])
    sharing = held.sum(axis=1, keepdims=True) ** (1 - say) / counts * counts.sum()
    weights = np.zeros(width, dtype=np.float32)
    mean, square = np.zeros(width), np.zeros(width)
    for step in range(1, STEPS + 1):
        scores = np.where(present, (flat @ weights).reshape(questions, messages), -np.inf)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        # Each message with evidence stands alone against those without: they do not compete with each other.
        mine = np.where(held, shares, 0)
        against = shares.sum(axis=1, keepdims=True) - mine.sum(axis=1, keepdims=True)
        inverse = np.where(held, 1 / np.maximum(against + mine, 1e-12), 0)
        pull = np.where(held, mine * inverse - 1, shares * inverse.sum(axis=1, keepdims=True)) / sharing
        gradient = pull.reshape(-1).astype(np.float32) @ flat + SHRINK * weights
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient * gradient
        rate = RATE if step < 2 * STEPS // 3 else 0.3 * RATE
        weights -= (rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)).astype(np.float32)
    return weights


def _packed(examples: Sequence[Example]) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]:
    chosen = []
    for example in examples:
        support = example.signals.sum(axis=1)
        support[example.evidence] = np.inf
        chosen.append(np.argsort(-support, kind="stable")[: OTHERS + len(example.evidence)])
    shape = (len(examples), max(map(len, chosen)))
    signals = np.zeros((*shape, examples[0].signals.shape[1]), dtype=np.float32)
    held, present = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for number, (example, rows) in enumerate(zip(examples, chosen, strict=True)):
        signals[number, : len(rows)] = example.signals[rows]
        present[number, : len(rows)] = True
        held[number, : len(example.evidence)] = True
    return signals, held, present


def kept_apart(
    examples: Sequence[Example], say: float = 0.0, worth: Mapping[str, float] | None = None, folds: int = 7
) -> dict[str, list[tuple[float, ...]]]:
    """Recall at the cuts of every question, by kind, with weights learnt from other conversations only."""
    groups = sorted({example.group for example in examples})
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for fold in range(min(folds, len(groups))):
        apart = set(groups[fold::folds])
        weights = fit([example for example in examples if example.group not in apart], say, worth)
        for example in examples:
            if example.group in apart:
                found[example.kind].append(recalled(example, weights))
    return found


def recalled(example: Example, weights: NDArray[np.float32]) -> tuple[float, ...]:
    """The share of evidence among the best messages, for each cut."""
    order = np.argsort(-(example.signals @ weights), kind="stable")
    return tuple(float(np.isin(example.evidence, order[:cut]).sum()) / example.wanted for cut in CUTS)


def table(found: Mapping[str, Sequence[tuple[float, ...]]]) -> str:
    """A line for each kind and one for all."""
    rows = {**{kind: found[kind] for kind in sorted(found)}, "all": [row for rows in found.values() for row in rows]}
    lines = [f"  {'':<26}{'n':>6}" + "".join(f"{f'@{cut}':>8}" for cut in CUTS)]
    for kind, row in rows.items():
        means = np.mean(row, axis=0)
        lines.append(f"  {kind:<26}{len(row):>6}" + "".join(f"{100 * mean:>8.1f}" for mean in means))
    return "\n".join(lines)
