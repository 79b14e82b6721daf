"""The lines of an export, written and read: canonical JSON out, checked rows in. Talks to no database."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from cfpm.errors import InputError
from cfpm.store.kinds import KINDS, Kind
from cfpm.store.values import encode_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FORMAT = "cfpm-export"
VERSION = 2
"""2 added the speaker, the salience and the contradictions; files of version 1 are read as well."""

_KINDS = {kind.name: kind for kind in KINDS}

_UNSAFE = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What JSON would leave raw although it ends a line for some readers or steers a terminal."""

HEADER = encode_json({"type": "header", "format": FORMAT, "version": VERSION})


def line_of(kind: Kind, row: tuple[Any, ...]) -> str:
    """A row of the kind's table, in the order of its columns, as a canonical line."""
    values = dict(zip(kind.columns, row, strict=True))
    for column in kind.json:
        values[column] = json.loads(values[column]) if values[column] else []
    for column in kind.flags:
        values[column] = None if values[column] is None else bool(values[column])
    return _UNSAFE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", encode_json({"type": kind.name, **values}))


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
        raise refusal(source, number + 1, f"not UTF-8 text ({error.reason})") from error
    if number == 0:
        raise refusal(source, 1, "the file is empty")


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
            raise refusal(source, 1, "it does not begin with the header of an export")


def _read(line: str, source: str, number: int) -> tuple[Kind, dict[str, Any]]:
    value = _json(line, source, number)
    if not isinstance(value, dict):
        raise refusal(source, number, "it is no JSON object")
    name = value.pop("type", None)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise refusal(source, number, f"there are no lines of type {str(name)[:80]!r}")
    value = {**kind.later, **value}
    if problem := problem_in(kind, value):
        raise refusal(source, number, problem)
    return kind, value


def _json(line: str, source: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise refusal(source, number, f"it is not JSON ({error})") from error


def refusal(source: str, number: int, problem: str) -> InputError:
    """What to raise for a line that cannot be imported."""
    remedy = "Nothing was imported. Use a file that `cfpm export` wrote, unchanged"
    return InputError(source, problem, remedy, place=f"line {number}")
