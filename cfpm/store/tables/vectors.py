"""The tables of vectors, which are derived from texts and can be made anew."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import Table


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


class SentenceVector(Table, table=True):
    """The vectors of the sentences of a message, each read in its surroundings: one signed byte for each dimension."""

    __tablename__ = "sentence_vectors"

    seq: int = Field(primary_key=True)
    """`memory_turns.seq`"""
    space: int
    """`vector_spaces.id`"""
    vectors: bytes


class FactVector(Table, table=True):
    """The vector of a fact's content, as of a message."""

    __tablename__ = "fact_vectors"

    seq: int = Field(primary_key=True)
    """`memory_facts.seq`"""
    space: int
    vector: bytes
    pieces: bytes
