"""Typed values out of JSON-like input: texts that no later step can stumble over, moments, tool arguments.

Knows no format.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from cfpm.model.clock import EARLIEST, LATEST, aware, lies_in_range
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.arguments import MAX_NAME, shown
from cfpm.transcript.records import Unreadable

MAX_DEPTH = 64
"""Levels of nesting in a tool call's arguments; deeper is an attack or a bug, and serialising it would exhaust the
stack.
"""

MAX_BITS = 3_322
"""Bits of a whole number in a tool call's arguments: a thousand digits. Python refuses to write more than 4,300."""

_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_UNREADABLE = "\ufffd"
_MILLISECONDS_FROM = 1e11
"""Epoch numbers above this are milliseconds: as seconds they would lie beyond the year 5138."""

_CLOCK = lazy_pattern(r"\b(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]\.?m\b)?", re.IGNORECASE)
_DAY_FIRST = lazy_pattern(r"\b(\d{1,2})(?:st|nd|rd|th)?[\s-]+([A-Za-z]{3,9})\.?,?[\s-]+(\d{4})\b")
_MONTH_FIRST = lazy_pattern(r"\b([A-Za-z]{3,9})\.?[\s-]+(\d{1,2})(?:st|nd|rd|th)?,?[\s-]+(\d{4})\b")
_YEAR_FIRST = lazy_pattern(r"\b(\d{4})[/.](\d{1,2})[/.](\d{1,2})\b")


def clean(text: str) -> str:
    """The text with NUL and lone surrogates as U+FFFD.

    NUL because SQLite's text functions stop at it, surrogates because they cannot be written as UTF-8. Everything else
    stays, escape characters included: whoever shows a text to a terminal must escape them there.
    """
    if "\0" in text:
        text = text.replace("\0", _UNREADABLE)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(_UNREADABLE, text)
    return text


def text_of(value: object) -> str:
    """A clean text, empty for anything that is no text."""
    return clean(value) if isinstance(value, str) else ""


def first_text(values: Mapping[str, object], names: Iterable[str]) -> str:
    """The first text under one of these names that is not blank, as it stands there; empty for none."""
    found = (values.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value.strip()), "")


def label(value: object) -> str:
    """An id or a name: texts and whole numbers as text, anything else as none.

    What is too long for a name is cut, and told apart by a hash of all of it.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value.bit_length() <= MAX_BITS else ""
    return short_label(text_of(value))


def short_label(text: str) -> str:
    """The text, or its beginning and a hash of all of it where it is longer than any name."""
    if len(text) <= MAX_NAME:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{text[: MAX_NAME - len(digest) - 1]}~{digest}"


def texts_in(value: object) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(part)


def list_of(value: object) -> list[object]:
    """A list as it is, empty for anything else."""
    return value if isinstance(value, list) else []


def object_of(value: object) -> Mapping[str, object]:
    """A JSON object as it is, empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def clean_mapping(value: Mapping[str, object]) -> dict[str, object]:
    """A JSON object with clean texts and plain containers.

    Raises Unreadable for what is not JSON, and for more than MAX_DEPTH levels.
    """
    try:
        return {clean(str(key)): _clean_value(item, MAX_DEPTH) for key, item in value.items()}
    except ValueError as error:
        raise Unreadable(str(error), "Pass an object of texts, numbers, lists and objects") from error


def _clean_value(value: object, levels: int) -> object:
    match value:
        case str():
            return clean(value)
        case None | bool():
            return value
        case int() if value.bit_length() <= MAX_BITS:
            return value
        case float() if math.isfinite(value):
            return value
        case int() | float():
            raise ValueError(f"{shown(value)} is no number that JSON can hold")
        case _ if levels == 0:
            raise ValueError(f"nested more than {MAX_DEPTH} levels")
        case Mapping():
            return {clean(str(key)): _clean_value(item, levels - 1) for key, item in value.items()}
        case list() | tuple():
            return [_clean_value(item, levels - 1) for item in value]
        case _:
            raise ValueError(f"a {type(value).__name__} is no JSON value")


def moment(value: object) -> datetime | None:
    """A time in UTC from ISO text, a written date, epoch seconds or milliseconds, or a datetime; None for None and
    empty text.

    Naive times are taken as UTC. Raises ValueError for anything else, and for moments in which nobody can have written
    a message.
    """
    match value:
        case None:
            return None
        case datetime():
            return _utc(value)
        case bool():
            raise ValueError(f"{shown(value)} is not a time")
        case int() | float():
            return _from_epoch(value)
        case str():
            return from_text(value)
        case _:
            raise ValueError(f"a {type(value).__name__} is not a time")


def loose_moment(value: object) -> datetime | None:
    """Like `moment`, but None for what cannot be understood: for transcripts, where a message counts more than its
    date.
    """
    try:
        return moment(value)
    except ValueError:
        return None


def from_text(text: str) -> datetime | None:
    """A time from ISO 8601 or from a written English date such as `6:35 pm on 14 January, 2023`. Raises ValueError."""
    text = text.strip()
    if not text:
        return None
    try:
        found: datetime | None = datetime.fromisoformat(text)
    except ValueError:
        found = _written_date(text)
    if found is None:
        raise ValueError(f"{shown(text)} is not a time")
    return _utc(found)


def _utc(value: datetime) -> datetime:
    if not lies_in_range(value):
        years = f"{EARLIEST.year} to {LATEST.year - 1}"
        raise ValueError(f"{value.isoformat()} is not a time of a message: only {years} are")
    return aware(value)


def _from_epoch(number: float) -> datetime:
    try:
        seconds = number / 1000 if abs(number) > _MILLISECONDS_FROM else number
        found = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"{shown(number)} is not a time in epoch seconds") from error
    return _utc(found)


def _written_date(text: str) -> datetime | None:
    if len(text) > 100:
        return None
    if found := _YEAR_FIRST.search(text):
        year, month, day = (int(part) for part in found.groups())
    elif (found := _DAY_FIRST.search(text)) and (named := _month(found[2])):
        year, month, day = int(found[3]), named, int(found[1])
    elif (found := _MONTH_FIRST.search(text)) and (named := _month(found[1])):
        year, month, day = int(found[3]), named, int(found[2])
    else:
        return None
    hour, minute, second = _clock(text)
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _month(name: str) -> int:
    """The number of a month's English name or abbreviation, 0 for any other word."""
    from dateutil.parser import parserinfo  # type: ignore[import-untyped]

    months = enumerate(parserinfo.MONTHS, start=1)
    return next((number for number, names in months if name.capitalize() in names), 0)


def _clock(text: str) -> tuple[int, int, int]:
    found = _CLOCK.search(text)
    if not found:
        return 0, 0, 0
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4]:
        hour = hour % 12 + (12 if found[4][0] in "pP" else 0)
    return hour, minute, second
