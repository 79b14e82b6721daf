"""How a tool call ended, as its output says: the line that reports success, and whether any line reports failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from cfpm.model import Message
from cfpm.model.bytecode import compiled
from cfpm.model.literals import LiteralSet
from cfpm.model.tables import toml_table

_MAX_LINE = 600
"""Characters; a longer line is data, not a report."""

_MEMO, _MAX_KEPT = 64, 20_000
"""Outputs that are read once for all who ask in a turn, and the characters up to which: half of what keeping its deeds
costs."""


@dataclass(frozen=True, slots=True)
class Success:
    """The line that reports success: offsets of what a fact keeps of it."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of `outcomes.toml`."""

    regex: re.Pattern[str]
    anchors: tuple[str, ...]
    kind: str
    example: str
    counter_example: str


@cache
def patterns(section: str) -> tuple[Pattern, ...]:
    """The patterns of `success` or `failure`."""
    data = toml_table("cfpm.extractor", "outcomes")
    return tuple(
        Pattern(
            compiled(row["line"]), tuple(row["anchors"]), row.get("kind", ""), row["example"], row["counter_example"]
        )
        for row in data[section]
    )


@cache
def _anchors(section: str) -> LiteralSet:
    return LiteralSet(anchor for pattern in patterns(section) for anchor in pattern.anchors)


def success(text: str) -> Success | None:
    """The line that reports success; of several, the first edit or the last of another kind."""
    return _success(text) if len(text) <= _MAX_KEPT else _success.__wrapped__(text)


@lru_cache(_MEMO)
def _success(text: str) -> Success | None:
    best: Success | None = None
    standing = _anchors("success").among(text)
    if not standing:
        return None
    for pattern in patterns("success"):
        if standing.isdisjoint(pattern.anchors):
            continue
        for start, end in _lines_with(text, pattern.anchors):
            match = pattern.regex.search(text[start:end].rstrip("\r"))
            if match is None:
                continue
            found = Success(pattern.kind, start + match.start("keep"), start + match.end("keep"))
            if found.kind == "edit":
                return found
            if best is None or found.start > best.start:
                best = found
    return best


def reports_failure(text: str) -> bool:
    """True when some line of the output says that something failed."""
    return _fails(text) if len(text) <= _MAX_KEPT else _fails.__wrapped__(text)


@lru_cache(_MEMO)
def _fails(text: str) -> bool:
    return next(_failures(text), None) is not None


def failures(text: str) -> list[str]:
    """The lines of the output that say that something failed, in order."""
    return [text[start:end].strip() for start, end in sorted(set(_failures(text)))]


def _failures(text: str) -> Iterator[tuple[int, int]]:
    """The lines that say that something failed, pattern by pattern."""
    standing = _anchors("failure").among(text)
    for pattern in patterns("failure") if standing else ():
        if standing.isdisjoint(pattern.anchors):
            continue
        for start, end in _lines_with(text, pattern.anchors):
            if pattern.regex.search(text[start:end]):
                yield start, end


def failed(message: Message) -> bool:
    """True when the host or the output itself says that the call failed; the host's exit status wins over words."""
    result = message.tool_result
    if result is not None and result.failed:
        return True
    if result is not None and result.exit_code == 0:
        return False
    return reports_failure(message.text)


def _lines_with(text: str, anchors: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for anchor in anchors:
        at = text.find(anchor)
        while at >= 0:
            start = text.rfind("\n", max(0, at - _MAX_LINE), at) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if (start or at < _MAX_LINE) and end - start <= _MAX_LINE:
                yield start, end
            at = text.find(anchor, end)
