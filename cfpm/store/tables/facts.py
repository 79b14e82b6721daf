"""The tables of what is believed: facts, and the indices by which they are found and counted."""

from __future__ import annotations

from sqlalchemy import Index, Text, text
from sqlmodel import Field

from cfpm.store.tables.base import NO_TEXT, UNRATED, Table, Time, full_text

_LEARNT = "status = 'active' AND pinned = 0 AND source IN ('cfpm_auto', 'model')"


class MemoryFact(Table, table=True):
    """What is believed; the columns are those of `cfpm.model.Fact`."""

    __tablename__ = "memory_facts"
    __table_args__ = (
        Index("fact_id", "id", unique=True),
        Index("fact_key", "namespace", "category", "key", unique=True),
        Index("fact_listing", "namespace", "status", "category", "pinned", "updated_at"),
        Index("fact_pinned", "namespace", "status", "updated_at", sqlite_where=text("pinned = 1")),
        Index("fact_replaced", "superseded_by", sqlite_where=text("status = 'superseded'")),
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
    created_at: str | None = Field(sa_type=Time)
    updated_at: str | None = Field(sa_type=Time)
    last_validated_at: str | None = Field(sa_type=Time)
    valid_from: str | None = Field(sa_type=Time)
    valid_to: str | None = Field(sa_type=Time)
    stale_at: str | None = Field(sa_type=Time)
    event_time: str | None = Field(sa_type=Time)
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
    speaker: str = Field(sa_type=Text, sa_column_kwargs=NO_TEXT)
    salience: float = Field(sa_column_kwargs=UNRATED)
    contradicts: str = Field(sa_type=Text, sa_column_kwargs=NO_TEXT)
    """Ids of facts, with spaces between."""


full_text(MemoryFact, "facts_text")


class FactBlock(Table, table=True):
    """Inverted index for fuzzy look-up of facts: those that share a block may say the same, or deny each other."""

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
