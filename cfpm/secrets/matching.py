"""Runs the table of secrets over a text: literals first, regular expressions only where a literal stands.

Linear in the text: a regex is tried at literals only, has bounded repetitions, and goes on after what it has claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from cfpm.secrets import sieve, stretches
from cfpm.secrets.patterns import Pattern, load_patterns
from cfpm.secrets.views import look


@dataclass(frozen=True, slots=True)
class Claim:
    """Characters that a pattern wants to have replaced."""

    start: int
    end: int
    rank: int
    kind: str


@dataclass(frozen=True, slots=True)
class _Index:
    """The table turned around: which patterns to try at which literal of which view."""

    stretches: stretches.Stretches
    text: sieve.Sieve
    folded: sieve.Sieve
    shape: sieve.Sieve
    wide: tuple[tuple[str, tuple[tuple[str, Pattern], ...]], ...]
    """(a character, literals with it and their patterns)"""


@cache
def _index() -> _Index:
    wide: dict[str, list[tuple[str, Pattern]]] = {}
    for pattern in load_patterns():
        for anchor in pattern.anchors if pattern.place == "wide" else ():
            wide.setdefault(_rarest(anchor), []).append((anchor, pattern))
    return _Index(
        stretches=stretches.build(),
        text=sieve.build("text"),
        folded=sieve.build("folded"),
        shape=sieve.build("shape"),
        wide=tuple((char, tuple(rows)) for char, rows in wide.items()),
    )


def _rarest(anchor: str) -> str:
    """One character by which several anchors can be ruled out at once."""
    return next((char for char in "密令钥凭パ번ьñ" if char in anchor), max(anchor))


def claims(text: str) -> list[Claim]:
    """What every pattern claims, in no useful order, overlaps included."""
    views = look(text)
    index = _index()
    found: list[Claim] = []
    if tries := index.stretches.tries(text, views.raw):
        by_rank: dict[int, list[int]] = {}
        for pattern, start in tries:
            by_rank.setdefault(pattern.rank, []).append(start)
        for rank, starts in by_rank.items():
            found += _tried(text, starts, load_patterns()[rank])
    places = index.text.places(views.raw) + index.folded.places(views.folded) + index.shape.places(views.shape)
    for patterns, starts in places:
        for pattern in patterns:
            found += _tried(text, starts, pattern)
    if not text.isascii():
        for char, rows in index.wide:
            if char in text:
                for anchor, pattern in rows:
                    found += _tried(text, _all(text, anchor), pattern)
    return found


def _all(text: str, anchor: str) -> Iterator[int]:
    start = text.find(anchor)
    while start >= 0:
        yield start
        start = text.find(anchor, start + 1)


def _tried(text: str, starts: Iterable[int], pattern: Pattern) -> list[Claim]:
    """What the pattern claims at the given places; the next place counts only after what is claimed already."""
    found: list[Claim] = []
    match_at, check, free = pattern.regex.match, pattern.check, 0
    for start in starts:
        if start >= free:
            match = match_at(text, start)
            span = check(match) if match is not None else None
            if span is not None:
                found.append(Claim(*span, pattern.rank, pattern.kind))
                free = span[1]
    return found
