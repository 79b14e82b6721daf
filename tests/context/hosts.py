"""A host without a model: what it says, and how it compacts. For tests of driving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cfpm.context.history import Raw, read_history
from cfpm.context.machine import step
from cfpm.context.rules import Rules, Size
from cfpm.context.states import (
    BeforeReply,
    Compact,
    Compacted,
    Compacting,
    Overflowed,
    Ready,
    Reason,
    Record,
    State,
    Step,
    TurnEnded,
)
from cfpm.context.strategies.division import back, front
from cfpm.context.strategies.types import Compaction, Limits, Outcome, ProposedView, Request
from cfpm.context.views import apply
from cfpm.model.markers import CHECKPOINT_CLOSE, CHECKPOINT_OPEN
from cfpm.recall.tokens import estimated
from cfpm.settings import Settings

WINDOW = 10_000
HELLO = "hello"


def reason(action: object) -> Reason | None:
    """Why a compaction is asked for, if one is."""
    return action.reason if isinstance(action, Compact) else None


def rules(strategy: str = "cfpm", **settings: Any) -> Rules:
    return Rules(Settings(**{"context_limit": WINDOW, **settings}), strategy)


def said(words: int, turns: int = 10) -> list[dict[str, object]]:
    """A conversation of so many turns, each of two messages with so many words."""
    return [
        {"role": role, "content": f"{role} {turn} " + "lorem " * words}
        for turn in range(turns)
        for role in ("user", "assistant")
    ]


def result(before: int, after: int, outcome: Outcome = Outcome.COMPACTED, problem: str = "") -> Compaction:
    """What became of a compaction, as far as the state machine looks at it."""
    return Compaction("cfpm", outcome, (), (), before, after, problem=problem)


def tell(given: Rules, state: State, *events: BeforeReply | Overflowed | Compacted | TurnEnded) -> Step:
    """The last of several steps."""
    for event in events:
        done = step(given, state, event)
        state = done.state
    return done


def compacted(given: Rules, before: int, after: int, outcome: Outcome = Outcome.COMPACTED) -> Ready:
    """A session in which the user has just had one compaction."""
    state = tell(given, Ready(), BeforeReply("/compact", Size(before)), Compacted(result(before, after, outcome))).state
    assert isinstance(state, Ready)
    return state


@dataclass
class Compactions:
    """Drops the middle for a note, and remembers with which limits it was asked. A note is as long as `note` says."""

    note: int = 20
    asked: list[Limits] = field(default_factory=list)

    def __call__(self, messages: Sequence[Raw], limits: Limits) -> Compaction:
        self.asked.append(limits)
        return apply("window", self._draft, Request(read_history(messages, estimated), limits))

    def _draft(self, request: Request) -> ProposedView | None:
        history, limits = request.history, request.limits
        room = max(0, limits.max_tokens - self.note - 40)
        first = front(history, limits, room // 4)
        last = back(history, limits, room - room // 4, first)
        text = f"{CHECKPOINT_OPEN}\n" + "note " * self.note + f"\n{CHECKPOINT_CLOSE}"
        return ProposedView(first, ({"role": "user", "content": text},), last, checkpoint=text)


def record(state: State) -> Record:
    assert not isinstance(state, Compacting)
    return state.record


def without_grace(state: Ready) -> Ready:
    return Ready(replace(state.record, grace=False))
