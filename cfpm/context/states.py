"""The nouns of driving a history: states, what a host tells, what it is told to do, and what is counted between two
compactions. Leads from none to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum

from cfpm.context.rules import Size
from cfpm.context.strategies.types import Compaction, Limits, Spend
from cfpm.errors import InputError, UsageError
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
    AGENT = "agent"
    """The agent asked for it by a tool."""
    PAUSE = "pause"
    """The work stops, for example until somebody approves."""
    RESUME = "resume"
    """A session is taken up again that has more turns than trigger a compaction."""
    HANDOFF = "handoff"
    """Another agent goes on."""
    EXECUTION = "execution"
    """A plan was made, and is now carried out."""

    @property
    def forced(self) -> bool:
        """Whether it is a reason to compact a history that is not long."""
        return self in _FORCED


_FORCED = frozenset(Reason) - {Reason.THRESHOLD, Reason.MANUAL, Reason.RECOVERY, Reason.TURN_TOO_LARGE}


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered between events.

    `attempts` counts the recoveries of the reply under way, `budget` is what the last of them had, and `shrunk` how
    many of them made the view smaller. `turns` and `usage` count since the last compaction; `grace` holds triggers back
    for the turn after it. `total` is the tokens, in and out, of all turns, and `spent` what summaries took.
    """

    attempts: int = 0
    budget: int | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    savings: Savings = field(default_factory=Savings)
    grace: bool = False
    shrunk: int = 0
    total: int = 0
    spent: Spend = field(default_factory=Spend)


@dataclass(frozen=True, slots=True)
class State:
    """Where a driven session stands: one of the classes below."""

    record: Record

    def to_json(self) -> dict[str, object]:
        """A JSON object from which `from_json` makes this state again.

        Raises UsageError while a compaction is under way: no driver is in that state between two calls.
        """
        if isinstance(self, Compacting):
            raise UsageError("state", "a compaction is under way", "Keep the state of a driver between two calls")
        return {"state": type(self).__name__.lower(), **asdict(self)}

    @staticmethod
    def from_json(value: object) -> Ready | Ended:
        """The state that `to_json` wrote. Raises InputError naming what cannot be read."""
        from pydantic import TypeAdapter, ValidationError

        kinds: dict[object, type[Ready | Ended]] = {"ready": Ready, "ended": Ended}
        kind = kinds.get(value.get("state")) if isinstance(value, Mapping) else None
        if kind is None or not isinstance(value, Mapping):
            raise InputError("state", "not one that was kept", _KEPT)
        try:
            return TypeAdapter(kind).validate_python(dict(value))
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError("state", first["msg"], _KEPT, place=".".join(map(str, first["loc"]))) from None


_KEPT = "Pass what State.to_json gave, or begin without a state"


@dataclass(frozen=True, slots=True)
class Ready(State):
    """Nothing is under way. Where a session begins."""

    record: Record = field(default_factory=Record)


@dataclass(frozen=True, slots=True)
class Compacting(State):
    """The host is to run a compaction and to say what became of it."""

    reason: Reason
    limits: Limits
    size: Size


@dataclass(frozen=True, slots=True)
class Ended(State):
    """The reply ended without an answer. Only a new message of the user leads out of it."""

    message: str


@dataclass(frozen=True, slots=True)
class BeforeReply:
    """A user said `text`, and the model is to be asked. `turns` are those that stand in the log of a session that is
    taken up again, 0 for one that goes on."""

    text: str
    size: Size
    turns: int = 0


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
    """An agent answered. `input_tokens` is what its provider says it was sent in this turn, None if it does not say,
    and `output_tokens` what it wrote.

    `milestone` names what this turn completed, or is empty.
    """

    agent: str
    input_tokens: int | None
    size: Size
    milestone: str = ""
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The host or the agent says that this is a good place to compact, for one of the forced reasons. `name` is that
    of the milestone, or whatever the host wants to find in its log."""

    reason: Reason
    size: Size
    name: str = ""
    focus: str = ""


Event = BeforeReply | Overflowed | Compacted | TurnEnded | Asked


@dataclass(frozen=True, slots=True)
class Proceed:
    """Go on: ask the model with the view as it is now, or wait for the user after a turn."""


@dataclass(frozen=True, slots=True)
class Compact:
    """Compact within these limits, then send `Compacted`. The notices are for the user, `name` for the log."""

    reason: Reason
    limits: Limits
    notices: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The user's message was a command: no reply is asked for."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The reply cannot be had: show the message and leave the loop. `spent` says that the session has used up its
    tokens (`max_total_tokens`)."""

    message: str
    spent: bool = False


Action = Proceed | Compact | EndTurn | Stop


@dataclass(frozen=True, slots=True)
class Step:
    """What an event leads to."""

    state: State
    action: Action
    warning: BudgetWarning | None = None
