"""The tables of sessions: where they stand, and what hosts told beside the words of their messages.

Neither is sealed. What a session's row counts is derived from the log and can be counted anew; the rest (titles,
folders, who sees a message, what a reply took) decides nothing that is believed, and is the host's to change.
"""

from __future__ import annotations

from sqlalchemy import Text
from sqlmodel import Field

from cfpm.store.tables.base import Table, Time


class SessionEntry(Table, table=True):
    """A session: what it is about, how far it is, what it was forked from."""

    __tablename__ = "sessions"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    session: str = Field(primary_key=True, sa_type=Text)
    title: str = Field(sa_type=Text)
    """As the host named it; empty when it did not."""
    task: str = Field(sa_type=Text)
    """The beginning of what its user said first, as it was said."""
    cwd: str = Field(sa_type=Text)
    """The last folder that was told."""
    project: str = Field(sa_type=Text)
    """The first folder that was told, or what the host named."""
    model: str = Field(sa_type=Text)
    """The last one that was told."""
    agent: str = Field(sa_type=Text)
    """The last one that spoke under a name, or that the memory was opened for."""
    started: str | None = Field(sa_type=Time)
    updated: str | None = Field(sa_type=Time)
    opening: bool
    """Whether what stands before the first word of the user is a turn of its own, the one with the number 0."""
    turns: int
    """One more than the number of the last turn."""
    messages: int
    done: bool
    parent: str = Field(sa_type=Text)
    """The session that it was forked from, or taken back out of; empty for none."""
    parent_turn: int
    """Turns of that one with a smaller number are its beginning."""
    rewound: str = Field(sa_type=Text)
    """The session out of which its turns were taken back; empty for one that stands."""


class MessageDetails(Table, table=True):
    """What was told beside the words of a message; no row for one of which nothing was."""

    __tablename__ = "message_details"
    __table_args__ = ({"sqlite_with_rowid": False},)

    namespace: str = Field(primary_key=True, sa_type=Text)
    session: str = Field(primary_key=True, sa_type=Text)
    message_id: str = Field(primary_key=True, sa_type=Text)
    model: str = Field(sa_type=Text)
    reply: str = Field(sa_type=Text)
    """The provider's id of the reply that it is a part of."""
    input: int | None
    """Tokens that were sent, those from a cache among them; unknown for a message without usage."""
    output: int | None
    cache_read: int | None
    cache_written: int | None
    cost: float | None
    signature: str = Field(sa_type=Text)
    """A provider's seal of a thought."""
    user_visible: bool
    agent_visible: bool
    hidden_by: str = Field(sa_type=Text)
    """The id of the record of the compaction that took it out of the model's view; where that is not part of a history,
    it is visible there."""
    stands_before: str = Field(sa_type=Text)
    """The id of the message before which a note of a compaction stands; empty for where it was said."""
    said_as: str = Field(sa_type=Text)
    """Its origin before its turn was taken back; empty while it stands."""
