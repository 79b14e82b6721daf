"""The lines of an export: which kinds there are, what stands in them, and how one is checked when it comes back.

One flat JSON object a line, with the names of the columns. Reads and writes no database.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cfpm.errors import InputError
from cfpm.models import Action, Category, Decision, Origin, Role, Source, Status
from cfpm.store.activity import GATE_COLUMNS, RECALL_COLUMNS
from cfpm.store.rows import (
    CANDIDATE_COLUMNS,
    EVENT_COLUMNS,
    FACT_COLUMNS,
    FACT_TIMES,
    MESSAGE_COLUMNS,
    encode_json,
    moment,
    moment_text,
)

if TYPE_CHECKING:
    from enum import StrEnum

FORMAT = "cfpm-export"
VERSION = 1

Field = Callable[[Any], bool]
"""Whether a JSON value may stand in a column."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of line: its table, its columns in order, and which of them hold JSON in the database."""

    name: str
    table: str
    columns: Mapping[str, Field]
    order: str
    """Column after the namespace that gives the lines an order that does not depend on other namespaces."""
    json: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _number(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return moment_text(moment(value)) == value
    except (ValueError, OverflowError):
        return False


def _optional(check: Field) -> Field:
    return lambda value: value is None or check(value)


def _member(kind: type[StrEnum]) -> Field:
    values = frozenset(member.value for member in kind)
    return lambda value: isinstance(value, str) and value in values


def _listed(check: Field) -> Field:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _call(value: Any) -> bool:
    match value:
        case {"id": str(), "name": str(), "arguments": dict(), **rest}:
            return not rest
        case _:
            return False


def _changed_fields(value: Any) -> bool:
    return isinstance(value, dict) and all(name in _FACT and _FACT[name](field) for name, field in value.items())


def _columns(names: tuple[str, ...], **special: Field) -> dict[str, Field]:
    """A check for each column: a text, unless said otherwise."""
    assert set(special) <= set(names)
    return {name: special.get(name, _text) for name in names}


_FACT = _columns(
    FACT_COLUMNS,
    **dict.fromkeys(FACT_TIMES, _optional(_time)),
    category=_member(Category),
    status=_member(Status),
    source=_member(Source),
    role=_member(Role),
    pinned=_flag,
    confidence=_number,
    evidence_count=_whole,
    span_start=_whole,
    span_end=_whole,
    validation_command=_optional(_text),
)

MESSAGE = Kind(
    "message",
    "memory_turns",
    _columns(
        MESSAGE_COLUMNS,
        turn=_whole,
        position=_whole,
        role=_member(Role),
        origin=_member(Origin),
        created_at=_optional(_time),
        cut=_whole,
        tool_calls=_listed(_call),
        call_id=_optional(_text),
        is_error=_optional(_flag),
        exit_code=_optional(_whole),
    ),
    order="seq",
    json=frozenset({"tool_calls"}),
    flags=frozenset({"is_error"}),
)
FACT = Kind("fact", "memory_facts", _FACT, order="seq", flags=frozenset({"pinned"}))
CANDIDATE = Kind(
    "candidate",
    "memory_candidates",
    _columns(
        CANDIDATE_COLUMNS,
        turn=_whole,
        decision=_member(Decision),
        category=_member(Category),
        role=_member(Role),
        span_start=_whole,
        span_end=_whole,
        confidence=_number,
        marks=_listed(_text),
        event_time=_optional(_time),
        validation_command=_optional(_text),
        created_at=_optional(_time),
        reviewed=_flag,
    ),
    order="seq",
    json=frozenset({"marks"}),
    flags=frozenset({"reviewed"}),
)
EVENT = Kind(
    "event",
    "memory_events",
    _columns(
        EVENT_COLUMNS,
        number=_whole,
        action=_member(Action),
        at=_optional(_time),
        before=_changed_fields,
        after=_changed_fields,
    ),
    order="number",
    json=frozenset({"before", "after"}),
)
LINE = Kind("line", "seen_lines", _columns(("namespace", "line_hash", "kind")), order="line_hash")
RECALL = Kind(
    "recall",
    "recall_events",
    _columns(RECALL_COLUMNS, fact_ids=_listed(_text), at=_optional(_time)),
    order="seq",
    json=frozenset({"fact_ids"}),
)
GATE = Kind(
    "gate",
    "gate_events",
    _columns(GATE_COLUMNS, changes=_listed(_object), at=_optional(_time)),
    order="seq",
    json=frozenset({"changes"}),
)
KINDS = (MESSAGE, FACT, CANDIDATE, EVENT, LINE, RECALL, GATE)
"""In the order in which they stand in an export: facts before their events."""

_KINDS = {kind.name: kind for kind in KINDS}

HEADER = encode_json({"type": "header", "format": FORMAT, "version": VERSION})


def line_of(kind: Kind, row: tuple[Any, ...]) -> str:
    """A row of the kind's table, in the order of its columns, as a canonical line."""
    values = dict(zip(kind.columns, row, strict=True))
    for column in kind.json:
        values[column] = json.loads(values[column]) if values[column] else []
    for column in kind.flags:
        values[column] = None if values[column] is None else bool(values[column])
    return encode_json({"type": kind.name, **values})


def problem_in(kind: Kind, values: Mapping[str, Any]) -> str:
    """What is wrong with the fields of a line of this kind, or empty text."""
    if missing := sorted(set(kind.columns) - set(values)):
        return f"a {kind.name} lacks {', '.join(missing)}"
    if unknown := sorted(set(values) - set(kind.columns)):
        return f"a {kind.name} has no field {', '.join(unknown)}"
    for column, fits in kind.columns.items():
        if not fits(values[column]):
            return f"the {column} of a {kind.name} cannot be {str(values[column])[:80]!r}"
    return ""


def row_of(kind: Kind, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The reverse of `line_of`, for fields in which `problem_in` found nothing."""
    return tuple(_stored(kind, column, values[column]) for column in kind.columns)


def _stored(kind: Kind, column: str, value: Any) -> Any:
    if column not in kind.json:
        return value
    # As the rooms write it: an absent list of calls or marks is empty text, all other JSON is written out.
    return "" if not value and kind.name in ("message", "candidate") else encode_json(value)


def parsed(lines: Iterable[str], source: str) -> Iterator[tuple[int, Kind, tuple[Any, ...]]]:
    """The line number, the kind and the row of every line after the header.

    Raises InputError naming the source and the line for whatever is not a line of an export.
    """
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            if number == 1:
                _check_header(line, source)
            elif line.strip():
                kind, values = _read(line, source, number)
                yield number, kind, row_of(kind, values)
    except UnicodeDecodeError as error:
        raise _refusal(source, number + 1, f"not UTF-8 text ({error.reason})") from error
    if number == 0:
        raise _refusal(source, 1, "the file is empty")


def _check_header(line: str, source: str) -> None:
    match _json(line, source, 1):
        case {"type": "header", "format": str(name), "version": int(version)} if name == FORMAT:
            if version > VERSION:
                raise InputError(
                    source,
                    f"it is an export of version {version}, this cfpm reads version {VERSION}",
                    "Upgrade cfpm: pip install --upgrade cfpm",
                    place="line 1",
                )
        case _:
            raise _refusal(source, 1, "it does not begin with the header of an export")


def _read(line: str, source: str, number: int) -> tuple[Kind, dict[str, Any]]:
    value = _json(line, source, number)
    if not isinstance(value, dict):
        raise _refusal(source, number, "it is no JSON object")
    name = value.pop("type", None)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _refusal(source, number, f"there are no lines of type {str(name)[:80]!r}")
    if problem := problem_in(kind, value):
        raise _refusal(source, number, problem)
    return kind, value


def _json(line: str, source: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _refusal(source, number, f"it is not JSON ({error})") from error


def _refusal(source: str, number: int, problem: str) -> InputError:
    remedy = "Nothing was imported. Use a file that `cfpm export` wrote, unchanged"
    return InputError(source, problem, remedy, place=f"line {number}")
