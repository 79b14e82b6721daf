"""Runs the table of secrets over a text: anchors first, regular expressions only where an anchor stands.

Linear in the text: a regex is tried at anchors only, has bounded repetitions, and goes on after what it has claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import AnyStr

from cfpm.secrets.patterns import Pattern, Place, load_patterns
from cfpm.secrets.views import look


@dataclass(frozen=True, slots=True)
class Claim:
    """Characters that a pattern wants to have replaced."""

    start: int
    end: int
    rank: int
    kind: str


@dataclass(frozen=True, slots=True)
class _Anchors:
    """The table turned around: for each view, which patterns to try at which literal."""

    narrow: dict[Place, tuple[tuple[bytes, tuple[Pattern, ...]], ...]]
    wide: tuple[tuple[str, tuple[Pattern, ...]], ...]
    run_start: tuple[Pattern, ...]
    any_run_start: re.Pattern[str]


@cache
def _anchors() -> _Anchors:
    found: dict[Place, dict[str, list[Pattern]]] = {"runs": {}, "text": {}, "folded": {}, "shape": {}, "wide": {}}
    for pattern in load_patterns():
        for anchor in pattern.anchors:
            found[pattern.place].setdefault(anchor, []).append(pattern)
    wide = found.pop("wide")
    run_start = tuple(pattern for pattern in load_patterns() if pattern.place == "run-start")
    return _Anchors(
        narrow={
            place: tuple((anchor.encode("latin-1"), tuple(patterns)) for anchor, patterns in by_anchor.items())
            for place, by_anchor in found.items()
        },
        wide=tuple((anchor, tuple(patterns)) for anchor, patterns in wide.items()),
        run_start=run_start,
        any_run_start=re.compile("|".join(f"(?:{pattern.regex.pattern})" for pattern in run_start), re.VERBOSE),
    )


def claims(text: str) -> Iterator[Claim]:
    """What every pattern claims, in no useful order, overlaps included."""
    views = look(text)
    anchors = _anchors()
    places: tuple[tuple[Place, bytes, bytes], ...] = (
        ("runs", views.runs, views.raw),
        ("text", views.raw, views.raw),
        ("folded", views.folded, views.folded),
        ("shape", views.shape, views.shape),
    )
    for place, sieve, view in places:
        if sieve:
            for anchor, patterns in anchors.narrow[place]:
                if anchor in sieve:
                    for pattern in patterns:
                        yield from _at(text, view, anchor, pattern)
    for start in views.run_starts:
        if anchors.any_run_start.match(text, start):
            yield from _here(text, start, anchors.run_start)
    if not text.isascii():
        for literal, patterns in anchors.wide:
            if literal in text:
                for pattern in patterns:
                    yield from _at(text, text, literal, pattern)


def _at(text: str, view: AnyStr, anchor: AnyStr, pattern: Pattern) -> Iterator[Claim]:
    match_at, check, lead = pattern.regex.match, pattern.check, pattern.lead
    start = view.find(anchor)
    while start >= 0:
        match = match_at(text, start - lead) if start >= lead else None
        span = check(match) if match is not None else None
        if span is not None:
            yield Claim(*span, pattern.rank, pattern.kind)
        start = view.find(anchor, start + 1 if span is None else max(start + 1, span[1]))


def _here(text: str, start: int, patterns: tuple[Pattern, ...]) -> Iterator[Claim]:
    for pattern in patterns:
        match = pattern.regex.match(text, start)
        if match is not None and (span := pattern.check(match)) is not None:
            yield Claim(*span, pattern.rank, pattern.kind)
