"""A conversation with the facts that people marked in it, and an extractor's answer held against them.

Knows no set and prints nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.extraction.scoring import BUDGETS, Gold, matches, tokens, within_budget

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from benchmarks.extraction.conversation import Conversation, Extractor, Prediction
    from cfpm import Message


@dataclass(frozen=True, slots=True)
class Labelled:
    """`group` is the stretch that each message belongs to, by message id; empty when the whole is one stretch.

    `near` holds the messages that may stand for a message as evidence: the question to an answer, and the reverse.
    """

    conversation: Conversation
    gold: tuple[Gold, ...]
    group: Mapping[str, str] = field(default_factory=dict)
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def texts(self) -> dict[str, str]:
        """What was said, by message id."""
        return {message.id: said(message) for message in self.conversation.messages}

    def group_of(self, prediction: Prediction) -> str | None:
        """The stretch of its first source; None for one without sources where there are several stretches."""
        if not self.group:
            return ""
        return self.group.get(prediction.sources[0]) if prediction.sources else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an extractor answered for one conversation. Numbers are positions in `gold` and in `predicted`.

    `judged` are the predictions of stretches in which people marked facts, and those that belong to no stretch.
    """

    labelled: Labelled
    predicted: tuple[Prediction, ...]
    judged: tuple[int, ...]
    found: Mapping[int, int]
    within: Mapping[int, frozenset[int]]
    """For each budget the gold facts that are found within it."""


def said(message: Message) -> str:
    """The words of a message with its speaker, by name or else by role, and what its tool calls ask for."""
    asked = [f"{call.name} {' '.join(_leaves(call.arguments))}" for call in message.tool_calls]
    text = "\n".join(part for part in (message.text, *asked) if part)
    return f"{message.name or message.role.value}: {text}"


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for child in value.values():
            yield from _leaves(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _leaves(child)
    elif value is not None:
        yield str(value)


def answer(labelled: Labelled, extractor: Extractor) -> Answer:
    """Runs the extractor and matches what it answers, each stretch by itself and with its own budget."""
    predicted = tuple(extractor(labelled.conversation))
    golds: dict[str, list[int]] = {}
    for index, fact in enumerate(labelled.gold):
        golds.setdefault(fact.group, []).append(index)
    owned: dict[str | None, list[int]] = {}
    for position, prediction in enumerate(predicted):
        owned.setdefault(labelled.group_of(prediction), []).append(position)
    found: dict[int, int] = {}
    within: dict[int, set[int]] = {budget: set() for budget in BUDGETS}
    for group, indexes in golds.items():
        facts = [labelled.gold[index] for index in indexes]
        positions = owned.get(group, [])
        among = [predicted[position] for position in positions]
        found |= {indexes[g]: positions[p] for g, p in matches(facts, among, labelled.near).items()}
        for budget, reached in within.items():
            reached |= {indexes[g] for g in _reached(facts, among, labelled.near, budget)}
    judged = sorted(p for group, positions in owned.items() if group is None or group in golds for p in positions)
    return Answer(labelled, predicted, tuple(judged), found, {b: frozenset(got) for b, got in within.items()})


def _reached(
    gold: Sequence[Gold], predicted: Sequence[Prediction], near: Mapping[str, Collection[str]], budget: int
) -> dict[int, int]:
    allowed = budget * sum(len(tokens(fact.text)) for fact in gold)
    return matches(gold, within_budget(predicted, allowed), near)
