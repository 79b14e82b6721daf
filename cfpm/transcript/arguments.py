"""What callers pass to the front door: of the right type and within bounds, or an error that names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from cfpm.errors import InputError, UsageError
from cfpm.model.clock import EARLIEST, LATEST, aware, lies_in_range

MAX_NAME = 512
"""Characters of a name or an id: each stands in many rows. The longest that a host gave had 128."""

_SHOWN = 60
"""Characters of a value that an error quotes."""

_LARGEST = 2**63 - 1
"""The largest whole number that SQLite stores."""

E = TypeVar("E", bound=StrEnum)


def shown(value: object) -> str:
    """The value as an error quotes it: short, printable, whatever it is."""
    match value:
        case None | bool() | float():
            return repr(value)
        case int() if value.bit_length() > 4 * _SHOWN:
            return f"a whole number of {value.bit_length()} bits"
        case int():
            return repr(int(value))
        case str():
            return repr(value) if len(value) <= _SHOWN else f"{value[:_SHOWN]!r}... ({len(value)} characters)"
        case _:
            return f"a {type(value).__name__}"


def text(name: str, value: object) -> str:
    """Any text. Raises UsageError naming the argument."""
    if not isinstance(value, str):
        raise UsageError(f"argument {name}", f"{shown(value)} is no text", "Pass a str")
    return value


def name_of(name: str, value: object) -> str:
    """A name or an id: a text that is not too long for one. Raises UsageError naming the argument."""
    known = text(name, value)
    if len(known) > MAX_NAME:
        raise UsageError(f"argument {name}", f"{shown(known)} is too long", f"Use at most {MAX_NAME} characters")
    return known


def whole(name: str, value: object) -> int:
    """A whole number that fits into 64 bits. Raises UsageError naming the argument."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"argument {name}", f"{shown(value)} is no whole number", "Pass an int")
    if abs(value) > _LARGEST:
        raise UsageError(f"argument {name}", f"{shown(value)} is too large", "Use a smaller number")
    return value


def optional_whole(name: str, value: object) -> int | None:
    """As `whole`, or None."""
    return None if value is None else whole(name, value)


def names(name: str, value: object) -> list[str]:
    """Several names. Raises UsageError naming the argument, also for a single text."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise UsageError(f"argument {name}", f"{shown(value)} is no list of texts", "Pass a list, also for one")
    return [name_of(name, one) for one in value]


def member(name: str, value: object, of: type[E]) -> E:
    """A member of an enumeration, or its name. Raises UsageError naming the argument and what is allowed."""
    if not isinstance(value, str) or value not in set(of):
        raise UsageError(f"argument {name}", f"{shown(value)} is not known", f"Use one of {', '.join(of)}")
    return of(value)


def optional_member(name: str, value: object, of: type[E]) -> E | None:
    """As `member`, or None."""
    return None if value is None else member(name, value, of)


def moment_or_number(name: str, value: object) -> datetime | int:
    """A moment in UTC, or the number of an event. Raises UsageError naming the argument."""
    if not isinstance(value, datetime):
        return whole(name, value)
    if not lies_in_range(value):
        raise UsageError(
            f"argument {name}", f"{value.isoformat()} is too far away", f"Use {EARLIEST.year} to {LATEST.year - 1}"
        )
    return aware(value)


def messages(value: object, source: str = "messages") -> Iterable[object]:
    """Anything to go through, as messages that nobody has looked at. Raises InputError, also for a single message."""
    # A model of pydantic can be gone through as well: it gives its fields.
    single = isinstance(value, str | bytes | Mapping) or hasattr(value, "model_dump")
    if single or not isinstance(value, Iterable):
        raise InputError(
            source, f"a {type(value).__name__} instead of a list of messages", "Pass a list, also for one message"
        )
    return value


def lines(value: object, source: str) -> Iterator[str]:
    """Lines of a file, each looked at when it is its turn. Raises InputError for anything but texts."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(source, f"a {type(value).__name__} instead of lines", "Pass an open text file, or a list")
    for number, line in enumerate(value, 1):
        if not isinstance(line, str):
            raise InputError(source, f"{shown(line)} is no text", "Open the file as text", place=f"line {number}")
        yield line
