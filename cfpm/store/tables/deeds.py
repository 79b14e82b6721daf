"""The tables of deeds, which are derived from the calls in messages and can be made anew."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import Table, Time


class MemoryDeed(Table, table=True):
    """One thing that a tool call did, as far as it changed something or read a path.

    `seq` is made of the number of the message and of the place in it, so that the order is that of the messages, also
    where an older file is read later, and making it anew gives the same rows.
    """

    __tablename__ = "memory_deeds"
    __table_args__ = (Index("deed_listing", "namespace", "seq"), Index("deed_turn", "turn"))

    seq: int = Field(primary_key=True)
    turn: int
    """`memory_turns.seq` of the message that makes the call"""
    namespace: str = Field(sa_type=Text)
    session: str = Field(sa_type=Text)
    agent: str = Field(sa_type=Text)
    verb: str = Field(sa_type=Text)
    """ran, edited, wrote, removed, moved, read"""
    what: str = Field(sa_type=Text)
    """A path under its root where that is known, or a command on one line."""
    destination: str = Field(sa_type=Text)
    """Where a path was moved; empty otherwise."""
    folder: str = Field(sa_type=Text)
    """The working directory that the call names; empty when it names none."""
    purpose: str = Field(sa_type=Text)
    """What a command is for, in the words of `extractor/calls.toml`; empty when nothing is known of it."""
    names: str = Field(sa_type=Text)
    """What an edit or a new file defines or changes, with spaces between."""
    outcome: int | None
    """1 when it ended well, 0 when it failed; unknown without a result that says so."""
    result: int | None
    """`memory_turns.seq` of the message that says how it ended"""
    at: str | None = Field(sa_type=Time)
    """The time of the calling message, else of its result."""


class DeedGap(Table, table=True):
    """Messages of an older file whose calls have not been read yet; no row when there are none."""

    __tablename__ = "deed_gaps"

    first: int = Field(primary_key=True)
    """`memory_turns.seq`"""
    last: int
    """`memory_turns.seq`"""
