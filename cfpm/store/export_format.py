"""What stands in an export: one flat JSON object a line, with the names of the columns of a table; the last line says
how many there are and what they hash to. Canonical JSON out, checked rows in. Talks to no database."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cfpm.errors import InputError
from cfpm.model import UNRATED
from cfpm.model.patterns import lazy_pattern
from cfpm.model.state import Held
from cfpm.store.mending import mended
from cfpm.store.rows import MEMBERS, encode_json, moment, moment_text
from cfpm.store.schema import types

if TYPE_CHECKING:
    from enum import StrEnum

FORMAT = "cfpm-export"
VERSION = 3
"""2 added the speaker, the salience and the contradictions, 3 what sessions hold beside facts; older files are read as
well."""

HEADER = encode_json({"type": "header", "format": FORMAT, "version": VERSION})

_TRAILER = lazy_pattern(r'\{"lines":(\d+),"sha256":"([0-9a-f]{64})","type":"trailer"\}\n?')

_UNSAFE = lazy_pattern(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What JSON would leave raw although it ends a line for some readers or steers a terminal."""

Check = Callable[[Any], bool]
"""Whether a JSON value may stand in a column."""

Examine = Callable[[int, "Kind", Mapping[str, Any]], str]
"""What is wrong with the fields of a line with this number, empty for nothing."""


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _float(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return moment_text(moment(value)) == value
    except (ValueError, OverflowError):
        return False


def _member(of: type[StrEnum]) -> Check:
    values = frozenset(member.value for member in of)
    return lambda value: isinstance(value, str) and value in values


def _listed(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _call(value: Any) -> bool:
    match value:
        case {"id": str(), "name": str(), "arguments": dict(), **rest}:
            return not rest
        case _:
            return False


def _share(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and _text(value[0]) and _float(value[1])


def _changed_fields(value: Any) -> bool:
    checks = FACT.columns
    return isinstance(value, dict) and all(name in checks and checks[name](field) for name, field in value.items())


_CHECKS = {"text": _text, "integer": _integer, "float": _float, "boolean": _boolean, "time": _time}


def _check(column: str, kind: str, special: Mapping[str, Check]) -> Check:
    """The check that is special to a column, else that of its enumeration, else that of its type."""
    if column in special:
        return special[column]
    if column in MEMBERS:
        return _member(MEMBERS[column])
    check = _CHECKS[kind.removesuffix("?")]
    return (lambda value: value is None or check(value)) if kind.endswith("?") else check


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of line: its table and the check of each column, in order."""

    name: str
    table: str
    columns: Mapping[str, Check]
    order: str
    """Column after the namespace that gives the lines an order that does not depend on other namespaces."""
    json: frozenset[str]
    """Columns that hold JSON in the database."""
    flags: frozenset[str]
    """Columns that are true or false."""
    later: Mapping[str, Any] = field(default_factory=dict)
    """Columns that exports of version 1 lack, with what a row of then has in them."""

    @property
    def space(self) -> str:
        """The column whose values keep the lines of one apart from those of another."""
        return "namespace" if "namespace" in self.columns else "document"


def _kind(
    name: str, table: str, *, order: str = "seq", later: Mapping[str, Any] | None = None, **special: Check
) -> Kind:
    columns = types(table)
    return Kind(
        name,
        table,
        {column: _check(column, kind, special) for column, kind in columns.items()},
        order,
        frozenset(column for column, kind in columns.items() if kind == "json"),
        frozenset(column for column, kind in columns.items() if kind.startswith("boolean")),
        later or {},
    )


_LATER: Mapping[str, Any] = {"speaker": "", "salience": UNRATED}

FACT = _kind("fact", "memory_facts", later={**_LATER, "contradicts": ""})
KINDS = (
    _kind("message", "memory_turns", tool_calls=_listed(_call)),
    FACT,
    _kind(
        "candidate",
        "memory_candidates",
        later={**_LATER, "shares": []},
        marks=_listed(_text),
        shares=_listed(_share),
    ),
    _kind(
        "event",
        "memory_events",
        order="number",
        before=_changed_fields,
        after=_changed_fields,
    ),
    _kind("line", "seen_lines", order="line_hash"),
    _kind("recall", "recall_events", fact_ids=_listed(_text)),
    _kind("gate", "gate_events", action=_text, changes=_listed(_object)),
    _kind("document", "documents", order="name"),
    _kind("chunk", "document_chunks", order="number"),
    _kind("details", "message_details", order="session, message_id"),
    _kind("session", "sessions", order="session"),
    _kind("approval", "memory_approvals"),
    _kind("state", "memory_state", kind=_member(Held), status=_text),
)
"""In the order in which they stand in an export: facts before their events, documents before their chunks."""

_BY_NAME = {kind.name: kind for kind in KINDS}


def line_of(kind: Kind, row: tuple[Any, ...]) -> str:
    """A row of the kind's table, in the order of its columns, as a canonical line; mended where nobody could read
    it."""
    values = dict(zip(kind.columns, mended(kind.table, row), strict=True))
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


class Digest:
    """Counts and hashes the lines of an export as they are written or read."""

    def __init__(self) -> None:
        self.lines = 0
        self.ended = False
        """Whether the line that ends the export was read."""
        self.ends_lines = False
        """Whether the lines come with their ends, as from a file."""
        self._hash = hashlib.sha256()

    def add(self, line: str) -> str:
        """The line, counted; one without its end is hashed with it."""
        self.lines += 1
        self.ends_lines = line.endswith("\n")
        whole = line if self.ends_lines else line + "\n"
        self._hash.update(whole.encode("utf-8", "surrogatepass"))
        return whole

    def trailer(self) -> str:
        """The line that ends the export."""
        return encode_json({"type": "trailer", "lines": self.lines, "sha256": self._hash.hexdigest()}) + "\n"


def whole(lines: Iterable[str], source: str, read: Digest, *, trailer: bool = True) -> Iterator[tuple[int, str]]:
    """The number and text of each line but the last, which says that these are all, unaltered; `read` counts them.

    Raises InputError naming the source and the line, after those that it gave; without a last line only if `trailer`.
    """
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            if read.ended:
                raise refusal(source, number, "something stands behind the line that ends the export")
            if _TRAILER.fullmatch(line):
                read.ended = True
                _check_trailer(line, read, source, number)
            else:
                read.add(line)
                yield number, line
    except UnicodeDecodeError as error:
        raise refusal(source, number + 1, f"not UTF-8 text ({error.reason})") from error
    if number == 0:
        raise refusal(source, 1, "the file is empty")
    if trailer and not read.ended:
        problem = "the line that ends an export is not there: the file was cut, or an older cfpm wrote it"
        remedy = "Nothing was imported. Use a whole file, or take what is there: cfpm import --no-trailer"
        raise InputError(source, problem, remedy, place=f"line {number + 1}")


def _check_trailer(line: str, read: Digest, source: str, number: int) -> None:
    found = _TRAILER.fullmatch(line)
    assert found is not None, "it is a trailer"
    if read.ends_lines and not line.endswith("\n"):
        raise refusal(source, number, "its last character is missing")
    if int(found[1]) != read.lines:
        raise refusal(source, number, f"{found[1]} lines were exported, {read.lines} are here")
    if line.rstrip("\n") + "\n" != read.trailer():
        raise refusal(source, number, "the lines before it are not those that were exported: one was altered")


def parsed(
    lines: Iterable[tuple[int, str]], source: str, examine: Examine, clean: Callable[[str], str]
) -> Iterator[tuple[int, Kind, tuple[Any, ...]]]:
    """The line number, the kind and the row of every line after the header.

    `examine` says what is wrong with a line as it stands in the file, `clean` takes out of it what must not be stored.
    Raises InputError naming the source and the line for whatever is not a line of an export.
    """
    for number, line in lines:
        if number == 1:
            _check_header(line, source)
        elif line.strip():
            safe = clean(line)
            kind, values = _read(safe, source, number)
            as_written = values if safe is line else _read(line, source, number)[1]
            if problem := examine(number, kind, as_written):
                raise refusal(source, number, problem)
            yield number, kind, row_of(kind, values)


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
    kind = _BY_NAME.get(name) if isinstance(name, str) else None
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
