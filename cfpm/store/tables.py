"""The tables of the memory, declared once with SQLModel: for whoever wants to query the file with models of their own.

Nothing that stores or recalls imports this module: `import sqlmodel` costs a second, and a Core statement three times
the time of the same statement on the driver's connection. `schema/*.sql` builds the same tables; a test compares both.
"""

from __future__ import annotations

from sqlalchemy import Index, Text, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

_LEARNT = "status = 'active' AND pinned = 0 AND source IN ('cfpm_auto', 'model')"

_NO_TEXT = {"server_default": text("''")}
_UNRATED = {"server_default": text("0.5")}


class Table(SQLModel, registry=registry()):
    """Base with a registry of its own, so that a host's `SQLModel.metadata.create_all` never makes our tables."""


class MemoryTurn(Table, table=True):
    """The verbatim log: one row per message. `seq` is also the row of its full-text index."""

    __tablename__ = "memory_turns"
    __table_args__ = (
        Index("turn_message", "namespace", "session", "message_id", unique=True),
        Index("turn_position", "namespace", "session", "turn", "position"),
    )

    seq: int = Field(primary_key=True)
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    turn: int
    position: int
    message_id: str = Field(sa_type=Text)
    role: str = Field(sa_type=Text)
    name: str = Field(sa_type=Text)
    origin: str = Field(sa_type=Text)
    created_at: str | None = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    cut: int
    tool_calls: str = Field(sa_type=Text)
    """A JSON list of {id, name, arguments}; empty text for a message without calls."""
    call_id: str | None = Field(sa_type=Text)
    """Set if and only if the message is a tool result."""
    is_error: bool | None
    exit_code: int | None
    text: str = Field(sa_type=Text)


class MemoryCall(Table, table=True):
    """Which message asked for a tool call, so that a late result finds its call without a scan."""

    __tablename__ = "memory_calls"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    session: str = Field(primary_key=True, sa_type=Text)
    call_id: str = Field(primary_key=True, sa_type=Text)
    message: int
    """`memory_turns.seq`"""


class MemoryFact(Table, table=True):
    """What is believed; the columns are those of `cfpm.models.Fact`."""

    __tablename__ = "memory_facts"
    __table_args__ = (
        Index("fact_id", "id", unique=True),
        Index("fact_key", "namespace", "category", "key", unique=True),
        Index("fact_listing", "namespace", "status", "pinned", "updated_at"),
        Index("fact_category", "namespace", "category", "status", "pinned", "updated_at"),
        Index("fact_topic", "namespace", "topic", sqlite_where=text("status = 'active' AND topic <> ''")),
        Index(
            "fact_expiry",
            "namespace",
            "stale_at",
            sqlite_where=text("status = 'active' AND pinned = 0 AND stale_at IS NOT NULL"),
        ),
        Index(
            "fact_utility",
            "namespace",
            "category",
            "confidence",
            "evidence_count",
            "updated_at",
            sqlite_where=text(_LEARNT),
        ),
    )

    seq: int = Field(primary_key=True)
    id: str = Field(sa_type=Text)
    namespace: str = Field(sa_type=Text)
    category: str = Field(sa_type=Text)
    key: str = Field(sa_type=Text)
    content: str = Field(sa_type=Text)
    status: str = Field(sa_type=Text)
    pinned: bool
    source: str = Field(sa_type=Text)
    confidence: float
    evidence_count: int
    created_at: str | None = Field(sa_type=Text)
    updated_at: str | None = Field(sa_type=Text)
    last_validated_at: str | None = Field(sa_type=Text)
    valid_from: str | None = Field(sa_type=Text)
    valid_to: str | None = Field(sa_type=Text)
    stale_at: str | None = Field(sa_type=Text)
    event_time: str | None = Field(sa_type=Text)
    validation_command: str | None = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    role: str = Field(sa_type=Text)
    message_id: str = Field(sa_type=Text)
    span_start: int
    span_end: int
    topic: str = Field(sa_type=Text)
    value: str = Field(sa_type=Text)
    superseded_by: str = Field(sa_type=Text)
    speaker: str = Field(sa_type=Text, sa_column_kwargs=_NO_TEXT)
    salience: float = Field(sa_column_kwargs=_UNRATED)
    contradicts: str = Field(sa_type=Text, sa_column_kwargs=_NO_TEXT)
    """Ids of facts, with spaces between."""


class FactBlock(Table, table=True):
    """Inverted index for fuzzy look-up of all but superseded facts: those that share a block may say the same."""

    __tablename__ = "fact_blocks"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    category: str = Field(primary_key=True, sa_type=Text)
    block: str = Field(primary_key=True, sa_type=Text)
    fact: int = Field(primary_key=True)
    """`memory_facts.seq`"""


class FactCount(Table, table=True):
    """How many facts of a category are active, and how many of those count towards its capacity."""

    __tablename__ = "fact_counts"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    category: str = Field(primary_key=True, sa_type=Text)
    active: int
    learnt: int
    """Active, learnt by itself, not pinned."""


