"""What every strategy of compaction takes and gives. Decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from cfpm.context.history import Group, History, Raw
from cfpm.model import Fact
from cfpm.model.state import Item


@dataclass(frozen=True, slots=True)
class Spend:
    """What a model took, as its provider tells it; `cost` is in the host's currency."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens, self.cost + other.cost
        )


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary with what it took."""

    text: str
    spent: Spend


Summariser = Callable[[str], str | Summary]
"""Makes a summary of a prompt, usually by a model. May raise `ContextTooLong` when the prompt does not fit."""


class ContextTooLong(Exception):  # noqa: N818
    """The host's model refused a prompt because of its length."""


class Outcome(StrEnum):
    """How a compaction ended. Only `compacted` and `failed` change the view."""

    COMPACTED = "compacted"
    NOTHING = "nothing_to_compact"
    NOT_SMALLER = "not_smaller"
    CANNOT_FIT = "cannot_fit"
    FAILED = "failed"
    """A summary could not be made; a marker stands in its place."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long the view may be, in tokens without system messages, and what stays as it is, in messages.

    `keep_first` and `keep_last` are upper limits: fewer stay when the budget is small. Histories shorter than `minimum`
    are left alone unless `manual`. The defaults are those of the reference: 2, 8 and 12, or 3, 10 and 20 for summaries.
    `keep_turns` takes the place of `keep_last` where a history has more turns than that. A history within the budget is
    compacted only when it is `manual` (a user asked) or `forced` (a trigger that does not look at the size). `focus` is
    what a user asked to keep in view with `/compact FOCUS`; `reason` says why it is compacted, for the log.
    """

    max_tokens: int
    keep_first: int = 2
    keep_last: int = 8
    minimum: int = 12
    manual: bool = False
    focus: str = ""
    keep_turns: int = 0
    forced: bool = False
    reasoning: int = 0
    """Characters of each piece of the agent's thinking that the prompt for a summary, and lists of calls, show; 0 for
    none. 2,000 are about 500 tokens, the figure of the reference."""
    reason: str = field(default="", compare=False)

    @property
    def asked(self) -> bool:
        """Whether a history is compacted though it fits."""
        return self.manual or self.forced


@dataclass(frozen=True, slots=True)
class Known:
    """One line of what a store knows of a session, under its heading; `must` says that it binds the agent."""

    section: str
    text: str
    must: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """All that a strategy may look at.

    `facts` are those of the session, as the store holds them; `summarise` is the host's callable, if it has one.
    `known` is all that the store knows, oldest first in each section. `held` is what is put before the model again
    whatever the strategy, and `extra` are texts of the host that stand beside what a strategy writes, such as the
    symbols of its code or its contracts: no strategy looks at these, see `views.apply`.
    """

    history: History
    limits: Limits
    facts: Sequence[Fact] = ()
    summarise: Summariser | None = None
    known: Sequence[Known] = ()
    held: tuple[Item, ...] = ()
    extra: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ProposedView:
    """The view that a strategy proposes: what stays in front, what is written in place of the middle, what stays at the
    end. Every group of the history that is in neither part is compacted.

    `failure` says why a summary is missing, or is empty. `spent` is what the summariser took.
    """

    first: tuple[Group, ...]
    notes: tuple[Raw, ...]
    last: tuple[Group, ...]
    checkpoint: str = ""
    failure: str = ""
    spent: Spend = field(default_factory=Spend)


class Strategy(Protocol):
    """A way to make a history short."""

    def __call__(self, request: Request) -> ProposedView | None:
        """The new view, or None when there is nothing to compact."""
        ...


@dataclass(frozen=True, slots=True)
class Compaction:
    """What became of a history.

    `messages` is what the model is to see, ready to be sent. `log` is everything, in order, each dict with
    `user_visible` and `agent_visible`: what was compacted stays for the user, what was written is for the model alone.
    Tokens are without system messages. `problem` says why the view is not smaller, or what failed.
    """

    strategy: str
    outcome: Outcome
    messages: tuple[Raw, ...]
    log: tuple[Raw, ...]
    before_tokens: int
    after_tokens: int
    checkpoint: str = ""
    problem: str = ""
    compacted: int = field(default=0)
    """Messages that left the model's view."""
    spent: Spend = field(default_factory=Spend)
    """What the summariser took, also for a summary that was not used."""
    held: tuple[Item, ...] = ()
    """What is put before the model again in a block behind the checkpoint: answers of the user, plan, todos ..."""

    @property
    def changed(self) -> bool:
        """Whether the model is to see something else than before."""
        return self.outcome in (Outcome.COMPACTED, Outcome.FAILED)
