"""Coding sessions as their files tell them: messages with calls and results, and what is asked of them later."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_PACE = timedelta(seconds=40)
"""Between two messages."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked later; one spelling of each group must be found."""

    asked: str
    found: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Session:
    """Messages in the style of OpenAI, with their times, and the questions of somebody who comes back."""

    name: str
    messages: tuple[Mapping[str, object], ...]
    questions: tuple[Question, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a file of events; KeyError or ValueError name what is wrong with it."""
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        questions = tuple(Question(row["ask"], tuple(map(tuple, row["found"]))) for row in rows if "ask" in row)
        return cls(path.stem, tuple(_messages(row for row in rows if "ask" not in row)), questions)


def _messages(rows: Iterator[dict[str, Any]]) -> Iterator[Mapping[str, object]]:
    at = datetime.min.replace(tzinfo=UTC)
    for number, row in enumerate(rows):
        at = datetime.fromisoformat(row["at"]) if "at" in row else at + _PACE
        when = at.isoformat()
        if "user" in row:
            yield {"role": "user", "content": row["user"], "created_at": when}
        elif "agent" in row:
            yield {"role": "assistant", "content": row["agent"], "created_at": when}
        else:
            name, arguments = row["call"]
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"id": f"call_{number}", "type": "function", "function": function}
            yield {"role": "assistant", "content": "", "tool_calls": [call], "created_at": when}
            at += timedelta(seconds=5)
            result = {"role": "tool", "tool_call_id": call["id"], "content": row["out"], "created_at": at.isoformat()}
            status = {"is_error": not row["ok"]} if "ok" in row else {}
            yield result | status | ({"exit_code": row["exit"]} if "exit" in row else {})
