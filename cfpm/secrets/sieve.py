"""Finds where the literals of the table stand in a view of a text, all of them in as few passes as possible.

Not for matching: a place that is found here is only where a regular expression has to be tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfpm.secrets.patterns import Pattern, Place, load_patterns

_HUBS = {"folded": b"kp", "text": b":"}
"""Letters that are rare and shared by literals of a view. One regex that begins with such a letter takes 0.6 to 1.3 ms
for 1 MB, a search for each literal 0.7 to 1.0 ms."""

_SHARED = {"text": (b"= ",), "folded": (b"sec",), "shape": (b"00",)}
"""What several literals of a view have in common: most texts lack it, and then none of these is looked for."""

Places = list[tuple[tuple[Pattern, ...], list[int]]]
"""Patterns, and where the literal that they share stands."""


@dataclass(frozen=True, slots=True)
class _Hub:
    """Literals with one letter in common: `rows` holds, by group of the regex, how far a literal begins before it."""

    regex: re.Pattern[bytes]
    rows: tuple[tuple[int, tuple[Pattern, ...]], ...]

    def places(self, view: bytes, first: int) -> Places:
        starts: list[list[int]] = [[] for _ in self.rows]
        for match in self.regex.finditer(view, first):
            row = (match.lastindex or 1) - 1
            starts[row].append(match.start() - self.rows[row][0])
        return [(patterns, here) for (_, patterns), here in zip(self.rows, starts, strict=True) if here]


@dataclass(frozen=True, slots=True)
class Sieve:
    """The literals of one view: by a letter that they share, and by a longer part that they share."""

    hubs: tuple[_Hub, ...]
    alike: tuple[tuple[bytes, tuple[tuple[bytes, tuple[Pattern, ...]], ...]], ...]

    def places(self, view: bytes) -> Places:
        """Every literal that stands in the view, with all its starts in order."""
        found: Places = []
        for hub in self.hubs:
            if (match := hub.regex.search(view)) is not None:
                found += hub.places(view, match.start())
        for shared, literals in self.alike:
            # Not `in`, which for bytes takes twice as long.
            if view.find(shared) >= 0:
                for literal, patterns in literals:
                    start = view.find(literal)
                    if start >= 0:
                        found.append((patterns, starts_from(view, literal, start)))
        return found


def starts_from(view: bytes, literal: bytes, start: int) -> list[int]:
    """All starts of a literal, of which `start` is the first."""
    starts = []
    while start >= 0:
        starts.append(start)
        start = view.find(literal, start + 1)
    return starts


def by_literal(place: Place) -> dict[bytes, tuple[Pattern, ...]]:
    """The patterns of a view by their literals."""
    found: dict[bytes, list[Pattern]] = {}
    for pattern in load_patterns():
        if pattern.place == place:
            for anchor in pattern.anchors:
                found.setdefault(anchor.encode("latin-1"), []).append(pattern)
    return {literal: tuple(patterns) for literal, patterns in found.items()}


def build(place: Place) -> Sieve:
    """The sieve of a view. A hub is built where at least two literals share its letter."""
    alone = by_literal(place)
    hubs = []
    for code in _HUBS.get(place, b""):
        letter = bytes([code])
        shared = [literal for literal in alone if letter in literal]
        if len(shared) > 1:
            hubs.append(_hub(letter, {literal: alone.pop(literal) for literal in shared}))
    alike: dict[bytes, list[tuple[bytes, tuple[Pattern, ...]]]] = {}
    for literal, patterns in alone.items():
        part = next((part for part in _SHARED.get(place, ()) if part in literal), literal)
        alike.setdefault(part, []).append((literal, patterns))
    return Sieve(tuple(hubs), tuple((part, tuple(literals)) for part, literals in alike.items()))


def _hub(letter: bytes, literals: dict[bytes, tuple[Pattern, ...]]) -> _Hub:
    branches, rows = [], []
    for literal, patterns in literals.items():
        ahead = literal.index(letter)
        head, tail = re.escape(literal[: ahead + 1]), re.escape(literal[ahead + 1 :])
        branches.append(b"((?<=" + head + b")" + tail + b")")
        rows.append((ahead, patterns))
    return _Hub(re.compile(re.escape(letter) + b"(?:" + b"|".join(branches) + b")"), tuple(rows))
