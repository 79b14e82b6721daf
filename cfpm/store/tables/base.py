"""What all tables have in common, and the ledger of the steps that built the file."""

from __future__ import annotations

from sqlalchemy import Text, text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

NO_TEXT = {"server_default": text("''")}
UNRATED = {"server_default": text("0.5")}


class Table(SQLModel, registry=registry()):
    """Base with a registry of its own, so that a host's `SQLModel.metadata.create_all` never makes our tables."""


class SchemaMigration(Table, table=True):
    """The ledger: which steps built this file. `applied_by` is the version of cfpm that took the step."""

    __tablename__ = "schema_migrations"

    version: int = Field(primary_key=True)
    name: str = Field(sa_type=Text)
    applied_by: str = Field(sa_type=Text)
