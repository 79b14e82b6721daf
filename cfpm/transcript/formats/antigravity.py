"""Antigravity's transcripts: JSON Lines of steps, each with its source. What a step of the model shows that is no
answer is the result of a call of the step before.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.transcript.blocks import tool_call, tool_output
from cfpm.transcript.fields import clean, label, list_of, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import (
    Format,
    RowReader,
    kinds,
    said_in_tag,
)
from cfpm.transcript.origins import number_parts

_REQUEST = "USER_REQUEST"
_FOLDER = "brain"
"""Below it each conversation has a folder that is called by its id."""


def _fits_row(row: Mapping[str, object]) -> bool:
    return "step_index" in row and isinstance(row.get("source"), str) and isinstance(row.get("type"), str)


@dataclass(slots=True)
class _Reader(RowReader):
    """Reads step by step; `waiting` are the calls whose results are to come."""

    waiting: deque[ToolCall] = field(default_factory=deque)

    def messages(self, place: str, row: Mapping[str, object]) -> list[Message]:
        """The messages of a step."""
        kind, text = text_of(row.get("type")), text_of(row.get("content"))
        at, step = loose_moment(row.get("created_at")), label(row.get("step_index"))
        match row.get("source"):
            case "USER_EXPLICIT":
                messages = _asked(Message(Role.USER, text, created_at=at))
            case "MODEL" if kind == "PLANNER_RESPONSE":
                messages = self._answered(row, Message(Role.ASSISTANT, text, created_at=at), step)
            case "MODEL":
                call = self.waiting.popleft() if self.waiting else ToolCall("", kind.lower())
                stated = True if row.get("status") == "ERROR" else None
                messages = [tool_output(text, call.id, stated=stated, at=at, name=call.name)]
            case "SYSTEM" | "USER_IMPLICIT":
                known = kind in kinds("antigravity")["bookkeeping"] or not text
                notice = Message(Role.SYSTEM, text, created_at=at, origin=Origin.HOST_NOTICE)
                messages = [] if known else [notice]
            case source:
                self.unknown.add(f"step of source {source}", place)
                messages = []
        return number_parts(messages, f"step-{step}" if step else "")

    def _answered(self, row: Mapping[str, object], said: Message, step: str) -> list[Message]:
        thought = text_of(row.get("thinking"))
        listed = enumerate(list_of(row.get("tool_calls")), start=1)
        calls = [_call(object_of(call), f"step-{step}-{number}") for number, call in listed]
        self.waiting = deque(calls)
        thinking = Message(Role.ASSISTANT, thought, created_at=said.created_at, origin=Origin.THINKING)
        answer = Message(Role.ASSISTANT, said.text, created_at=said.created_at, tool_calls=tuple(calls))
        return [one for one in (thinking, answer) if one.text or one.tool_calls]


def _asked(message: Message) -> list[Message]:
    if message.text.startswith(f"<{_REQUEST}>"):
        return said_in_tag(message, _REQUEST, 0)
    return [message] if message.text.strip() else []


def _call(call: Mapping[str, object], identity: str) -> ToolCall:
    """A call, its arguments under the names that others use; each is written as JSON inside of the JSON."""
    names = kinds("antigravity")["arguments"]
    given = object_of(call.get("args"))
    return tool_call(identity, call.get("name"), {names.get(key, key): _value(given[key]) for key in given})


def _value(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _session(source: str) -> str:
    """The conversation's id, from its folder; a file that was moved elsewhere is named by its words."""
    parts = PurePath(source).parts
    at = parts.index(_FOLDER) + 1 if _FOLDER in parts else len(parts)
    return clean(parts[at]) if at < len(parts) - 1 else ""


FORMAT = Format(
    name="antigravity",
    about="Antigravity's transcripts (JSON Lines of steps)",
    fits_row=_fits_row,
    rows=lambda rows, source: _Reader(source, _session(source)).read(rows),
)
