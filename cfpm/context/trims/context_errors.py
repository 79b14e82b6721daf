"""Which errors of a provider mean that a request must become shorter or another list, by status and text. Sends
nothing, and knows no provider's library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from cfpm.model.tables import toml_table

_DEPTH = 5
"""Errors behind an error that are looked at: frameworks wrap what a client raised."""
_MAX_TEXT = 20_000
"""Characters of an error's texts: an error may quote the request."""
_STATUS = ("status_code", "status", "http_status", "code")
_TEXTS = ("message", "body", "error", "detail", "details", "response", "text", "content")


class ContextErrorKind(StrEnum):
    """What is wrong with a request, and so what helps."""

    TOO_LONG = "too_long"
    """More tokens than the model's window: compact, or send less."""
    TOO_LARGE = "too_large"
    """More bytes than the server takes: send less, files and images above all."""
    THINKING_BUDGET = "thinking_budget"
    """Thinking may take more tokens than the answer has, or than the model allows."""
    ORPHANED_PAIR = "orphaned_pair"
    """A call without its result, or a result without its call: `repair_pairs` helps, and so does `fit`."""


@dataclass(frozen=True, slots=True)
class ContextError:
    """What a provider objects to; `limit` is the window in tokens where it names one."""

    kind: ContextErrorKind
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    kind: ContextErrorKind
    patterns: tuple[re.Pattern[str], ...]


def context_error(error: object) -> ContextError | None:
    """What an error says of the request's length; None for any other error.

    `error` is an exception of any library, with those that it was raised from, or the body of an answer: a text or the
    JSON object.
    """
    table, (statuses, rows) = list(_texts(error, _DEPTH)), _known()
    said = " ".join(" ".join(table).split())[:_MAX_TEXT].lower()
    for row in rows:
        for pattern in row.patterns:
            if found := pattern.search(said):
                return ContextError(row.kind, _limit(found))
    return next((ContextError(statuses[code]) for code in _codes(error, _DEPTH) if code in statuses), None)


def is_context_error(error: object) -> bool:
    """Whether a smaller or repaired request may be taken where this one was refused; as `context_error`."""
    return context_error(error) is not None


def _limit(found: re.Match[str]) -> int | None:
    digits = (found.groupdict().get("limit") or "").replace(",", "")
    return int(digits) or None if digits else None


@cache
def _known() -> tuple[Mapping[str, ContextErrorKind], tuple[_Row, ...]]:
    data = toml_table("cfpm.context.trims", "context_errors")
    statuses = {code: ContextErrorKind(kind) for code, kind in data["status"].items()}
    rows = (_Row(ContextErrorKind(row["kind"]), tuple(map(re.compile, row["patterns"]))) for row in data["row"])
    return statuses, tuple(rows)


def _texts(value: object, depth: int) -> Iterator[str]:
    """All that an error or a body says, from the outside in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif depth and value is not None and not isinstance(value, bool | int | float):
        if isinstance(value, BaseException):
            yield str(value)
        for inner in _inside(value):
            yield from _texts(inner, depth - 1)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, list | tuple):
        return value
    return (*(_field(value, name) for name in _TEXTS), *_causes(value))


def _codes(value: object, depth: int) -> Iterator[str]:
    """The statuses that an error carries, as texts."""
    if depth == 0 or value is None or isinstance(value, str | bytes):
        return
    for name in _STATUS:
        code = value.get(name) if isinstance(value, Mapping) else _field(value, name)
        if isinstance(code, int | str):
            yield str(int(code)) if isinstance(code, int) else code
    inner = value.get("error") if isinstance(value, Mapping) else _field(value, "response")
    yield from _codes(inner, depth - 1)
    for cause in _causes(value):
        yield from _codes(cause, depth - 1)


def _field(value: object, name: str) -> object:
    """An attribute that is plain data. Reading the text of a streamed answer may raise whatever the library likes."""
    try:
        found = getattr(value, name, None)
    except Exception:  # noqa: BLE001 (a provider boundary: an error that cannot be read says nothing)
        return None
    return None if callable(found) else found


def _causes(value: object) -> tuple[object, ...]:
    if not isinstance(value, BaseException):
        return ()
    inner = value.exceptions if isinstance(value, BaseExceptionGroup) else ()
    return (*inner, value.__cause__ or (None if value.__suppress_context__ else value.__context__))
