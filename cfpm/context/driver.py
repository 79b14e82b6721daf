"""Runs the state machine of `cfpm.context.driving` over a host's log, with the host's way to compact. Calls no model
itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cfpm.context.boundaries import Boundary, boundary
from cfpm.context.budgets import BudgetWarning
from cfpm.context.compaction.types import Compaction, Limits
from cfpm.context.driving import step
from cfpm.context.history import Raw
from cfpm.context.sizing import Rules, Size, measure
from cfpm.context.states import (
    BeforeReply,
    Compact,
    Compacted,
    EndTurn,
    Event,
    Milestone,
    Overflowed,
    Proceed,
    Ready,
    State,
    Stop,
    TurnEnded,
)
from cfpm.context.visibility import for_agent
from cfpm.model.clock import Clock
from cfpm.recall.tokens import Count, estimated

Compactor = Callable[[Sequence[Raw], Limits], Compaction]
"""Makes a log short: a strategy with all that it needs. What it raises goes to the host; nothing has changed then."""

MilestoneTest = Callable[[Sequence[Raw]], str]
"""Looks at the log after a turn and names the milestone that was reached, or gives an empty text."""

_COUNTED = 8_192
"""Texts whose tokens are remembered: more than a view has, so that an event costs what is new in it."""


@dataclass(frozen=True, slots=True)
class Driven:
    """What became of an event.

    `log` is everything, `view` what the model is to see. There is a boundary for each compaction that ran, and two
    notices for each that followed a context-length error; these and the message of a Stop are for the user.
    """

    action: Proceed | EndTurn | Stop
    log: tuple[Raw, ...]
    view: tuple[Raw, ...]
    boundaries: tuple[Boundary, ...] = ()
    notices: tuple[str, ...] = ()
    warning: BudgetWarning | None = None


class Driver:
    """Decides for one session when its log is compacted, and has it done.

    The host calls `before_reply` once for each message of the user, `recover` after each context-length error, and
    `after_turn` after each answer; it sends `Driven.view` and keeps `Driven.log`. `overhead` is the tokens of what it
    sends besides the log (a system prompt of its own, the tools' schemas), `limit` the model's window if it is not the
    settings'. `state` may be stored and given back.
    """

    def __init__(
        self,
        rules: Rules,
        compactor: Compactor,
        *,
        count: Count = estimated,
        overhead: int = 0,
        limit: int | None = None,
        clock: Clock | None = None,
        milestone: MilestoneTest | None = None,
        state: State | None = None,
    ) -> None:
        self.rules = rules
        self.state: State = state or Ready()
        self.limit = limit
        self._compactor = compactor
        self._count = lru_cache(_COUNTED)(count)
        self._overhead = overhead
        self._clock = clock
        self._milestone = milestone

    def before_reply(self, log: Sequence[Raw], text: str, *, reported: int | None = None) -> Driven:
        """Compacts when the user asks for it or the threshold is passed. `text` is the user's message, `reported` the
        session's total of tokens if the provider tells it.

        After a command of the user the action is EndTurn: the model is not asked, and the command does not belong into
        the log.
        """
        return self._drive(BeforeReply(text, self._size(log, reported)), log)

    def recover(self, log: Sequence[Raw], *, limit: int | None = None) -> Driven:
        """Makes the view smaller after a context-length error. `limit` is the window that the error names, if it does.

        The action is Proceed when the smaller view should be sent, Stop with a message when nothing helps any more.
        """
        self.limit = limit or self.limit
        return self._drive(Overflowed(self._size(log)), log)

    def after_turn(self, log: Sequence[Raw], *, agent: str = "", input_tokens: int | None = None) -> Driven:
        """Counts a turn, asks the host's test for a milestone, warns, and compacts when a trigger says so."""
        milestone = self._milestone(log) if self._milestone else ""
        return self._drive(TurnEnded(agent, input_tokens, self._size(log), milestone), log)

    def milestone(self, log: Sequence[Raw], name: str) -> Driven:
        """Compacts because a piece of work is done, unless that was just done or no longer pays."""
        return self._drive(Milestone(name, self._size(log)), log)

    def _size(self, log: Sequence[Raw], reported: int | None = None) -> Size:
        return measure(log, self._count, overhead=self._overhead, reported=reported, limit=self.limit)

    def _drive(self, event: Event, log: Sequence[Raw]) -> Driven:
        boundaries: list[Boundary] = []
        notices: list[str] = []
        warning: BudgetWarning | None = None
        state = self.state
        while True:
            done = step(self.rules, state, event)
            state, warning = done.state, warning or done.warning
            match done.action:
                case Compact(reason, limits, told):
                    compaction = self._compactor(log, limits)
                    boundaries.append(boundary(log, compaction, reason, self._clock))
                    notices += told
                    log = compaction.log if compaction.changed else log
                    event = Compacted(compaction)
                case Proceed() | EndTurn() | Stop() as action:
                    self.state = state
                    return Driven(action, tuple(log), for_agent(log), tuple(boundaries), tuple(notices), warning)
