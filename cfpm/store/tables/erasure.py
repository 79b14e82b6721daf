"""The tables of what is gone: tombstones without words, the record of erasures, what is not taken in any more."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import Json, Table, Time


class DatabaseKey(Table, table=True):
    """A random key of this file, made when it is first needed. Never exported."""

    __tablename__ = "database_keys"
    __table_args__ = ({"sqlite_with_rowid": False},)

    name: str = Field(primary_key=True, sa_type=Text)
    key: bytes


class Tombstone(Table, table=True):
    """Something that is not to be learnt or shown again, by keyed hashes. No word of it stands here.

    `space`, `exact` and `speaker` are hashes of the namespace, of the canonical text or path, and of the name of who
    said it (empty for nobody's). The other numbers are the `Measure` of its gist.
    """

    __tablename__ = "tombstones"
    __table_args__ = (Index("tombstone_exact", "space", "exact"), Index("tombstone_fact", "fact_id"))

    seq: int = Field(primary_key=True)
    space: str = Field(sa_type=Text)
    fact_id: str = Field(sa_type=Text)
    """The forgotten fact, empty for one that was erased."""
    exact: str = Field(sa_type=Text)
    speaker: str = Field(sa_type=Text)
    weight: int
    words: int
    numbers: int


class TombstoneWord(Table, table=True):
    """The content words of tombstones by 16 bits of a keyed hash, which many words share: to find the tombstones that
    a text may fall under."""

    __tablename__ = "tombstone_words"
    __table_args__ = ({"sqlite_with_rowid": False},)

    word: int = Field(primary_key=True)
    tombstone: int = Field(primary_key=True)
    """`tombstones.seq`"""
    weight: int
    number: bool


class Erasure(Table, table=True):
    """That something was erased: when, by whom, chosen how, how many rows. No word of it."""

    __tablename__ = "erasures"

    seq: int = Field(primary_key=True)
    namespace: str = Field(sa_type=Text)
    selector: str = Field(sa_type=Text)
    """The kinds of what was given: id, query, session, speaker, time, everything, age."""
    erased_by: str = Field(sa_type=Text)
    at: str | None = Field(sa_type=Time)
    counts: str = Field(sa_type=Json)
    """A JSON object: how many rows of each table."""
    last_turn: int
    """The greatest `memory_turns.seq` until then: numbers are not given away again."""
    finished: bool
    """False until no page of the file holds a byte of it."""


class KeptOut(Table, table=True):
    """Messages and sessions of which nothing is taken in any more, by a keyed hash of their names."""

    __tablename__ = "kept_out"
    __table_args__ = ({"sqlite_with_rowid": False},)

    name: str = Field(primary_key=True, sa_type=Text)
    kind: str = Field(sa_type=Text)
    """erased (a message), session (one that is off the record)."""
