"""A store with rows in every sealed table, made of sentences with numbers in them, and how a copy of it is changed."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cfpm import Memory

ENDINGS = ("", "-wal", "-head", "-key")
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many changes of a kind were tried, and those that were not found."""

    kind: str
    tried: int
    missed: tuple[str, ...]

    @property
    def found(self) -> int:
        """How many were noticed."""
        return self.tried - len(self.missed)


def turn(number: int) -> list[dict[str, object]]:
    """A turn in which things are learnt, refused, and done by a tool."""
    at = (START + timedelta(minutes=number)).isoformat()
    words = (
        f"The port of service {number} is {4000 + number}. I prefer branch {number} over trunk. Maybe {number} fails."
    )
    call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": '{"command": "pytest"}'}}
    return [
        {"role": "user", "content": words, "created_at": at},
        {"role": "assistant", "content": "", "tool_calls": [call], "created_at": at},
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} passed in 1 s", "created_at": at},
        {"role": "assistant", "content": f"All tests of module {number} pass.", "created_at": at},
    ]


def make(file: Path, turns: int = 25) -> Path:
    """The store, closed."""
    with Memory.open(str(file)) as memory:
        for number in range(turns):
            memory.observe(turn(number), session=f"s{number % 3}")
            memory.recall(f"port of service {number}")
            memory.gate("bash", f"ls /srv/{number}", session="s0")
            memory.approve(f"restart service {number}", session="s0")
            if number % 5 == 4:
                memory.erase(query=f"service {number - 3} is", by="benchmark")
    return file


def copied(file: Path, folder: Path) -> Path:
    """All that belongs to a database, in another folder that is emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for ending in ENDINGS:
        if (part := file.with_name(file.name + ending)).exists():
            shutil.copy(part, folder)
    return folder / file.name


def tamper(file: Path, *statements: str) -> bool:
    """Runs raw SQL on a file; false when it changed nothing."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
        return connection.total_changes > 0


def columns(file: Path, table: str) -> list[str]:
    """The columns of a table without its number."""
    with closing(sqlite3.connect(file)) as connection:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "seq"]


def numbers(file: Path, table: str, column: str = "seq") -> list[int]:
    """The numbers of all rows."""
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute(f"SELECT {column} FROM {table} ORDER BY {column}")]


def chance() -> random.Random:
    """The same choices in every run."""
    return random.Random(16)
