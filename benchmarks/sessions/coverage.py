"""Compares what a second, simple reader finds in a file with what ours reads: is a message lost? Judges no content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.transcript.reading import read
from cfpm.transcript.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchmarks.sessions.sources import Source
    from cfpm import Message

_DECORATION = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Messages that the second reader finds, and the first words of those of which a line is missing in ours."""

    messages: int = 0
    lost: tuple[str, ...] = ()

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(self.messages + other.messages, self.lost + other.lost)


def coverage(source: Source, path: Path) -> Coverage:
    """Looks for every line of every message of the file in the messages that this package reads from it."""
    found: set[str] = set()
    messages = [record.message for record in read(path) if not isinstance(record, Problem)]
    for message in messages:
        found.update(_lines(message.text))
    whole = ""
    count, lost = 0, []
    for text in source.texts(path):
        count += 1
        missing = [line for line in _lines(text) if line not in found]
        if missing:
            # Readers may set a line off, split it at a notice of the host, or move it into a call.
            whole = whole or _everything(messages)
            if any(line not in whole for line in missing):
                lost.append(f"{path.name}: {next(line for line in missing if line not in whole)[:100]}")
    return Coverage(count, tuple(lost))


def _lines(text: str) -> set[str]:
    return {folded for line in text.splitlines() if (folded := _DECORATION.sub("", line))}


def _everything(messages: Iterable[Message]) -> str:
    parts: list[str] = []
    for message in messages:
        parts.append(message.text)
        parts.extend(f"{key}{value}" for call in message.tool_calls for key, value in call.arguments.items())
    return _DECORATION.sub("", "".join(parts))
