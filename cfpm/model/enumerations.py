"""The kinds of things: closed lists of names, as they stand in the database and in JSON. Standard library only."""

from __future__ import annotations

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
    REWOUND = "rewound"
    """Said in turns that were taken back: kept, and neither recalled nor learnt from."""


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
    JEST = "jest"
    """A joke, irony or a wild exaggeration; such a draft is hypothetical as well."""
    HEARSAY = "hearsay"
    """Somebody else's word, for which the speaker does not stand; such a draft is quoted as well."""
    QUESTION = "question"
    QUOTED = "quoted"
    """Inside a quotation, a code block, a pasted document, or the content of a file that was only read."""
    TRANSIENT = "transient"
    """The status of the moment: progress, a counter, what is about to be done."""
    FROM_TOOL_ORDER = "from_tool_order"
    """An order that stands in the output of a tool."""
    UNTRUSTED = "untrusted"
    """From a tool or a speaker that is not trusted to say this, such as another participant who sets rules."""
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
    LOW_SALIENCE = "low_salience"
    """Worth less than its tokens, by the weights of the salience model."""
    PASSING = "passing"
    """Of the moment, by its words: an order, a reaction, small talk."""
    ERASED = "erased"
    """Its words are gone, by a user's order; the verdict stays."""


class Action(StrEnum):
    """What an event did to a fact."""

    CREATE = "create"
    REINFORCE = "reinforce"
    REVIVE = "revive"
    SUPERSEDE = "supersede"
    CONTRADICT = "contradict"
    """A newer fact says the opposite; both stand and name each other."""
    STALE = "stale"
    EVICT = "evict"
    FORGET = "forget"
    PIN = "pin"
    UNPIN = "unpin"
    EDIT = "edit"
    ROLLBACK = "rollback"
    PURGE = "purge"
