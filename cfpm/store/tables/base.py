"""What all tables have in common, and the ledger of the steps that built the file."""

from __future__ import annotations

from sqlalchemy import DDL, Text, event, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

NO_TEXT = {"server_default": text("''")}
UNRATED = {"server_default": text("0.5")}


class Json(Text):
    """A text column that holds canonical JSON."""


class Time(Text):
    """A text column that holds an ISO 8601 time in UTC, with microseconds."""


class Table(SQLModel, registry=registry()):
    """Base with a registry of its own, so that a host's `SQLModel.metadata.create_all` never makes our tables."""


class SchemaMigration(Table, table=True):
    """The ledger: which steps built this file. `applied_by` is the version of cfpm that took the step."""

    __tablename__ = "schema_migrations"

    version: int = Field(primary_key=True)
    name: str = Field(sa_type=Text)
    applied_by: str = Field(sa_type=Text)


def full_text(table: type[Table], name: str) -> None:
    """Declares the full-text index of a table for SQLite; its row ids are the table's `seq`.

    It is contentless, since the text itself is in the table. CJK characters are separated by spaces before they come
    here (`index_text`), because unicode61 takes a whole run of them for one word.
    """
    options = "content='', tokenize='porter unicode61 remove_diacritics 2'"
    create = DDL(f"CREATE VIRTUAL TABLE {name} USING fts5(text, {options})")  # type: ignore[no-untyped-call]
    event.listen(table.metadata.tables[str(table.__tablename__)], "after_create", create.execute_if(dialect="sqlite"))
