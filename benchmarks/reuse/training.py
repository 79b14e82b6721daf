"""Fits the weights, writes them as the data file, and judges the order that they give. Needs numpy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchmarks.salience.regression import Fit, fit
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.reuse.cases import Case, Example

_PENALTY = 5.0
_COMMENT = "# Learnt by `python -m benchmarks reuse` on whole sessions; what the features are is in worth.py.\n"


def learnt(found: Sequence[Case]) -> dict[str, Fit]:
    """The weights for names and for commands.

    A cut after which much is used again weighs less for each name: by the root, between one weight a name and one a
    cut, since a view is judged by cuts.
    """
    shares = [max(1, case.wanted) ** -0.5 for case in found]
    names = [(example, share) for case, share in zip(found, shares, strict=True) for example in case.names]
    return {
        "name": _fit([example for example, _ in names], [share for _, share in names]),
        "command": _fit([example for case in found for example in case.commands]),
    }


def _fit(examples: Sequence[Example], shares: Sequence[float] | None = None) -> Fit:
    rows = [example.features for example in examples]
    return fit(rows, [example.used_again for example in examples], _PENALTY, shares)


def recall(found: Sequence[Case], weights: Mapping[str, Fit], room: int) -> float:
    """The share of what is used again that a list of so many tokens holds, mean over the cuts."""
    return sum(_held(case, weights, room) for case in found) / len(found)


def _held(case: Case, weights: Mapping[str, Fit], room: int) -> float:
    best: dict[str, tuple[float, bool]] = {}
    for kind, examples in (("name", case.names), ("command", case.commands)):
        for example in examples:
            likely = _likely(weights[kind], example.features)
            if likely > best.get(example.text, (0.0, False))[0]:
                best[example.text] = likely, example.used_again
    held = 0
    for text, (_, again) in sorted(best.items(), key=lambda item: (-item[1][0] / (1 + estimated(item[0])), item[0])):
        cost = 1 + estimated(text)
        if cost <= room:
            room -= cost
            held += again
    return min(1.0, held / case.wanted)


def _likely(weights: Fit, features: Mapping[str, float]) -> float:
    logit = weights.intercept + sum(weights.weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def as_toml(weights: Mapping[str, Fit]) -> str:
    """The data file: a table a kind, its features by name."""
    parts = [_COMMENT]
    for kind, found in weights.items():
        lines = [f"{_key(name)} = {value:.3f}" for name, value in sorted(found.weights.items())]
        parts.append("\n".join([f"\n[{kind}]", f"intercept = {found.intercept:.3f}", *lines, ""]))
    return "".join(parts)


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() else f'"{name}"'
