"""Runs the state machine of `cfpm.context.machine` over a host's log, with the host's way to compact, and tells what
each compaction did. Calls no model itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache

from cfpm.context.chart import Snapshot
from cfpm.context.history import Raw, answers_in
from cfpm.context.machine import step
from cfpm.context.rules import Rules, Size, measure
from cfpm.context.states import (
    Asked,
    BeforeReply,
    BudgetWarning,
    Compact,
    Compacted,
    EndTurn,
    Event,
    Overflowed,
    Proceed,
    Ready,
    Reason,
    State,
    Stop,
    TurnEnded,
)
from cfpm.context.strategies.types import Compaction, Limits, Outcome, Spend
from cfpm.context.views import differences, shown
from cfpm.errors import UsageError
from cfpm.model.clock import Clock, to_text
from cfpm.model.ids import digest
from cfpm.recall.tokens import Count, estimated
from cfpm.transcript.fields import loose_moment
from cfpm.transcript.sdk_objects import plain_messages


@dataclass(frozen=True, slots=True)
class Boundary:
    """One compaction, for the log.

    `first` and `last` are the positions, in the list that was compacted, of the first and the last message that left
    the model's view; None when none did. Tokens are without system messages. `digest` names the checkpoint's text,
    empty without one. `at` is UTC.
    """

    reason: Reason
    strategy: str
    outcome: Outcome
    compacted: int
    first: int | None
    last: int | None
    before_tokens: int
    after_tokens: int
    digest: str
    problem: str
    at: datetime | None
    spent: Spend
    """What the summariser took."""
    name: str = ""
    """Of a milestone."""

    def to_json(self) -> dict[str, object]:
        """A JSON object with these names; the time as text."""
        return {"event": "compaction", **asdict(self), "at": to_text(self.at)}


def boundary(
    messages: Sequence[Raw], compaction: Compaction, reason: Reason, clock: Clock | None = None, name: str = ""
) -> Boundary:
    """The boundary of a compaction of these messages.

    Its time is the clock's, or without one that of the last message that has a time.
    """
    gone = differences(messages, compaction.log)[0] if compaction.changed else []
    return Boundary(
        reason,
        compaction.strategy,
        compaction.outcome,
        len(gone),
        gone[0] if gone else None,
        gone[-1] if gone else None,
        compaction.before_tokens,
        compaction.after_tokens,
        digest(compaction.checkpoint) if compaction.checkpoint else "",
        compaction.problem,
        clock() if clock else last_time(messages),
        compaction.spent,
        name,
    )


def last_time(messages: Sequence[Raw]) -> datetime | None:
    """The time of the last message that has one."""
    times = (loose_moment(raw.get("created_at", raw.get("timestamp"))) for raw in reversed(messages))
    return next((time for time in times if time is not None), None)


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
    notices for each that made the view smaller after a context-length error; these and the message of a Stop are for
    the user.
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
    settings'. `state` may be stored (`to_json`) and given back; without one, a log that is there already is one that is
    taken up again. `snapshots` are what each turn took, for the chart. Messages that are objects of a library come back
    as dicts.
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
        if inspect.iscoroutinefunction(compactor):
            raise UsageError("compactor", "it is async", "Use AsyncMemory.driver, or pass one that is not")
        self.rules = rules
        self.state: State = state or Ready()
        self.limit = limit
        self.snapshots: list[Snapshot] = []
        self._fresh = state is None
        self._compacted = False
        self._compactor = compactor
        self._count = lru_cache(_COUNTED)(count)
        self._overhead = overhead
        self._clock = clock
        self._milestone = milestone

    def before_reply(self, log: Sequence[object], text: str, *, reported: int | None = None) -> Driven:
        """Compacts when the user asks for it or the threshold is passed. `text` is the user's message, `reported` the
        session's total of tokens if the provider tells it.

        After a command of the user the action is EndTurn: the model is not asked, and the command does not belong into
        the log.
        """
        known = plain_messages(log)
        # Without a state nobody knows how many turns there were, but the log.
        turns = answers_in(known) if self._fresh else 0
        self._fresh = False
        return self._drive(BeforeReply(text, self._size(known, reported), turns), known)

    def recover(self, log: Sequence[object], *, limit: int | None = None) -> Driven:
        """Makes the view smaller after a context-length error. `limit` is the window that the error names, if it does.

        The action is Proceed when the smaller view should be sent, Stop with a message when nothing helps any more.
        """
        self.limit = limit or self.limit
        known = plain_messages(log)
        return self._drive(Overflowed(self._size(known)), known)

    def after_turn(
        self,
        log: Sequence[object],
        *,
        agent: str = "",
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> Driven:
        """Counts a turn, asks the host's test for a milestone, warns, and compacts when a trigger says so.

        The tokens are what the provider tells; without them the size of the view stands in the snapshot.
        """
        known = plain_messages(log)
        size = self._size(known)
        milestone = self._milestone(known) if self._milestone else ""
        turn = self.snapshots[-1].turn + 1 if self.snapshots else 1
        took = size.total if input_tokens is None else input_tokens
        self.snapshots.append(Snapshot(turn, agent, took, self._compacted, output_tokens or 0))
        self._compacted = False
        return self._drive(TurnEnded(agent, input_tokens, size, milestone, output_tokens), known)

    def milestone(self, log: Sequence[object], name: str = "") -> Driven:
        """Compacts because a piece of work is done, `name`, unless that was just done or no longer pays."""
        return self.request(log, Reason.MILESTONE, name=name)

    def request(
        self, log: Sequence[object], reason: Reason = Reason.AGENT, *, name: str = "", focus: str = ""
    ) -> Driven:
        """Compacts because the agent asked for it, or because of what happens next: a pause, a handoff, the execution
        of a plan. Not when it was just done or no longer pays. `name` is for the log, `focus` what is to be kept in
        view.

        Raises UsageError for a reason that the driver finds by itself.
        """
        if not reason.forced:
            raise UsageError("reason", f"{reason.value} is found by the driver itself", "Use PAUSE, HANDOFF, AGENT ...")
        known = plain_messages(log)
        return self._drive(Asked(reason, self._size(known), name, focus), known)

    def is_over(self, log: Sequence[object]) -> bool:
        """Whether the next reply would be preceded by a compaction because of the size of the log."""
        return self.rules.is_over(self._size(plain_messages(log)))

    def fits(self, log: Sequence[object]) -> bool:
        """Whether a log is as small as a compaction would make it."""
        size = self._size(plain_messages(log))
        return size.view <= self.rules.budget(size)

    def tokens(self, log: Sequence[object]) -> int:
        """What the model is sent of a log, with the overhead."""
        return self._size(plain_messages(log)).total

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
                case Compact(reason, limits, told, name):
                    compaction = self._compactor(log, limits)
                    boundaries.append(boundary(log, compaction, reason, self._clock, name))
                    if compaction.changed:
                        notices += told
                        log, self._compacted = compaction.log, True
                    event = Compacted(compaction)
                case Proceed() | EndTurn() | Stop() as action:
                    self.state = state
                    return Driven(action, tuple(log), shown(log), tuple(boundaries), tuple(notices), warning)
