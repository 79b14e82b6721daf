"""The nouns of the memory: what a host says, what is drafted from it, what is decided, what is believed.

Standard library only, so that every room can import them for nothing. No behaviour beyond trivial properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Who a message comes from."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Origin(StrEnum):
    """What kind of text a message holds. Only `SAID` may be mistaken for what its role says itself."""

    SAID = "said"
    SYSTEM_PROMPT = "system_prompt"
    BOOT_FILE = "boot_file"
    """A file that the host loads at the start: AGENTS.md, CLAUDE.md, a README."""
    THINKING = "thinking"
    HOST_NOTICE = "host_notice"
    """What the host writes in somebody's name: command echoes, interruptions, reminders, continuation summaries."""
    MEMORY_BLOCK = "memory_block"
    """A block that a memory recalled, coming back."""


class Category(StrEnum):
    """What kind of thing a fact is."""

    GOAL = "goal"
    INSTRUCTION = "instruction"
    """A standing rule that the user gave."""
    PREFERENCE = "preference"
    PROFILE = "profile"
    DECISION = "decision"
    EVENT = "event"
    VERIFIED_ACTION = "verified_action"
    ARTIFACT = "artifact"
    """A path that exists and matters."""
    INVALID_PATH = "invalid_path"
    OPEN_ITEM = "open_item"
    NOTE = "note"


PATH_CATEGORIES = frozenset({Category.ARTIFACT, Category.INVALID_PATH})


class Status(StrEnum):
    """Whether a fact is believed now."""

    ACTIVE = "active"
    STALE = "stale"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    """A tombstone: it blocks learning the same thing again."""


class Source(StrEnum):
    """How a fact came to be."""

    USER = "user"
    AUTO = "cfpm_auto"
    IMPORT = "import"
    MODEL = "model"


class Decision(StrEnum):
    """The four outcomes of a draft. Together they are all candidates, always."""

    ACCEPTED = "accepted"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    """Accepted in place of an older fact, which it supersedes."""
    REJECTED = "rejected"


class Mark(StrEnum):
    """What the language around a draft says about it. The extractor marks, the auditor decides."""

    NEGATED = "negated"
    HYPOTHETICAL = "hypothetical"
    QUESTION = "question"
    QUOTED = "quoted"
    """Inside a quotation, a code block, a pasted document, or the content of a file that was only read."""
    TRANSIENT = "transient"
    """The status of the moment: progress, a counter, what is about to be done."""
    FROM_TOOL_ORDER = "from_tool_order"
    """An order that stands in the output of a tool."""
    CONTRADICTED = "contradicted"
    """The evidence of the same turn says the opposite (an error status, a non-zero exit code)."""
    UNCONFIRMED = "unconfirmed"
    """A claim of success without the evidence that its category asks for."""
    BOILERPLATE = "boilerplate"
    """In a system prompt, a boot file or a notice of the host."""
    ECHO = "echo"
    """Inside a block that a memory recalled."""
    LOG_LINE = "log_line"
    ERROR_LINE = "error_line"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory. Facts belong to the namespace; session and agent are provenance."""

    namespace: str
    session: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to run a tool. `arguments` is the parsed JSON object; text that is no object stands under `input`."""

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)

    @property
    def command(self) -> str | None:
        """The shell command of the call, or None when the tool is no shell."""
        for key in ("command", "cmd", "script"):
            value = self.arguments.get(key)
            if isinstance(value, str) and value.strip() and not self.path:
                return value
        return None

    @property
    def path(self) -> str | None:
        """The file that the call names, or None."""
        for key in ("file_path", "path", "filename", "notebook_path", "target_file"):
            value = self.arguments.get(key)
            if isinstance(value, str) and value.strip():
                return value
        return None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What is known of how a call ended. The output itself is the message's text."""

    call_id: str
    is_error: bool | None = None
    exit_code: int | None = None

    @property
    def failed(self) -> bool:
        """True when the host itself says that the call failed."""
        return self.is_error is True or self.exit_code not in (None, 0)


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a host wrote it, parsed once.

    `created_at` is UTC and aware, or None when the host gave no time. `id` is the host's id; empty until
    `cfpm.transcript.identity` derives one from the content. A `tool_result` is set if and only if role is tool.
    """

    role: Role
    text: str
    id: str = ""
    created_at: datetime | None = None
    name: str = ""
    origin: Origin = Origin.SAID
    tool_calls: tuple[ToolCall, ...] = ()
    tool_result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message and all that follows until the next real user message; `index` counts from 0 in its session."""

    session: str
    index: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a draft stands: character offsets into the text of a message as stored, end exclusive."""

    message_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Draft:
    """What an extractor rule found, before anybody judged it.

    `confidence` is in [0.05, 1]. `line` is the whole line or sentence around the span, for judging echoes and noise.
    `event_time` is when the thing happened, if the text says so; `validation_command` is the command whose output is
    the evidence.
    `topic` and `value` are set when the sentence gives a slot a value ("the port is 8080": topic "the port"), so that
    a new
    value can supersede the old one.
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


@dataclass(frozen=True, slots=True)
class Fact:
    """What is believed. Times are UTC with microseconds, None where the turn had no time.

    `key` is the canonical content: (namespace, category, key) is unique and `id` is derived from it.
    `valid_from` and `valid_to` bound when it was believed; `stale_at` is when decay takes it below the threshold.
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


class Action(StrEnum):
    """What an event did to a fact."""

    CREATE = "create"
    REINFORCE = "reinforce"
    REVIVE = "revive"
    SUPERSEDE = "supersede"
    STALE = "stale"
    EVICT = "evict"
    FORGET = "forget"
    PIN = "pin"
    UNPIN = "unpin"
    EDIT = "edit"
    ROLLBACK = "rollback"
    PURGE = "purge"


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
