"""The columns of the tables in the order of their rows, and how a statement names them. Knows no value."""

from __future__ import annotations

from dataclasses import fields

from cfpm.model import Fact

MESSAGE_COLUMNS = (
    "namespace", "session", "turn", "position", "message_id", "role", "name", "origin", "created_at", "agent",
    "cut", "tool_calls", "call_id", "is_error", "exit_code", "text",
)  # fmt: skip
FACT_COLUMNS = tuple(field.name for field in fields(Fact))
CANDIDATE_COLUMNS = (
    "id", "namespace", "session", "turn", "decision", "reason", "rule", "detail", "category", "content", "role",
    "message_id", "span_start", "span_end", "fact_id", "confidence", "extractor", "marks", "line", "event_time",
    "validation_command", "created_at", "reviewed", "speaker", "salience", "shares",
)  # fmt: skip
EVENT_COLUMNS = ("namespace", "number", "fact_id", "action", "cause", "at", "before", "after")

FACT_TIMES = frozenset(
    {"created_at", "updated_at", "last_validated_at", "valid_from", "valid_to", "stale_at", "event_time"}
)


def listed(columns: tuple[str, ...], table: str = "") -> str:
    """The columns as they stand in a statement; quoted, because `before` and `key` are words of SQL."""
    prefix = f"{table}." if table else ""
    return ", ".join(f'{prefix}"{column}"' for column in columns)


def marks(count: int) -> str:
    """The place of so many values in a statement."""
    return ", ".join("?" * count)


def insert_into(table: str, columns: tuple[str, ...]) -> str:
    """`INSERT INTO table (...) VALUES (?, ...)`, to be followed by what to do on a conflict."""
    return f"INSERT INTO {table} ({listed(columns)}) VALUES ({marks(len(columns))})"
