"""The tables of what was said: messages, calls that wait for their result, lines that are never learnt."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import Json, Table, Time, full_text


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
    created_at: str | None = Field(sa_type=Time)
    agent: str = Field(sa_type=Text)
    cut: int
    tool_calls: str = Field(sa_type=Json)
    """A JSON list of {id, name, arguments}; empty text for a message without calls."""
    call_id: str | None = Field(sa_type=Text)
    """Set if and only if the message is a tool result."""
    is_error: bool | None
    exit_code: int | None
    text: str = Field(sa_type=Text)


full_text(MemoryTurn, "turns_text")


class MemoryCall(Table, table=True):
    """Which message asked for a tool call, so that a late result finds its call without a scan."""

    __tablename__ = "memory_calls"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    session: str = Field(primary_key=True, sa_type=Text)
    call_id: str = Field(primary_key=True, sa_type=Text)
    message: int
    """`memory_turns.seq`"""


class SeenLine(Table, table=True):
    """Lines of system prompts, boot files and recalled blocks: never learnt from again."""

    __tablename__ = "seen_lines"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    line_hash: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(sa_type=Text)
