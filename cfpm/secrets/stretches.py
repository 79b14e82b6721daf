"""Tries the table at long stretches of letters, digits, `_` and `-`, where tokens with a vendor's prefix stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cfpm.secrets.patterns import Pattern, load_patterns
from cfpm.secrets.sieve import by_literal
from cfpm.secrets.views import long_stretches

DEEP = 36
"""Characters from which a stretch may hold a mark in its middle."""

_KEY = 3
"""Characters by which anchors are looked up."""

_ESCAPES = (b"\\", b"%", b"[", b";")
"""What stands before a stretch whose first characters end an escape (`\\n`, `%3D`) or a terminal colour (`[94m`)."""

_Row = tuple[bytes, int, Pattern]
"""Anchor, how much of it stands before the stretch, and its pattern."""

Tries = list[tuple[Pattern, int]]
"""Patterns, and where each is to be tried; the places of one pattern are in order."""


@dataclass(frozen=True, slots=True)
class Stretches:
    """`at_start` and `before` hold rows by the three characters after or before the point where a stretch begins;
    `after` holds patterns without anchors by the character before it, and `anywhere` those that need none."""

    at_start: dict[bytes, tuple[_Row, ...]]
    before: dict[bytes, tuple[_Row, ...]]
    after: dict[bytes, tuple[Pattern, ...]]
    anywhere: tuple[Pattern, ...]
    any_of_them: re.Pattern[str]
    deep: dict[bytes, tuple[Pattern, ...]]

    def tries(self, text: str, raw: bytes) -> Tries:
        """Where which pattern has to be tried; `raw` is the text at one byte a character."""
        found: Tries = []
        if not (long := long_stretches(raw)):
            return found
        deep: list[bytes] = []
        at_start, before, after, anywhere = self.at_start, self.before, self.after, self.any_of_them.match
        for start, body in long:
            if (rows := at_start.get(body[:_KEY])) is not None:
                found += _anchored(raw, start, rows)
            if (rows := before.get(raw[start - _KEY : start])) is not None:
                found += _anchored(raw, start, rows)
            mark = raw[start - 1 : start]
            if (patterns := after.get(mark)) is not None:
                found += [(pattern, start) for pattern in patterns]
            if mark in _ESCAPES:
                found += self._after_escape(raw, start)
            if anywhere(text, start) is not None:
                found += [(pattern, start) for pattern in self.anywhere]
            if len(body) >= DEEP:
                deep.append(body)
        return found + self._deep(raw, b"\n".join(deep)) if deep else found

    def _after_escape(self, raw: bytes, start: int) -> Iterator[tuple[Pattern, int]]:
        for inside in range(start + 1, start + 5):
            yield from _anchored(raw, inside, self.at_start.get(raw[inside : inside + _KEY], ()))
            yield from ((pattern, inside) for pattern in self.anywhere)

    def _deep(self, raw: bytes, bodies: bytes) -> Tries:
        found: Tries = []
        for literal, patterns in self.deep.items():
            if bodies.find(literal) >= 0:
                start = raw.find(literal)
                while start >= 0:
                    found += [(pattern, start - pattern.lead) for pattern in patterns]
                    start = raw.find(literal, start + 1)
        return found


def _anchored(raw: bytes, start: int, rows: tuple[_Row, ...]) -> Iterator[tuple[Pattern, int]]:
    for literal, ahead, pattern in rows:
        if raw.startswith(literal, max(0, start - ahead)):
            yield pattern, start - ahead


def build() -> Stretches:
    at_start: dict[bytes, list[_Row]] = {}
    before: dict[bytes, list[_Row]] = {}
    for literal, patterns in by_literal("runs").items():
        tail = re.search(rb"[A-Za-z0-9_\-]*\Z", literal)
        ahead = tail.start() if tail else 0
        table, key = (before, literal[ahead - _KEY : ahead]) if ahead else (at_start, literal[:_KEY])
        table.setdefault(key, []).extend((literal, ahead, pattern) for pattern in patterns)
    loose = tuple(pattern for pattern in load_patterns() if pattern.place == "run-start" and not pattern.anchors)
    return Stretches(
        at_start={key: tuple(rows) for key, rows in at_start.items()},
        before={key: tuple(rows) for key, rows in before.items()},
        after=by_literal("run-start"),
        anywhere=loose,
        any_of_them=re.compile("|".join(f"(?:{pattern.regex.pattern})" for pattern in loose), re.VERBOSE),
        deep=by_literal("deep"),
    )
