"""The tables of documents: files that the user put into the memory to be looked up, never learnt from."""

from __future__ import annotations

from sqlalchemy import Index, Text
from sqlmodel import Field

from cfpm.store.tables.base import Table, Time, full_text


class Document(Table, table=True):
    """A document as it was added last.

    Not sealed: it is a copy of a file that anybody may compare with it, by its digest, and nothing is believed from it.
    """

    __tablename__ = "documents"
    __table_args__ = (
        Index("document_id", "id", unique=True),
        Index("document_name", "namespace", "name", unique=True),
    )

    seq: int = Field(primary_key=True)
    id: str = Field(sa_type=Text)
    namespace: str = Field(sa_type=Text)
    name: str = Field(sa_type=Text)
    kind: str = Field(sa_type=Text)
    """text, pdf, docx, pptx, xlsx"""
    path: str = Field(sa_type=Text)
    """The file that it was read from; empty for text that a host gave."""
    size: int
    """Bytes of the file, or of the text as UTF-8."""
    digest: str = Field(sa_type=Text)
    """SHA-256 of the text as it is kept, in hex."""
    version: int
    """Counts from 1 with each text that took the place of another one."""
    lines: int
    characters: int
    added_at: str | None = Field(sa_type=Time)


class DocumentChunk(Table, table=True):
    """A stretch of the text of a document; one behind the other they are the whole."""

    __tablename__ = "document_chunks"
    __table_args__ = (Index("chunk_place", "document", "number", unique=True),)

    seq: int = Field(primary_key=True)
    document: str = Field(sa_type=Text)
    """`documents.id`"""
    number: int
    """From 0 within the document."""
    place: str = Field(sa_type=Text)
    """`page 3`, `slide 3` or `sheet NAME`; empty in a document without parts."""
    first_line: int
    """The line of the document that it begins in, from 1."""
    last_line: int
    text: str = Field(sa_type=Text)


full_text(DocumentChunk, "documents_text")


class DocumentVector(Table, table=True):
    """The vector of the head of a chunk, as of a message."""

    __tablename__ = "document_vectors"

    seq: int = Field(primary_key=True)
    """`document_chunks.seq`"""
    space: int
    vector: bytes
    pieces: bytes
