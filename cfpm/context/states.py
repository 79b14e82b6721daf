"""The nouns of driving a history: states, what a host tells, what it is told to do. Leads from none to another."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cfpm.context.budgets import BudgetWarning, Usage
from cfpm.context.compaction.types import Compaction, Limits
from cfpm.context.savings import Savings
from cfpm.context.sizing import Size


class Reason(StrEnum):
    """Why a history is compacted."""

    THRESHOLD = "threshold"
    MANUAL = "manual"
    RECOVERY = "recovery"
    TURN_TOO_LARGE = "turn_too_large"
    TURNS = "turns"
    MILESTONE = "milestone"
    CUT_OVER = "cut_over"


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered between events.

    `attempts` counts the recoveries of the reply under way, `budget` is what the last of them had. `turns` and `usage`
    count since the last compaction; `grace` holds triggers back for the turn after it.
    """

    attempts: int = 0
    budget: int | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    savings: Savings = field(default_factory=Savings)
    grace: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """Nothing is under way. Where a session begins."""

    record: Record = field(default_factory=Record)


@dataclass(frozen=True, slots=True)
class Compacting:
    """The host is to run a compaction and to say what became of it."""

    record: Record
    reason: Reason
    limits: Limits
    size: Size


@dataclass(frozen=True, slots=True)
class Ended:
    """The reply ended without an answer. Only a new message of the user leads out of it."""

    record: Record
    message: str


State = Ready | Compacting | Ended


@dataclass(frozen=True, slots=True)
class BeforeReply:
    """A user said `text`, and the model is to be asked."""

    text: str
    size: Size


@dataclass(frozen=True, slots=True)
class Overflowed:
    """The provider refused the request because of its length."""

    size: Size


@dataclass(frozen=True, slots=True)
class Compacted:
    """The compaction that was asked for has run."""

    compaction: Compaction


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """An agent answered. `input_tokens` is what its provider says it was sent in this turn, None if it does not say.

    `milestone` names what this turn completed, or is empty.
    """

    agent: str
    input_tokens: int | None
    size: Size
    milestone: str = ""


@dataclass(frozen=True, slots=True)
class Milestone:
    """The host says that a piece of work is done: a good place to compact."""

    name: str
    size: Size


Event = BeforeReply | Overflowed | Compacted | TurnEnded | Milestone


@dataclass(frozen=True, slots=True)
class Proceed:
    """Go on: ask the model with the view as it is now, or wait for the user after a turn."""


@dataclass(frozen=True, slots=True)
class Compact:
    """Compact within these limits, then send `Compacted`. The notices are for the user."""

    reason: Reason
    limits: Limits
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The user's message was a command: no reply is asked for."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The reply cannot be had: show the message and leave the loop."""

    message: str


Action = Proceed | Compact | EndTurn | Stop


@dataclass(frozen=True, slots=True)
class Step:
    """What an event leads to."""

    state: State
    action: Action
    warning: BudgetWarning | None = None
