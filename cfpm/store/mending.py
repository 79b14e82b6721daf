"""Rows that this program did not write: what no row of ours holds is read as something that nobody believes.

One bad row must not keep a reader from all others. Nothing is written; `cfpm doctor` names the rows. Not for judging
what a row says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from cfpm.model import Action, Category, Decision, Origin, Role, Source, Status
from cfpm.model.clock import can_be_kept, from_text, to_text
from cfpm.store.schema import types

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What converting the values of such a row raises."""

_MEMBERS: Mapping[str, StrEnum] = {
    "action": Action.STALE,
    "category": Category.NOTE,
    "decision": Decision.REJECTED,
    "origin": Origin.HOST_NOTICE,
    "role": Role.TOOL,
    "source": Source.AUTO,
    "status": Status.STALE,
}
"""What stands for an unknown member: the one that is believed least."""

OWN_WORDS = frozenset({"gate_events", "memory_state"})
"""Tables whose actions and statuses are words of their own, none of the enumerations."""

_EMPTY: Mapping[str, str] = {"before": "{}", "after": "{}", "fact_ids": "[]", "changes": "[]"}
"""What a column of JSON holds when it says nothing; others are empty."""


def mended(table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row, in the order of the table's columns, with every value that cannot stand there replaced."""
    return tuple(_value(table, name, kind, value) for (name, kind), value in zip(_columns(table), row, strict=True))


def member(name: str, value: object) -> StrEnum:
    """What a column of this name says, or what stands for an unknown one."""
    usual = _MEMBERS[name]
    return type(usual)(value) if isinstance(value, str) and value in set(type(usual)) else usual


def faults(table: str, row: tuple[Any, ...]) -> list[str]:
    """The columns whose values cannot stand there."""
    sound = mended(table, row)
    names = (name for name, _ in _columns(table))
    return [name for name, was, now in zip(names, row, sound, strict=True) if (type(was), was) != (type(now), now)]


@cache
def fitting(table: str, kinds: tuple[type, ...]) -> bool:
    """Whether values of these types may stand in the columns of the table."""
    return all(kind in _allowed(declared) for (_, declared), kind in zip(_columns(table), kinds, strict=True))


@cache
def _columns(table: str) -> tuple[tuple[str, str], ...]:
    return tuple(types(table).items())


@cache
def _allowed(declared: str) -> frozenset[type]:
    of = {"integer": (int,), "boolean": (int,), "float": (float, int)}.get(declared.removesuffix("?"), (str,))
    return frozenset((*of, type(None)) if declared.endswith("?") else of)


def _value(table: str, name: str, declared: str, value: Any) -> Any:
    kind = declared.removesuffix("?")
    if value is None and declared.endswith("?"):
        return None
    if name in _MEMBERS and table not in OWN_WORDS:
        return member(name, value).value
    match kind:
        case "time":
            return _time(value)
        case "integer" | "boolean":
            number = value if isinstance(value, int) else 0
            return number if kind == "integer" else int(bool(number))
        case "float":
            return value if isinstance(value, float | int) and math.isfinite(value) else 0.0
        case "json":
            return _json(name, value)
        case _:
            return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    return value if isinstance(value, str) else "" if value is None else str(value)


def _time(value: Any) -> str | None:
    try:
        moment = from_text(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return to_text(moment) if moment is not None and can_be_kept(moment) else None


def _json(name: str, value: Any) -> str:
    empty = _EMPTY.get(name, "")
    if value == empty:
        return empty
    try:
        known = json.loads(value)
        # What it holds may be too deep to be written, or too long a number.
        json.dumps(known, allow_nan=False)
    except (*UNREADABLE, UnicodeError):
        return empty
    if name in ("before", "after") and isinstance(known, dict):
        # What else the event says of the fact still holds.
        sound = {field: now for field, now in known.items() if _is_field(field, now)}
        return value if len(sound) == len(known) else json.dumps(sound, sort_keys=True, separators=(",", ":"))
    return value if _fits(name, known) else empty


def _is_field(name: str, value: object) -> bool:
    declared = types("memory_facts").get(name, "")
    if declared == "boolean":
        return isinstance(value, bool)
    return bool(declared) and not isinstance(value, bool) and _value("memory_facts", name, declared, value) == value


def _fits(name: str, known: object) -> bool:
    return isinstance(known, list) and all(_is_part(name, part) for part in known)


def _is_part(name: str, part: object) -> bool:
    match name, part:
        case ("marks" | "fact_ids", str()) | ("changes", dict()):
            return True
        case "shares", [str(), float() | int()]:
            return True
        case "tool_calls", {"id": str(), "name": str(), "arguments": dict(), **rest}:
            return not rest
        case _:
            return False
