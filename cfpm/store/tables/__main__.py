"""`python -m cfpm.store.tables` writes `store/schema.json` from the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_mock_engine

from cfpm.store.tables import VERSION, Table

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

FILE = Path(__file__).parents[1] / "schema.json"


def schema() -> dict[str, Any]:
    """The statements that build an empty database, the names of its indices, and the columns of each table in order
    with their types; a `?` behind a type says that the column may be empty."""
    statements: list[str] = []

    def collect(statement: Any, *_: object) -> None:
        lines = str(statement.compile(dialect=engine.dialect)).split("\n")
        statements.append(" ".join(line.strip() for line in lines).strip())

    engine = create_mock_engine("sqlite://", collect)
    Table.metadata.create_all(engine, checkfirst=False)
    tables = Table.metadata.sorted_tables
    return {
        "version": VERSION,
        "indices": sorted(str(index.name) for table in tables for index in table.indexes),
        "statements": sorted(statements, key=lambda statement: (not statement.startswith("CREATE TABLE"), statement)),
        "tables": {
            table.name: {column.name: _type(column.type) + "?" * bool(column.nullable) for column in table.columns}
            for table in tables
        },
    }


def _type(of: TypeEngine[Any]) -> str:
    return type(of).__name__.lower()


def text() -> str:
    """`schema` as it stands in the file."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
