"""Cuts a message into sentences with exact offsets, and says what kind of place each stands in.

Linear in the text. It knows Markdown (code, quotes, headings, tables, lists) and Western and Chinese punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from cfpm.model.patterns import lazy_pattern

_FENCE = lazy_pattern(r"\s{0,3}(```+|~~~+)")
_BULLET = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_BULLETS = "-*+•"
_HEADING = lazy_pattern(r"\s{0,3}#{1,6}\s")
_BOLD_LINE = lazy_pattern(r"\*\*[^*]{1,120}\*\*:?")
_END = lazy_pattern(
    r"[.!?…。！？；](?:(?<=[.!?…])[.!?…]*[\"'”’)\]*_]*(?=\s|$)|(?<=[。！？；])[。！？；]*[”’」』）]*|"
    "(?<=[\u4e00-\u9fff][?!])[”’」』）]*)"
)
"""Begins with one set of signs, so that a search passes over all others fast. Behind a Chinese sign a narrow question
mark needs no space."""
_ABBREVIATION = lazy_pattern(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|st|no|fig|approx|inc|ltd|jr|sr|prof|dept|est|incl|excl|resp|bzw|ca|cf"
    r"|vol|a\.m|p\.m|[a-z])\.$",
    re.IGNORECASE,
)
_ORDINAL = lazy_pattern(
    r"(?:(?<![Ii] )\b[Aa]m|\b(?:[Vv]om|[Zz]um|[Bb]eim|[Ii]m|[Dd]er|[Dd]em|[Dd]en|[Ii]hren|[Ii]hrem|meinem|meinen)) "
    r"\d{1,2}\.$"
)
"""The number of a day, a floor or a birthday in German, behind a word with which it goes."""
_LOWER_START = lazy_pattern(r"\s*[a-z]")
_WRAP_WIDTH, _WIDEST = 60, 120
"""A line of so many characters, without a full stop, goes on in the next if that begins in lower case: nobody wraps
lines that are longer, and who writes all in lower case ends them without a stop."""
MAX_SENTENCE = 2_000
"""Characters; a longer run without an end is cut there, so that one endless line stays linear."""


class Kind(Enum):
    """Where a sentence stands."""

    PLAIN = "plain"
    BULLET = "bullet"
    HEADING = "heading"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"


class Sentence(NamedTuple):
    """`text` is the slice [start, end) of the message; `first` marks the first sentence of its line or item."""

    start: int
    end: int
    text: str
    kind: Kind
    first: bool


def sentences(text: str) -> Iterator[Sentence]:
    """All sentences of a message, in order; blank ones and the marks of lists and fences are left out."""
    for start, end, kind in _blocks(text):
        spans = [(start, end)] if kind is Kind.CODE or kind is Kind.TABLE else _cut(text, start, end)
        if end - start > MAX_SENTENCE:
            spans = [
                (at, min(right, at + MAX_SENTENCE)) for left, right in spans for at in range(left, right, MAX_SENTENCE)
            ]
        first = True
        for left, right in spans:
            bare = text[left:right].strip()
            if bare:
                at = text.index(bare[0], left)
                yield Sentence(at, at + len(bare), bare, kind, first)
                first = False


def _blocks(text: str) -> Iterator[tuple[int, int, Kind]]:
    """Lines, with hard-wrapped prose joined, and their kinds."""
    fence = ""
    fenced = "```" in text or "~~~" in text
    held: tuple[int, int, Kind] | None = None
    end = -1
    for line in text.split("\n"):
        start = end + 1
        end = start + len(line)
        opening = _FENCE.match(line) if fenced else None
        if fence:
            if opening and opening.group(1).startswith(fence):
                fence = ""
            elif line.strip():
                yield start, end, Kind.CODE
            continue
        here: tuple[int, int, Kind] | None = None
        if opening:
            fence = opening.group(1)
        elif line and not line.isspace():
            kind, begin = _kind(line)
            if held and kind is Kind.PLAIN and _goes_on(text, held, line):
                held = (held[0], end, held[2])
                continue
            here = (start + begin, end, kind)
        if held:
            yield held
        held = here
    if held:
        yield held


def _goes_on(text: str, held: tuple[int, int, Kind], line: str) -> bool:
    start, end, _ = held
    last = max(start, text.rfind("\n", start, end) + 1)
    if not _WRAP_WIDTH <= end - last <= _WIDEST or _LOWER_START.match(line) is None:
        return False
    return text[start:end].rstrip()[-1:] not in ".!?:;。！？："


def _kind(line: str) -> tuple[Kind, int]:
    """The kind of a line, and where its content begins."""
    stripped = line.strip()
    head = stripped[:1]
    if head.isalpha() and not stripped.endswith("|"):
        # Most lines open with a letter, and none of the marks does.
        return (Kind.CODE if line.startswith(("    ", "\t")) else Kind.PLAIN), 0
    if head == ">":
        return Kind.QUOTE, line.index(">") + 1
    if head == "#" and (match := _HEADING.match(line)):
        return Kind.HEADING, match.end()
    if head == "*" and stripped.startswith("**") and _BOLD_LINE.fullmatch(stripped):
        return Kind.HEADING, 0
    if head == "|" or (stripped[-1:] == "|" and stripped.count("|") > 1):
        return Kind.TABLE, 0
    if (head in _BULLETS or head.isdigit()) and (match := _BULLET.match(line)):
        return Kind.BULLET, match.end()
    return (Kind.CODE if line.startswith(("    ", "\t")) else Kind.PLAIN), 0


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cut = []
    left = start
    for match in _END.finditer(text, start, end):
        right = match.end()
        if text[match.start()] == "." and _goes_on_behind(text, max(left, right - 14), right):
            continue
        cut.append((left, right))
        left = right
    if left < end:
        cut.append((left, end))
    return cut


def _goes_on_behind(text: str, start: int, stop: int) -> bool:
    """Whether the full stop before `stop` only ends an abbreviation or an ordinal number."""
    if text[max(start, stop - 2)].isdigit():
        return _ORDINAL.search(text, start, stop) is not None
    return _ABBREVIATION.search(text, max(start, stop - 8), stop) is not None
