"""Short ways to look at what reading yields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cfpm.model import Message
from cfpm.transcript.reading import read
from cfpm.transcript.records import Problem, Record


def records(path: Path, **options: Any) -> list[Record]:
    """All records; a problem fails the test."""
    items = list(read(path, **options))
    assert [item for item in items if isinstance(item, Problem)] == []
    return [item for item in items if isinstance(item, Record)]


def known_records(path: Path) -> list[Record]:
    """All records of a file that also holds kinds of lines that nobody knows; any other problem fails the test."""
    items = list(read(path))
    assert [item for item in items if isinstance(item, Problem) and not item.unknown] == []
    return [item for item in items if isinstance(item, Record)]


def messages(path: Path, **options: Any) -> list[Message]:
    return [record.message for record in records(path, **options)]


def problems(path: Path, **options: Any) -> list[Problem]:
    return [item for item in read(path, **options) if isinstance(item, Problem)]


def readable(path: Path, **options: Any) -> list[str]:
    """The texts of what could be read, problems left out."""
    return [item.message.text for item in read(path, **options) if isinstance(item, Record)]


def shape(found: list[Message]) -> list[tuple[str, str, str]]:
    """Role, origin and text of each message."""
    return [(message.role.value, message.origin.value, message.text) for message in found]
