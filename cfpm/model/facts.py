"""The nouns of the memory: what a host says, what is drafted from it, what is decided, what is believed.

Standard library only, so that every room can import them for nothing. No behaviour beyond trivial properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from cfpm.model.enumerations import (
    Action,
    Category,
    Decision,
    Mark,
    Role,
    Source,
    Status,
)
from cfpm.model.known_folders import NAMES
from cfpm.model.messages import Message, Span

UNRATED = 0.5
"""The salience of what nobody rated."""

OF_A_TASK = 0.31
"""Confidence in what is worth knowing until the task at hand is done: just above `stale_below` of the settings, so that
it goes stale within days, a goal within nine, unless it is said again."""

LEARNT_RULE = "learnt.instruction"
CONTRAST = "told.contrast"
"""The rule of a draft that only says what something is and is not; it is kept where it corrects a fact."""
"""The rule of a draft that learnt weights took for a standing rule, where no pattern found one."""

ORDERED_RULE = "learnt.order"
"""The same where a pattern found a request or a wish: no remark, so it is not held to what is asked of notes."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What an extractor rule found, before anybody judged it.

    `confidence` is in [0.05, 1]. `line` is the whole line or sentence around the span, for judging echoes and noise.
    `event_time` is when the thing happened, if the text says so; `validation_command` is the command whose output is
    the evidence. `topic` and `value` are set when the sentence gives a slot a value ("the port is 8080": topic "the
    port"), so that a new value can supersede the old one. `speaker` is the name of the person who said it, when the
    message has one. `salience` is in [0, 1]: how much it is worth its tokens; `shares` are what each feature added to
    it, by name, largest first. `asked` is the agent's question with which the content begins, when the user's words are
    an answer that says little without it.
    """

    category: Category
    content: str
    span: Span
    role: Role
    rule: str
    confidence: float = 0.7
    line: str = ""
    marks: frozenset[Mark] = frozenset()
    event_time: datetime | None = None
    validation_command: str | None = None
    topic: str = ""
    value: str = ""
    speaker: str = ""
    salience: float = UNRATED
    shares: tuple[tuple[str, float], ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The draft becomes a new fact, or revives one that had gone stale."""

    fact_id: str
    rule: str = "accept"
    reason: str = "accepted"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Merged:
    """The draft says what an active fact says already, and reinforces it."""

    into: str
    rule: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Superseding:
    """The draft becomes a new fact `fact_id` in place of the older fact `old`."""

    fact_id: str
    old: str
    rule: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The draft does not become a fact. `compared_with` is the id of the fact that decided it, or empty."""

    reason: str
    rule: str
    detail: str = ""
    compared_with: str = ""


Verdict = Accepted | Merged | Superseding | Rejected


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft with its verdict, as stored: a row of the audit trail. Marks are sorted."""

    id: str
    namespace: str
    session: str
    turn: int
    decision: Decision
    reason: str
    rule: str
    detail: str
    category: Category
    content: str
    role: Role
    span: Span
    fact_id: str
    confidence: float
    extractor: str
    """Name of the extractor rule that fired."""
    marks: tuple[str, ...]
    line: str
    event_time: datetime | None
    validation_command: str | None
    created_at: datetime | None
    reviewed: bool = False
    """True when a user reversed the verdict; then no later observation changes it."""
    speaker: str = ""
    salience: float = UNRATED
    shares: tuple[tuple[str, float], ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed. Times are UTC with microseconds, None where the turn had no time.

    `key` is the canonical content: (namespace, category, key) is unique and `id` is derived from it. `valid_from` and
    `valid_to` bound when it was believed; `stale_at` is when decay takes it below the threshold.
    """

    id: str
    namespace: str
    category: Category
    key: str
    content: str
    status: Status = Status.ACTIVE
    pinned: bool = False
    source: Source = Source.AUTO
    confidence: float = 0.7
    evidence_count: int = 1
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_validated_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    stale_at: datetime | None = None
    event_time: datetime | None = None
    validation_command: str | None = None
    session: str = ""
    agent: str = ""
    role: Role = Role.USER
    message_id: str = ""
    span_start: int = 0
    span_end: int = 0
    topic: str = ""
    value: str = ""
    superseded_by: str = ""
    speaker: str = ""
    """The name of the person who said it, when the message had one; then it is part of `key`."""
    salience: float = UNRATED
    contradicts: str = ""
    """The ids of the facts that say the opposite, and that name this one in turn, with spaces between. All stand:
    which of them is right is not known."""

    @property
    def attributed(self) -> str:
        """The content with the name of the person who said it, if it has one: `Ann: I love pizza`."""
        return f"{self.speaker}: {self.content}" if self.speaker else self.content

    @property
    def is_given(self) -> bool:
        """Whether a person wrote it down or pinned it: it stands as it is."""
        return self.pinned or self.source is not Source.AUTO

    @property
    def is_one_try(self) -> bool:
        """Whether it is a path at which an agent looked once in vain: most often a guess at where something might be,
        or what is made later. It is told where it is asked for. A folder that every desktop has is no guess."""
        if self.category is not Category.INVALID_PATH or self.role is not Role.TOOL or self.is_given:
            return False
        last = self.content.rstrip("\\/").replace("\\", "/").rpartition("/")[2]
        return self.evidence_count == 1 and last not in NAMES


@dataclass(frozen=True, slots=True)
class Event:
    """One change of one fact. `before` and `after` hold only the fields that changed; `cause` names what did it."""

    seq: int
    namespace: str
    fact_id: str
    action: Action
    cause: str
    before: Mapping[str, object]
    after: Mapping[str, object]
    at: datetime | None


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message as the verbatim log keeps it: secrets redacted, `cut` characters of a long tool result left out."""

    namespace: str
    session: str
    turn: int
    position: int
    message: Message
    cut: int = 0
    agent: str = ""


@dataclass(frozen=True, slots=True)
class FactChange:
    """One change that a turn or a user makes to one fact; the store writes the row and the event together."""

    before: Fact | None
    after: Fact
    action: Action
    cause: str
    """What did it: a candidate id, or the name of the user's command."""
    at: datetime | None
