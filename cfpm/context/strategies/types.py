"""What every strategy of compaction takes and gives. Decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from cfpm.context.history import Group, History, Raw
from cfpm.model import Fact
from cfpm.model.state import Item

Summariser = Callable[[str], str]
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
    `focus` is what a user asked to keep in view with `/compact FOCUS`.
    """

    max_tokens: int
    keep_first: int = 2
    keep_last: int = 8
    minimum: int = 12
    manual: bool = False
    focus: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """All that a strategy may look at.

    `facts` are those of the session, as the store holds them; `summarise` is the host's callable, if it has one. `held`
    is what is put before the model again whatever the strategy: no strategy looks at it, see `views.apply`.
    """

    history: History
    limits: Limits
    facts: Sequence[Fact] = ()
    summarise: Summariser | None = None
    held: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposedView:
    """The view that a strategy proposes: what stays in front, what is written in place of the middle, what stays at the
    end. Every group of the history that is in neither part is compacted.

    `failure` says why a summary is missing, or is empty.
    """

    first: tuple[Group, ...]
    notes: tuple[Raw, ...]
    last: tuple[Group, ...]
    checkpoint: str = ""
    failure: str = ""


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
    held: tuple[Item, ...] = ()
    """What is put before the model again in a block behind the checkpoint: answers of the user, plan, todos ..."""

    @property
    def changed(self) -> bool:
        """Whether the model is to see something else than before."""
        return self.outcome in (Outcome.COMPACTED, Outcome.FAILED)
