"""Runs the table of secrets over a text: literals first, regular expressions only where a literal stands.

Linear in the text: a regex is tried at literals only, has bounded repetitions, and goes on after what it has claimed.
The literals are few (22 beside those of long stretches), and a search for each takes 8 to 18 ms for 1 MB of text; one
pass of an Aho-Corasick automaton a view took 27 to 34 ms, one regular expression of all 50 to 54 ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import AnyStr

from cfpm.secrets.patterns import Pattern, Place, load_patterns

RUN = 20
"""Characters from which a stretch of letters, digits, `_` and `-` may hold a vendor's token."""

DEEP = 36
"""Characters from which a stretch may hold a mark in its middle."""

_KEY = 3
"""Characters by which anchors of stretches are looked up."""

_ESCAPES = (b"\\", b"%", b"[", b";")
"""What stands before a stretch whose first characters end an escape (`\\n`, `%3D`) or a terminal colour (`[94m`)."""

_LONG = b"a" * RUN
_PLAIN = b"abcdefghijklmnopqrstuvwxyz_-"

_Row = tuple[bytes, int, Pattern]
"""Anchor, how much of it stands before the stretch, and its pattern."""

Tries = list[tuple[Pattern, int]]
"""Patterns, and where each is to be tried; the places of one pattern are in order."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Characters that a pattern wants to have replaced."""

    start: int
    end: int
    rank: int
    kind: str


def claims(text: str) -> list[Claim]:
    """What every pattern claims, in no useful order, overlaps included."""
    seen = views(text)
    by_rank: dict[int, list[int]] = {}
    for pattern, start in _stretches().tries(text, seen["text"]):
        by_rank.setdefault(pattern.rank, []).append(start)
    found: list[Claim] = []
    for rank, starts in by_rank.items():
        found += _tried(text, starts, load_patterns()[rank])
    for place, view in seen.items():
        for literal, patterns in literals(place).items():
            if view.find(literal) >= 0:
                starts = starts_of(view, literal)
                for pattern in patterns:
                    found += _tried(text, starts, pattern)
    for anchor, patterns in _wide_anchors().items() if not text.isascii() else ():
        for pattern in patterns:
            found += _tried(text, starts_of(text, anchor), pattern)
    return found


def _tried(text: str, starts: Iterable[int], pattern: Pattern) -> list[Claim]:
    """What the pattern claims at the given places; the next place counts only after what is claimed already."""
    found: list[Claim] = []
    free = 0
    for start in starts:
        if start >= free and (match := pattern.regex.match(text, start)) and (span := pattern.check(match)):
            found.append(Claim(*span, pattern.rank, pattern.kind))
            free = span[1]
    return found


def starts_of(view: AnyStr, literal: AnyStr) -> list[int]:
    """Where the literal stands, overlaps included."""
    starts = []
    start = view.find(literal)
    while start >= 0:
        starts.append(start)
        start = view.find(literal, start + 1)
    return starts


def views(text: str) -> dict[Place, bytes]:
    """The text at one byte a character, so that an offset in a view is one in the text; above U+00FF stands `?`.

    `folded` has ASCII letters lowered; `shape` has `0` for digits, `A` and `a` for letters, `-` for a space or a dash,
    `.` for the rest.
    """
    raw = text.encode("latin-1", "replace")
    return {"text": raw, "folded": raw.lower(), "shape": raw.translate(_SHAPES)}


def _shape(char: str) -> str:
    if not char.isascii():
        return "."
    if char.isdigit():
        return "0"
    if char.isalpha():
        return "A" if char.isupper() else "a"
    return {"_": "_", "-": "-", " ": "-"}.get(char, ".")


_SHAPES = "".join(_shape(chr(code)) for code in range(256)).encode("ascii")
_RUNS = b"".join(b"a" if re.match(rb"[A-Za-z0-9_-]", bytes([code])) else b" " for code in range(256))
"""`a` for each character of a stretch, a space for the others."""


@cache
def literals(place: Place) -> dict[bytes, tuple[Pattern, ...]]:
    """The patterns of a view by their literals."""
    return {anchor.encode("latin-1"): patterns for anchor, patterns in _by_anchor(place).items()}


