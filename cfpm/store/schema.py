"""The schema as `store/tables` declares it, read from the file written by `python -m cfpm.store.tables`: the statements
that build it, and the columns of each table, for statements to name. Knows no value."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

_SCHEMA: dict[str, Any] = json.loads((resources.files("cfpm.store") / "schema.json").read_text(encoding="utf-8"))

STATEMENTS: tuple[str, ...] = tuple(_SCHEMA["statements"])
"""What builds an empty database."""

VERSION: int = _SCHEMA["version"]
"""The step of `migrations` that leads to it."""

INDICES: frozenset[str] = frozenset(_SCHEMA["indices"])
"""The names of all indices."""


def types(table: str) -> dict[str, str]:
    """The columns of a row in order, without its number, each with its type (`text`, `integer`, `float`, `boolean`,
    `json`, `time`, `blob`; with a `?` behind it if the column may be empty)."""
    return {name: kind for name, kind in _SCHEMA["tables"][table].items() if name != "seq"}


MESSAGE_COLUMNS = tuple(types("memory_turns"))
FACT_COLUMNS = tuple(types("memory_facts"))
CANDIDATE_COLUMNS = tuple(types("memory_candidates"))
EVENT_COLUMNS = tuple(types("memory_events"))
GATE_COLUMNS = tuple(types("gate_events"))


def listed(columns: tuple[str, ...], table: str = "") -> str:
    """The columns as they stand in a statement; quoted, because `before` and `key` are words of SQL."""
    prefix = f"{table}." if table else ""
    return ", ".join(f'{prefix}"{column}"' for column in columns)


def marks(count: int) -> str:
    """The place of so many values in a statement."""
    return ", ".join("?" * count)


def insert_into(table: str, columns: tuple[str, ...] = ()) -> str:
    """`INSERT INTO table (...) VALUES (?, ...)` for these columns or all of a row, for what to do on a conflict to
    follow."""
    names = columns or tuple(types(table))
    return f"INSERT INTO {table} ({listed(names)}) VALUES ({marks(len(names))})"


def equal(**wanted: str | None) -> tuple[str, list[object]]:
    """A condition that these columns have these values, and the values; None asks nothing of a column."""
    given = {column: value for column, value in wanted.items() if value is not None}
    return " AND ".join(f"{column} = ?" for column in given), list(given.values())
