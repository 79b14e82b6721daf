"""Rows of the tables, in the order of their columns, from values of `cfpm.model` and back. Talks to no database."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from cfpm.model import (
    Action,
    Candidate,
    Category,
    Decision,
    Event,
    Fact,
    LoggedMessage,
    Message,
    Origin,
    Role,
    Source,
    Span,
    Status,
    ToolCall,
    ToolResult,
)
from cfpm.model.clock import can_be_kept, from_text, to_text
from cfpm.store.mending import UNREADABLE, fitting, mended
from cfpm.store.schema import CANDIDATE_COLUMNS, FACT_COLUMNS, GATE_COLUMNS, types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from enum import StrEnum

    from cfpm.store.connection import Row

    Converters = list[tuple[int, Callable[[Any], Any]]]
    """The columns, by place, whose values are stored in another form, with what converts them."""

# The facts of one turn share their moments, so each is written and read once.
moment_text = lru_cache(maxsize=4_096)(to_text)


@lru_cache(maxsize=4_096)
def moment(text: str | None) -> datetime | None:
    """A stored time. Raises ValueError for one at the ends of the calendar, with which nobody could reckon."""
    found = from_text(text)
    if found is not None and not can_be_kept(found):
        raise ValueError(f"{text} lies too far away")
    return found


def moment_if_sound(text: Any) -> datetime | None:
    """A stored time, or None for what is none."""
    try:
        return moment(text)
    except UNREADABLE:
        return None


encode_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str).encode
"""Canonical: the same value gives the same text."""


def rounded(value: float) -> float:
    """Four decimals, so that exports of different machines agree byte by byte."""
    return round(float(value), 4)


def _marks_text(marks: tuple[str, ...]) -> str:
    return encode_json(marks) if marks else ""


def _shares_text(shares: tuple[tuple[str, float], ...]) -> str:
    return encode_json([(name, rounded(share)) for name, share in shares]) if shares else ""


def _marks(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()


def _shares(text: str) -> tuple[tuple[str, float], ...]:
    return tuple((name, share) for name, share in json.loads(text)) if text else ()


MEMBERS: Mapping[str, type[StrEnum]] = {
    "action": Action,
    "category": Category,
    "decision": Decision,
    "origin": Origin,
    "role": Role,
    "source": Source,
    "status": Status,
}
"""The enumerations whose values stand in columns, by the name of the column; the gate's actions are plain texts."""

_SPAN = {"message_id": "span.message_id", "span_start": "span.start", "span_end": "span.end"}


def _writers(table: str, **special: Callable[[Any], Any]) -> Converters:
    times = {name: moment_text for name, kind in types(table).items() if kind.startswith("time")}
    return _by_place(table, {**times, **dict.fromkeys(MEMBERS, attrgetter("value")), **special})


def _readers(table: str, **special: Callable[[Any], Any]) -> Converters:
    of_kind: dict[str, Callable[[Any], Any]] = {"time": moment, "float": _finite}
    usual = {name: of_kind[known] for name, kind in types(table).items() if (known := kind.rstrip("?")) in of_kind}
    members: Mapping[str, Callable[[Any], Any]] = {} if table == "gate_events" else MEMBERS
    return _by_place(table, {**usual, **members, **special})


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number to reckon with")
    return value


def _by_place(table: str, converters: Mapping[str, Callable[[Any], Any]]) -> Converters:
    return [(place, converters[name]) for place, name in enumerate(types(table)) if name in converters]


def _converted(values: tuple[Any, ...], converters: Converters) -> list[Any]:
    row = list(values)
    for place, convert in converters:
        row[place] = convert(row[place])
    return row


def _read(table: str, row: tuple[Any, ...], converters: Converters) -> list[Any]:
    """The values of a row, in the order of the table's columns; those that cannot stand in one are mended."""
    if fitting(table, tuple(map(type, row))):
        try:
            return _converted(row, converters)
        except UNREADABLE:
            pass
    return _converted(mended(table, row), converters)


