"""The tables of what a session holds beside facts: answers of the user, and where the work stands."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import Table, Time


class MemoryApproval(Table, table=True):
    """What the user allowed or refused; the columns are those of `cfpm.model.state.Approval`. Append-only and sealed:
    an agent acts on it."""

    __tablename__ = "memory_approvals"
    __table_args__ = (
        Index("approval_id", "id", unique=True),
        Index("approval_session", "namespace", "session", "seq"),
    )

    seq: int = Field(primary_key=True)
    id: str = Field(sa_type=Text)
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    subject: str = Field(sa_type=Text)
    answer: str = Field(sa_type=Text)
    granted: bool
    scope: str = Field(sa_type=Text)
    """once, session, always"""
    by: str = Field(sa_type=Text)
    """user, host, or the name of the tool that brought the answer"""
    message_id: str = Field(sa_type=Text)
    """The message with the answer; empty for what a host told."""
    at: str | None = Field(sa_type=Time)


class MemoryState(Table, table=True):
    """Where a session stands: one row for each thing it holds, overwritten when it changes.

    Not sealed: rows are read from messages, which are, and change with every step of a plan; the `host` kind is the
    host's own. An agent acts on approvals, which are sealed.
    """

    __tablename__ = "memory_state"
    __table_args__ = (Index("state_key", "namespace", "session", "agent", "kind", "key", unique=True),)

    seq: int = Field(primary_key=True)
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    """Whose list or goal it is where several agents work in one session."""
    kind: str = Field(sa_type=Text)
    """instruction, workspace, connector, goal, skill, resource, plan, artifact, todo, progress, host"""
    key: str = Field(sa_type=Text)
    text: str = Field(sa_type=Text)
    status: str = Field(sa_type=Text)
    """Of a step: open, active, done, dropped; of anything else what its tool or the host says, or empty."""
    message_id: str = Field(sa_type=Text)
    """The message that the text stands in; empty for what a host put there."""
    at: str | None = Field(sa_type=Time)
