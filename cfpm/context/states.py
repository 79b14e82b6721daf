"""The nouns of driving a history: states, what a host tells, what it is told to do, and what is counted between two
compactions. Leads from none to another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from cfpm.context.rules import Size
from cfpm.context.strategies.types import Compaction, Limits
from cfpm.settings import Settings


@dataclass(frozen=True, slots=True)
class AgentTokens:
    """What one agent was sent since the last compaction. `agent` is case-folded."""

    agent: str
    tokens: int
    warned: bool = False


@dataclass(frozen=True, slots=True)
class BudgetWarning:
    """An agent has been sent as many tokens since the last compaction as the host wants to be told of."""

    agent: str
    """As the host wrote it in the turn that crossed the line."""
    tokens: int
    warn_at: int
    cut_over_at: int


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of all agents since the last compaction, in the order in which they first spoke."""

    agents: tuple[AgentTokens, ...] = ()

    def tokens_of(self, agent: str) -> int:
        """What this agent was sent; 0 for one that is not known."""
        return self._row(agent).tokens

    def after(self, agent: str, input_tokens: int | None, settings: Settings) -> tuple[Usage, BudgetWarning | None]:
        """With one more turn, and the warning if this turn calls for one: once per agent until the next compaction.

        A turn without usage changes nothing.
        """
        if not input_tokens or input_tokens < 0:
            return self, None
        row = self._row(agent)
        tokens = row.tokens + input_tokens
        due = not row.warned and 0 < settings.budget_warn_at <= tokens
        new = replace(row, tokens=tokens, warned=row.warned or due)
        known = any(old.agent == new.agent for old in self.agents)
        rows = tuple(new if old.agent == new.agent else old for old in self.agents) if known else (*self.agents, new)
        warning = BudgetWarning(agent, tokens, settings.budget_warn_at, settings.budget_cut_over_at) if due else None
        return Usage(rows), warning

    def over(self, agent: str, settings: Settings) -> bool:
        """True when the agent has used up what it may between two compactions."""
        return 0 < settings.budget_cut_over_at <= self.tokens_of(agent)

    def _row(self, agent: str) -> AgentTokens:
        name = agent.casefold()
        return next((row for row in self.agents if row.agent == name), AgentTokens(name, 0))


@dataclass(frozen=True, slots=True)
class Savings:
    """What the last compactions saved, as shares of the view before each; oldest first.

    `size` is the view in tokens that the last one left.
    """

    shares: tuple[float, ...] = ()
    size: int = 0

    def after(self, before_tokens: int, after_tokens: int, settings: Settings) -> Savings:
        """With one more compaction. One that changed nothing saved nothing."""
        share = (before_tokens - after_tokens) / before_tokens if before_tokens > 0 else 0.0
        recent = (*self.shares, share)
        return Savings(recent[max(0, len(recent) - settings.thrash_window) :], after_tokens)

    def hold_back(self, view_tokens: int, settings: Settings) -> bool:
        """True when a whole window of compactions saved too little each, and the view has not grown since by what makes
        another worth while: going back to its last size must save the least share."""
        least, window = settings.thrash_min_saving, settings.thrash_window
        if not window or not least or len(self.shares) < window or max(self.shares) >= least:
            return False
        return view_tokens * (1 - least) < self.size


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