_fact_values = attrgetter(*FACT_COLUMNS)
_FACT_WRITERS = _writers("memory_facts", confidence=float, salience=rounded)
_FACT_READERS = _readers("memory_facts", pinned=bool)
_candidate_values = attrgetter(*(_SPAN.get(name, name) for name in CANDIDATE_COLUMNS))
_CANDIDATE_WRITERS = _writers(
    "memory_candidates", confidence=float, marks=_marks_text, salience=rounded, shares=_shares_text
)
_CANDIDATE_READERS = _readers("memory_candidates", marks=_marks, reviewed=bool, shares=_shares)


def fact_row(fact: Fact) -> tuple[Any, ...]:
    """In the order of FACT_COLUMNS, which are the fields of `Fact`."""
    return tuple(_converted(_fact_values(fact), _FACT_WRITERS))


@lru_cache(maxsize=512)
def fact_from(row: Row) -> Fact:
    """The reverse of `fact_row`."""
    return Fact(*_read("memory_facts", row, _FACT_READERS))


def fact_fields(fact: Fact) -> dict[str, object]:
    """The fact as JSON values by field name."""
    return dict(zip(FACT_COLUMNS, fact_row(fact), strict=True))


def fact_from_fields(values: Mapping[str, Any]) -> Fact:
    """The reverse of `fact_fields`."""
    return fact_from(tuple(values[column] for column in FACT_COLUMNS))


def candidate_row(candidate: Candidate) -> tuple[object, ...]:
    """In the order of CANDIDATE_COLUMNS."""
    return tuple(_converted(_candidate_values(candidate), _CANDIDATE_WRITERS))


def candidate_from(row: Row) -> Candidate:
    """The reverse of `candidate_row`."""
    values = dict(zip(CANDIDATE_COLUMNS, _read("memory_candidates", row, _CANDIDATE_READERS), strict=True))
    return Candidate(span=Span(*map(values.pop, _SPAN)), **values)


def event_from(row: Row) -> Event:
    """From a row in the order of EVENT_COLUMNS."""
    namespace, number, fact_id, action, cause, at, before, after = _read("memory_events", row, _EVENT_READERS)
    return Event(number, namespace, fact_id, action, cause, before, after, at)


def gate_event_from(row: Row) -> dict[str, Any]:
    """The fields of a row in the order of GATE_COLUMNS, its changes as values."""
    return dict(zip(GATE_COLUMNS, _read("gate_events", row, _GATE_READERS), strict=True))


def message_row(logged: LoggedMessage) -> tuple[object, ...]:
    """In the order of MESSAGE_COLUMNS."""
    message = logged.message
    result = message.tool_result
    return (
        logged.namespace,
        logged.session,
        logged.turn,
        logged.position,
        message.id,
        message.role.value,
        message.name,
        message.origin.value,
        moment_text(message.created_at),
        logged.agent,
        logged.cut,
        _calls_text(message.tool_calls) if message.tool_calls else "",
        result.call_id if result else None,
        result.is_error if result else None,
        result.exit_code if result else None,
        message.text,
    )


def message_from(row: Row) -> LoggedMessage:
    """The reverse of `message_row`."""
    known = _read("memory_turns", row, _MESSAGE_READERS)
    namespace, session, turn, position, message_id, role, name, origin, created_at, agent, cut = known[:11]
    tool_calls, call_id, is_error, exit_code, text = known[11:]
    result = None
    if call_id is not None:
        result = ToolResult(call_id, None if is_error is None else bool(is_error), exit_code)
    message = Message(role, text, message_id, created_at, name, origin, tool_calls, result)
    return LoggedMessage(namespace, session, turn, position, message, cut, agent)


def _calls_text(calls: tuple[ToolCall, ...]) -> str:
    return encode_json([{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in calls])


def calls_from(text: str) -> tuple[ToolCall, ...]:
    """The tool calls of the JSON text of a message."""
    if not text:
        return ()
    return tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in json.loads(text))


def calls_if_sound(text: Any) -> tuple[ToolCall, ...]:
    """The tool calls of a message, none where they cannot be read."""
    try:
        return calls_from(text)
    except UNREADABLE:
        return ()


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"{type(value).__name__} instead of an object")
    return value


_EVENT_READERS = _readers("memory_events", before=_object, after=_object)
_GATE_READERS = _readers("gate_events", changes=json.loads)
_MESSAGE_READERS = _readers("memory_turns", tool_calls=calls_from)
