"""The tables of what was decided: verdicts, changes of facts, recalls, decisions of the gate; and their seals."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import NO_TEXT, UNRATED, Json, Table, Time


class MemoryCandidate(Table, table=True):
    """The audit trail: one row per draft with its verdict."""

    __tablename__ = "memory_candidates"
    __table_args__ = (
        Index("candidate_session", "namespace", "session", "turn", "id", unique=True),
        Index("candidate_trail", "namespace", "seq", "decision", "reason"),
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
    marks: str = Field(sa_type=Json)
    """A JSON list; empty text for none."""
    line: str = Field(sa_type=Text)
    event_time: str | None = Field(sa_type=Time)
    validation_command: str | None = Field(sa_type=Text)
    created_at: str | None = Field(sa_type=Time)
    reviewed: bool
    speaker: str = Field(sa_type=Text, sa_column_kwargs=NO_TEXT)
    salience: float = Field(sa_column_kwargs=UNRATED)
    shares: str = Field(sa_type=Json, sa_column_kwargs=NO_TEXT)
    """A JSON list of [feature, share]; empty text for none."""


class CandidateCount(Table, table=True):
    """How many candidates have a verdict, counted with every change of the trail; rows of 0 stay."""

    __tablename__ = "candidate_counts"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    decision: str = Field(primary_key=True, sa_type=Text)
    reason: str = Field(primary_key=True, sa_type=Text)
    category: str = Field(primary_key=True, sa_type=Text)
    candidates: int


class MemoryEvent(Table, table=True):
    """Append-only change log of facts. `number` counts from 1 in each namespace: the moment that `rollback` names."""

    __tablename__ = "memory_events"
    __table_args__ = (Index("event_number", "namespace", "number", "at", "fact_id"),)

    seq: int = Field(primary_key=True)
    namespace: str = Field(sa_type=Text)
    number: int
    fact_id: str = Field(sa_type=Text)
    action: str = Field(sa_type=Text)
    cause: str = Field(sa_type=Text)
    at: str | None = Field(sa_type=Time)
    before: str = Field(sa_type=Json)
    after: str = Field(sa_type=Json)


class RecallEvent(Table, table=True):
    """One recall: the question, empty for a brief, and the ids of the facts and messages that the prompt was told."""

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
    fact_ids: str = Field(sa_type=Json)
    at: str | None = Field(sa_type=Time)


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
    changes: str = Field(sa_type=Json)
    """A JSON list of {target, path, start, end}."""
    at: str | None = Field(sa_type=Time)


class TrailLink(Table, table=True):
    """One link of the chain that seals the rows of the log and the audit trail: what a transaction did to them."""

    __tablename__ = "trail_links"

    number: int = Field(primary_key=True)
    """Counts from 1, without a gap."""
    entries: str = Field(sa_type=Text)
    """What was done to which runs of rows: `table action first-seq rows`, with `; ` between. The actions are `added`,
    `changed`, `erased`, `removed`, and `resealed` for a chain that was begun anew."""
    digests: bytes
    """The keyed hashes of the rows as they are now, 16 bytes each in the order of the entries; none for rows that were
    removed."""
    seal: bytes
    """The keyed hash of the link before and of this one."""


class StoreState(Table, table=True):
    """How far the file is; one row."""

    __tablename__ = "store_state"

    id: int = Field(primary_key=True)
    database: str = Field(sa_type=Text)
    """A random name, by which the file beside the database knows it."""
    writes: int
    """Committed transactions."""
    adopted: bool
    """True until the next transaction in a file that was restored or encrypted: what stands beside it is older."""
    links: int
    key_id: str = Field(sa_type=Text)
    sealed: str = Field(sa_type=Text)
    """The last sealed `seq` of each table: `table=seq`, with spaces between."""
    last_seal: bytes
    head: bytes
    """The keyed hash of all of this row."""