@cache
def _wide_anchors() -> dict[str, tuple[Pattern, ...]]:
    return _by_anchor("wide")


def _by_anchor(place: Place) -> dict[str, tuple[Pattern, ...]]:
    found: dict[str, tuple[Pattern, ...]] = {}
    for pattern in load_patterns():
        for anchor in pattern.anchors if pattern.place == place else ():
            found[anchor] = (*found.get(anchor, ()), pattern)
    return found


def long_stretches(raw: bytes) -> list[tuple[int, bytes]]:
    """Start and bytes of the stretches of RUN characters and more that are not all lower case, in order."""
    classes = raw.translate(_RUNS) + b" "
    found = []
    start = classes.find(_LONG)
    while start >= 0:
        end = classes.find(b" ", start + RUN)
        body = raw[start:end]
        if body.strip(_PLAIN):
            found.append((start, body))
        start = classes.find(_LONG, end)
    return found


@dataclass(frozen=True, slots=True)
class _Stretches:
    """Tries the table at long stretches, where tokens with a vendor's prefix stand.

    `at_start` and `before` hold rows by the three characters after or before the point where a stretch begins;
    `after` holds patterns without anchors by the character before it, and `anywhere` those that need none.
    """

    at_start: dict[bytes, list[_Row]]
    before: dict[bytes, list[_Row]]
    after: dict[bytes, tuple[Pattern, ...]]
    anywhere: tuple[Pattern, ...]
    any_of_them: re.Pattern[str]
    deep: dict[bytes, tuple[Pattern, ...]]

    def tries(self, text: str, raw: bytes) -> Tries:
        """Where which pattern has to be tried; `raw` is the text at one byte a character."""
        found: Tries = []
        deep: list[bytes] = []
        for start, body in long_stretches(raw):
            found += _anchored(raw, start, self.at_start.get(body[:_KEY], ()))
            found += _anchored(raw, start, self.before.get(raw[start - _KEY : start], ()))
            mark = raw[start - 1 : start]
            found += [(pattern, start) for pattern in self.after.get(mark, ())]
            if mark in _ESCAPES:
                found += self._after_escape(raw, start)
            if self.any_of_them.match(text, start):
                found += [(pattern, start) for pattern in self.anywhere]
            if len(body) >= DEEP:
                deep.append(body)
        return [*found, *self._deep(raw, b"\n".join(deep))]

    def _after_escape(self, raw: bytes, start: int) -> Iterator[tuple[Pattern, int]]:
        for inside in range(start + 1, start + 5):
            yield from _anchored(raw, inside, self.at_start.get(raw[inside : inside + _KEY], ()))
            yield from ((pattern, inside) for pattern in self.anywhere)

    def _deep(self, raw: bytes, bodies: bytes) -> Iterator[tuple[Pattern, int]]:
        for literal, patterns in self.deep.items():
            if literal in bodies:
                for start in starts_of(raw, literal):
                    yield from ((pattern, start - pattern.lead) for pattern in patterns)


def _anchored(raw: bytes, start: int, rows: Iterable[_Row]) -> Iterator[tuple[Pattern, int]]:
    for literal, ahead, pattern in rows:
        if raw.startswith(literal, max(0, start - ahead)):
            yield pattern, start - ahead


@cache
def _stretches() -> _Stretches:
    at_start: dict[bytes, list[_Row]] = {}
    before: dict[bytes, list[_Row]] = {}
    for literal, patterns in literals("runs").items():
        tail = re.search(rb"[A-Za-z0-9_\-]*\Z", literal)
        ahead = tail.start() if tail else 0
        table, key = (before, literal[ahead - _KEY : ahead]) if ahead else (at_start, literal[:_KEY])
        table.setdefault(key, []).extend((literal, ahead, pattern) for pattern in patterns)
    loose = tuple(pattern for pattern in load_patterns() if pattern.place == "run-start" and not pattern.anchors)
    return _Stretches(
        at_start=at_start,
        before=before,
        after=literals("run-start"),
        anywhere=loose,
        any_of_them=re.compile("|".join(f"(?:{pattern.source})" for pattern in loose), re.VERBOSE),
        deep=literals("deep"),
    )
