"""Runs the table of secrets over a text: literals first, regular expressions only where a literal stands.

Linear in the text: a regex is tried at literals only, has bounded repetitions, and goes on after what it has claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import AnyStr

from cfpm.secrets.patterns import Pattern, load_patterns
from cfpm.secrets.views import DEEP, Stretch, Views, look, stretches

KEY = 3
"""Characters by which the anchors of stretches are looked up."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Characters that a pattern wants to have replaced."""

    start: int
    end: int
    rank: int
    kind: str


_ByLiteral = tuple[tuple[bytes, tuple[Pattern, ...]], ...]
_ByKey = dict[bytes, tuple[tuple[bytes, int, Pattern], ...]]


@dataclass(frozen=True, slots=True)
class _Index:
    """The table turned around: which patterns to try at which literal.

    `at_start` and `before` hold (anchor, characters of it before the stretch, pattern) by the three characters after or
    before the point where a stretch begins.
    """

    at_start: _ByKey
    before: _ByKey
    starting: re.Pattern[str]
    run_start: tuple[Pattern, ...]
    deep: _ByLiteral
    text: _ByLiteral
    folded: _ByLiteral
    shape: _ByLiteral
    wide: tuple[tuple[str, str, tuple[Pattern, ...]], ...]
    """(rarest character, literal, patterns)"""


def _by_literal(place: str) -> _ByLiteral:
    found: dict[bytes, list[Pattern]] = {}
    for pattern in load_patterns():
        if pattern.place == place:
            for anchor in pattern.anchors:
                found.setdefault(anchor.encode("latin-1"), []).append(pattern)
    return tuple((anchor, tuple(patterns)) for anchor, patterns in found.items())


def _by_key() -> tuple[_ByKey, _ByKey]:
    at_start: dict[bytes, list[tuple[bytes, int, Pattern]]] = {}
    before: dict[bytes, list[tuple[bytes, int, Pattern]]] = {}
    for literal, patterns in _by_literal("runs"):
        tail = re.search(rb"[A-Za-z0-9_\-]*\Z", literal)
        ahead = tail.start() if tail else 0
        table, key = (before, literal[ahead - KEY : ahead]) if ahead else (at_start, literal[:KEY])
        table.setdefault(key, []).extend((literal, ahead, pattern) for pattern in patterns)
    return {key: tuple(rows) for key, rows in at_start.items()}, {key: tuple(rows) for key, rows in before.items()}


@cache
def _index() -> _Index:
    at_start, before = _by_key()
    run_start = tuple(pattern for pattern in load_patterns() if pattern.place == "run-start")
    wide: dict[str, list[Pattern]] = {}
    for pattern in load_patterns():
        for anchor in pattern.anchors if pattern.place == "wide" else ():
            wide.setdefault(anchor, []).append(pattern)
    return _Index(
        at_start=at_start,
        before=before,
        starting=re.compile("|".join(f"(?:{pattern.regex.pattern})" for pattern in run_start), re.VERBOSE),
        run_start=run_start,
        deep=_by_literal("deep"),
        text=_by_literal("text"),
        folded=_by_literal("folded"),
        shape=_by_literal("shape"),
        wide=tuple((max(anchor), anchor, tuple(patterns)) for anchor, patterns in wide.items()),
    )


def claims(text: str) -> list[Claim]:
    """What every pattern claims, in no useful order, overlaps included."""
    views = look(text)
    index = _index()
    found = _in_stretches(text, views, index)
    for table, view in ((index.text, views.raw), (index.folded, views.folded), (index.shape, views.shape)):
        for literal, patterns in table:
            if (first := view.find(literal)) >= 0:
                found += _at(text, view, literal, first, patterns)
    if not text.isascii():
        for rarest, anchor, patterns in index.wide:
            if rarest in text and (first := text.find(anchor)) >= 0:
                found += _at(text, text, anchor, first, patterns)
    return found


def _in_stretches(text: str, views: Views, index: _Index) -> list[Claim]:
    found: list[Claim] = []
    deep: list[bytes] = []
    raw, at_start, before, starting = views.raw, index.at_start, index.before, index.starting.match
    for start, end, body in stretches(raw):
        rows = at_start.get(body[:KEY])
        if rows is not None:
            found += _anchored(text, raw, start, rows)
        rows = before.get(raw[start - KEY : start])
        if rows is not None:
            found += _anchored(text, raw, start, rows)
        if starting(text, start) is not None:
            found += _starting(text, start, index.run_start)
        if end - start >= DEEP:
            deep.append(body)
        if raw[start - 1 : start] in _ESCAPES:
            found += _after_escape(text, raw, start, index)
    if deep:
        joined = b"\n".join(deep)
        for literal, patterns in index.deep:
            if literal in joined:
                found += _at(text, raw, literal, raw.find(literal), patterns)
    return found


def _anchored(text: str, raw: bytes, start: int, rows: tuple[tuple[bytes, int, Pattern], ...]) -> Iterator[Claim]:
    for literal, ahead, pattern in rows:
        if raw.startswith(literal, max(0, start - ahead)):
            yield from _here(text, start - ahead - pattern.lead, pattern)


_ESCAPES = (b"\\", b"%", b"[", b";")
"""What stands before a stretch whose first characters end an escape (`\\n`, `%3D`) or a terminal colour (`[94m`)."""


def _after_escape(text: str, raw: bytes, start: int, index: _Index) -> Iterator[Claim]:
    for inside in range(start + 1, start + 5):
        yield from _anchored(text, raw, inside, index.at_start.get(raw[inside : inside + KEY], ()))
        yield from _starting(text, inside, index.run_start)


def _starting(text: str, start: int, patterns: tuple[Pattern, ...]) -> Iterator[Claim]:
    for pattern in patterns:
        yield from _here(text, start, pattern)


def _here(text: str, start: int, pattern: Pattern) -> Iterator[Claim]:
    match = pattern.regex.match(text, start) if start >= 0 else None
    if match is not None and (span := pattern.check(match)) is not None:
        yield Claim(*span, pattern.rank, pattern.kind)


def _at(
    text: str, view: AnyStr, literal: AnyStr, first: int, patterns: tuple[Pattern, ...]
) -> Iterator[Claim]:
    """What the patterns claim where the literal stands, `first` and further on, each going on after its own claims."""
    starts = [first]
    while (start := view.find(literal, starts[-1] + 1)) >= 0:
        starts.append(start)
    for pattern in patterns:
        match_at, check, lead, free = pattern.regex.match, pattern.check, pattern.lead, 0
        for start in starts:
            if start >= free and start >= lead and (match := match_at(text, start - lead)) is not None:
                span = check(match)
                if span is not None:
                    yield Claim(*span, pattern.rank, pattern.kind)
                    free = span[1]