class MemoryCandidate(Table, table=True):
    """The audit trail: one row per draft with its verdict."""

    __tablename__ = "memory_candidates"
    __table_args__ = (
        Index("candidate_id", "id", unique=True),
        Index("candidate_session", "namespace", "session"),
        Index("candidate_verdict", "namespace", "decision", "reason", "category"),
    )

    seq: int = Field(primary_key=True)
    id: str = Field(sa_type=Text)
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    turn: int
    decision: str = Field(sa_type=Text)
    reason: str = Field(sa_type=Text)
    rule: str = Field(sa_type=Text)
    detail: str = Field(sa_type=Text)
    category: str = Field(sa_type=Text)
    content: str = Field(sa_type=Text)
    role: str = Field(sa_type=Text)
    message_id: str = Field(sa_type=Text)
    span_start: int
    span_end: int
    fact_id: str = Field(sa_type=Text)
    confidence: float
    extractor: str = Field(sa_type=Text)
    marks: str = Field(sa_type=Text)
    """A JSON list; empty text for none."""
    line: str = Field(sa_type=Text)
    event_time: str | None = Field(sa_type=Text)
    validation_command: str | None = Field(sa_type=Text)
    created_at: str | None = Field(sa_type=Text)
    reviewed: bool
    speaker: str = Field(sa_type=Text, sa_column_kwargs=_NO_TEXT)
    salience: float = Field(sa_column_kwargs=_UNRATED)
    shares: str = Field(sa_type=Text, sa_column_kwargs=_NO_TEXT)
    """A JSON list of [feature, share]; empty text for none."""


class MemoryEvent(Table, table=True):
    """Append-only change log of facts. `number` counts from 1 in each namespace: the moment that `rollback` names."""

    __tablename__ = "memory_events"
    __table_args__ = (
        Index("event_number", "namespace", "number", unique=True),
        Index("event_fact", "namespace", "fact_id", "number"),
        Index("event_moment", "namespace", "at", "fact_id", "number"),
    )

    seq: int = Field(primary_key=True)
    namespace: str = Field(sa_type=Text)
    number: int
    fact_id: str = Field(sa_type=Text)
    action: str = Field(sa_type=Text)
    cause: str = Field(sa_type=Text)
    at: str | None = Field(sa_type=Text)
    before: str = Field(sa_type=Text)
    after: str = Field(sa_type=Text)


class SeenLine(Table, table=True):
    """Lines of system prompts, boot files and recalled blocks: never learnt from again."""

    __tablename__ = "seen_lines"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    line_hash: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(sa_type=Text)


class RecallEvent(Table, table=True):
    """One recall: the question and the facts that were put into the prompt."""

    __tablename__ = "recall_events"
    __table_args__ = (
        Index("recall_id", "id", unique=True),
        Index("recall_session", "namespace", "session"),
        Index("recall_block", "namespace", "block_hash"),
    )

    seq: int = Field(primary_key=True)
    id: str = Field(sa_type=Text)
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    query: str = Field(sa_type=Text)
    block_hash: str = Field(sa_type=Text)
    fact_ids: str = Field(sa_type=Text)
    at: str | None = Field(sa_type=Text)


class GateEvent(Table, table=True):
    """One decision of the pre-tool gate, rewrites and non-rewrites."""

    __tablename__ = "gate_events"
    __table_args__ = (Index("gate_id", "id", unique=True), Index("gate_session", "namespace", "session"))

    seq: int = Field(primary_key=True)
    id: str = Field(sa_type=Text)
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    tool: str = Field(sa_type=Text)
    dialect: str = Field(sa_type=Text)
    action: str = Field(sa_type=Text)
    reason: str = Field(sa_type=Text)
    command: str = Field(sa_type=Text)
    rewritten: str = Field(sa_type=Text)
    changes: str = Field(sa_type=Text)
    """A JSON list of {target, path, start, end}."""
    at: str | None = Field(sa_type=Text)


class VectorSpace(Table, table=True):
    """An embedder that made vectors of this file: its name with its version, and the length of its vectors."""

    __tablename__ = "vector_spaces"
    __table_args__ = (Index("vector_space_name", "name", unique=True),)

    id: int = Field(primary_key=True)
    name: str = Field(sa_type=Text)
    dimensions: int
    revision: int
    """Counts the changes of vectors whose rows were there before."""


class TurnVector(Table, table=True):
    """The vector of a message, derived from its text: one signed byte for each dimension."""

    __tablename__ = "turn_vectors"

    seq: int = Field(primary_key=True)
    """`memory_turns.seq`"""
    space: int
    """`vector_spaces.id`"""
    vector: bytes
    pieces: bytes
    """The numbers of the different word pieces of the text, two bytes each."""


class FactVector(Table, table=True):
    """The vector of a fact's content, as of a message."""

    __tablename__ = "fact_vectors"

    seq: int = Field(primary_key=True)
    """`memory_facts.seq`"""
    space: int
    vector: bytes
    pieces: bytes


class SchemaMigration(Table, table=True):
    """The ledger: which steps built this file. `applied_by` is the version of cfpm that took the step."""

    __tablename__ = "schema_migrations"

    version: int = Field(primary_key=True)
    name: str = Field(sa_type=Text)
    applied_by: str = Field(sa_type=Text)
