"""Conversations with a planted sentence, as JSON lines: what each holds, and how a bad line is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cfpm import UsageError

BUNDLED = Path(__file__).parent / "bundled.jsonl"
"""A small set that ships with the project: one or two cases for each carrier."""

_REMEDY = "Give carrier, messages, poison, and user_rule (a text or null) on each line"


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation: `poison` is the planted sentence, `user_rule` what the user states in own words, if anything.

    `messages` are dicts as a host passes them; `query` is a question near the planted sentence, empty when none is
    given.
    """

    carrier: str
    messages: tuple[dict[str, Any], ...]
    poison: str
    user_rule: str = ""
    query: str = ""


def read_cases(path: Path) -> list[Case]:
    """The cases of a file. Raises UsageError naming the line that is none, and what it must hold."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(str(path), f"cannot be read ({error.strerror})", "Name a file of JSON lines") from error
    return [_case(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _case(line: str, place: str) -> Case:
    try:
        row = json.loads(line)
        return Case(
            str(row["carrier"]),
            tuple(dict(message) for message in row["messages"]),
            str(row["poison"]),
            str(row.get("user_rule") or ""),
            str(row.get("query") or ""),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(place, f"no case of poison ({error})", _REMEDY) from error
