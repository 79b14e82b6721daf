"""How much each signal counts: learnt weights from `weights.toml`, which `python -m benchmarks ranking` writes, and

plain ones beside them, for what they were not learnt from. Weighs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.tables import toml_table
from cfpm.recall.question import Shape

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from cfpm.recall.question import Question

PLAIN = {"words": 1.0, "near": 0.4, "meaning": 0.4}
"""Words, and half as much what is near in meaning. By hand: on `benchmarks queries`, half or twice as much for any of
them changes a query in twenty at most."""

PLAIN_SHARE = {"agent": 0.05, "chat": 0.0}
"""What the plain weights count beside the learnt ones. Measured: 0.1 costs long dialogues a point, and in chats of
people 0.05 costs half a point of what asks as they were asked."""

UNLEARNT_SHARE = 0.2
"""The same for what the weights were hardly learnt from: Chinese, and orders and key words about chats of people."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each signal, by name; one that is not named counts nothing. `total` is the greatest score."""

    by_name: Mapping[str, float]

    @property
    def total(self) -> float:
        """What a message would have for which everything speaks and nothing against."""
        return sum(weight for weight in self.by_name.values() if weight > 0) or 1.0

    def without(self, names: Collection[str]) -> Weights:
        """The same with some signals left out, to measure what they are worth."""
        return Weights({name: weight for name, weight in self.by_name.items() if name not in names})

    def beside(self, other: Weights, share: float) -> Weights:
        """These, of which the greatest score is 1, and so much of the others."""
        parts = ((1.0, self), (share, other))
        names = [*self.by_name, *(name for name in other.by_name if name not in self.by_name)]
        return Weights({n: sum(part * of.by_name.get(n, 0.0) / of.total for part, of in parts) for n in names})


@cache
def load_weights() -> dict[str, Weights]:
    """Those for `chat` (people with names among themselves) and for `agent` (a user and an assistant), and `plain` ones
    for queries that are no question, such as the end of a chat."""
    return {name: Weights(table) for name, table in toml_table("cfpm.recall", "weights").items()} | {
        "plain": Weights(PLAIN)
    }


def fitting(weights: Mapping[str, Weights], question: Question, *, chat: bool) -> Weights:
    """The weights for a query of this shape: nothing was learnt from the ends of chats, so plain ones are for them."""
    if question.shape is Shape.CHAT:
        return weights["plain"]
    name = "chat" if chat else "agent"
    learnt = not question.cjk and not (chat and question.shape is Shape.TEXT)
    return weights[name].beside(weights["plain"], PLAIN_SHARE[name] if learnt else UNLEARNT_SHARE)


@cache
def load_threshold() -> float:
    """The share of a query below which what was found does not answer it, from `answerability.toml`."""
    return float(toml_table("cfpm.recall", "answerability")["threshold"])


def margin(fit: float, nearest: float | None) -> float:
    """How far what was found is above the line from which it answers a query: by the share of the query that it holds,
    and by the cosine of its nearest sentence, where sentences have vectors."""
    table = toml_table("cfpm.recall", "answerability")
    if nearest is None:
        return fit - load_threshold()
    return fit + float(table["of_nearest"]) * nearest - float(table["line"])
