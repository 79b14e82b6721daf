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
from itertools import chain
from typing import AnyStr

from cfpm.model.bytecode import compiled
from cfpm.model.literals import LiteralSet
from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.checks import Span
from cfpm.secrets.patterns import Pattern, Place, load_patterns
from cfpm.secrets.unwrapping import (
    MARKS,
    Marks,
    Stretches,
    View,
    decoded_stretches,
    spaced_bytes,
    with_lines_joined,
    without_escapes,
    without_spacing,
)
from cfpm.secrets.values import is_scrambled

RUN = 20
"""Characters from which a stretch of letters, digits, `_` and `-` may hold a vendor's token."""

DEEP = 36
"""Characters from which a stretch may hold a mark in its middle."""

_KEY = 3
"""Characters by which anchors of stretches are looked up."""

_TELLING = 4
"""Characters from which a vendor's prefix is believed in the middle of a word."""

_ESCAPES = (b"\\", b"%", b"[", b";")
"""What stands before a stretch whose first characters end an escape (`\\n`, `%3D`) or a terminal colour (`[94m`)."""

_LONG = b"a" * RUN
_PLAIN = b"abcdefghijklmnopqrstuvwxyz_-"

_Ranks = dict[int, list[int]]
"""Where patterns are to be tried, by their rank."""

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
    """What every pattern claims, in no useful order, overlaps included, also in what the text says unwrapped."""
    raw = as_latin(text)
    stretches = Stretches(long_stretches(raw))
    tries, marks = _literals(raw)
    found = _in_view(text, raw, stretches, tries)
    if (marks or not text.isascii()) and (view := without_escapes(text, raw, marks)) is not None:
        latin = as_latin(view.text)
        inside = _in_view(view.text, latin, Stretches(long_stretches(latin)), _literals(latin)[0])
        found += [moved for claim in inside if (moved := _moved(claim, view))]
    if (view := without_spacing(text, raw)) is not None:
        latin = as_latin(view.text)
        inside = _in_view(view.text, latin, Stretches(long_stretches(latin)), _literals(latin)[0])
        found += [moved for claim in inside if view.crosses(claim.start, claim.end) and (moved := _moved(claim, view))]
    if stretches.found and (view := with_lines_joined(text, raw, stretches)) is not None:
        found += _across_lines(text, view, found)
    return found


def as_latin(text: str) -> bytes:
    """One byte a character, so that an offset in it is one in the text; above U+00FF stands `?`."""
    return text.encode("latin-1", "replace")


def _in_view(text: str, raw: bytes, stretches: Stretches, tries: _Ranks) -> list[Claim]:
    joined = stretches.joined
    return [*_written_out(text, raw, stretches, joined, tries), *_encoded(text, raw, stretches, joined)]


def _moved(claim: Claim, view: View) -> Claim | None:
    span = view.span(claim.start, claim.end)
    return Claim(*span, claim.rank, claim.kind) if span else None


def _across_lines(text: str, view: View, found: list[Claim]) -> Iterator[Claim]:
    """Tokens that a line break cuts in two: no part of them is a token of its own, or their rest looks random."""
    raw = as_latin(view.text)
    stretches = Stretches(
        [(start, body) for start, body in long_stretches(raw) if view.crosses(start, start + len(body) + 1)]
    )
    joined = stretches.joined
    taken = sorted((claim.start, claim.end) for claim in found)
    for claim in (*_at_stretches(view.text, raw, stretches, joined), *_encoded(view.text, raw, stretches, joined)):
        moved = _moved(claim, view) if view.crosses(claim.start, claim.end) else None
        if moved is None:
            continue
        head = max((end for start, end in taken if start <= moved.start < end), default=moved.start)
        if head == moved.start or is_scrambled(_first_word(text, head)):
            yield moved


def _first_word(text: str, start: int) -> str:
    found = _WORD.search(text, start, start + _WORD_CHARS)
    return found[0] if found else ""


_WORD = lazy_pattern(r"[A-Za-z0-9_\-]+")
_WORD_CHARS = 100


def _encoded(text: str, raw: bytes, stretches: Stretches, joined: bytes) -> list[Claim]:
    """The stretches that say a secret in base64 or hexadecimal: each as a whole."""
    found: list[Claim] = []
    for (start, end), plain in chain(decoded_stretches(text, stretches, joined), spaced_bytes(text, raw)):
        if inside := _as_written(plain):
            first = min(inside, key=lambda claim: claim.rank)
            found.append(Claim(start, end, first.rank, first.kind))
    return found


def _as_written(text: str) -> list[Claim]:
    """What is claimed in a decoded text, and in what its escapes stand for."""
    raw = as_latin(text)
    stretches = Stretches(long_stretches(raw))
    tries, marks = _literals(raw)
    found = _written_out(text, raw, stretches, stretches.joined, tries)
    if not found and marks and (view := without_escapes(text, raw, marks)) is not None:
        return _as_written(view.text)
    return found or _encoded(text, raw, stretches, stretches.joined)


def _written_out(text: str, raw: bytes, stretches: Stretches, joined: bytes, tries: _Ranks) -> list[Claim]:
    """What every pattern claims in the text as it stands."""
    found = _at_stretches(text, raw, stretches, joined) if joined else []
    for rank, starts in tries.items():
        starts.sort()
        found += _tried(text, starts, load_patterns()[rank])
    if not text.isascii() and _wide_start().search(text):
        literal_set, patterns = _wide()
        wide: dict[int, list[int]] = {}
        for start, literal in literal_set.places(text):
            for pattern in patterns[literal]:
                wide.setdefault(pattern.rank, []).append(start)
        for rank, starts in wide.items():
            found += _tried(text, sorted(starts), load_patterns()[rank])
    return found


def _literals(raw: bytes) -> tuple[_Ranks, Marks]:
    """Where the literals of patterns stand, by their rank, and the marks of escapes. One pass of an automaton."""
    tries: _Ranks = {}
    marks: Marks = []
    everywhere, ranks = _everywhere()
    for start, literal in everywhere.places(raw.lower().decode("latin-1")):
        if kind := MARKS.get(literal):
            marks.append((start, kind))
        for rank in ranks.get(literal, ()):
            tries.setdefault(rank, []).append(start)
    shapes = raw.translate(_SHAPES)
    for shape, patterns in literals("shape").items():
        if shape in shapes:
            for pattern in patterns:
                tries.setdefault(pattern.rank, []).extend(starts_of(shapes, shape))
    return tries, marks


@cache
def _everywhere() -> tuple[LiteralSet, dict[str, tuple[int, ...]]]:
    """The literals that are looked for in small letters in all of a text, and the rows that are tried at each."""
    ranks: dict[str, tuple[int, ...]] = {}
    for place in ("text", "folded"):
        for literal, patterns in _by_anchor(place).items():
            folded = literal.lower()
            ranks[folded] = (*ranks.get(folded, ()), *(pattern.rank for pattern in patterns))
    return LiteralSet([*ranks, *MARKS]), ranks


def _at_stretches(text: str, raw: bytes, stretches: Stretches, joined: bytes) -> list[Claim]:
    """What the patterns claim that are tried at long stretches of letters and digits."""
    by_rank: dict[int, list[int]] = {}
    for pattern, start in _stretches().tries(text, raw, stretches, joined):
        by_rank.setdefault(pattern.rank, []).append(start)
    found: list[Claim] = []
    for rank, starts in by_rank.items():
        found += _tried(text, sorted(set(starts)), load_patterns()[rank])
    return found


def _tried(text: str, starts: Iterable[int], pattern: Pattern) -> list[Claim]:
    """What the pattern claims at the given places; the next place counts only after what is claimed already."""
    found: list[Claim] = []
    free = 0
    for start in starts:
        if start < free:
            continue
        match = pattern.regex.match(text, start)
        spans = (pattern.check(match) if match else []) or _glued(text, start, pattern)
        if spans:
            found += [Claim(*span, pattern.rank, pattern.kind) for span in spans]
            free = spans[-1][1]
    return found


def _glued(text: str, start: int, pattern: Pattern) -> list[Span]:
    """A token that stands in the middle of a stretch; it has to look like one, as no edge says where it begins."""
    if pattern.glued is None or not _may_be_glued(text, start, pattern):
        return []
    match = pattern.glued.match(text, start)
    return [span for span in pattern.check(match) if is_scrambled(text[slice(*span)])] if match else []


def _may_be_glued(text: str, start: int, pattern: Pattern) -> bool:
    """A prefix with a sign in it counts behind anything, one of letters alone behind a word; a short one not at all."""
    if not text[start - 1 : start].isalnum():
        return True
    anchor = max((one for one in pattern.anchors if text.startswith(one, start)), key=len, default="")
    if len(anchor) < _TELLING:
        return _NAME_BEFORE.search(text, max(0, start - _WORD_CHARS), start) is not None
    return not anchor.isalnum() or _WORD_BEFORE.search(text, max(0, start - _WORD_CHARS), start) is not None


_NAME_BEFORE = lazy_pattern(r"(?i:(?<![a-z])(?:api)?key|token|secret|password|passwd|bearer|auth|credential)s?\Z")
_WORD_BEFORE = lazy_pattern(r"(?<![A-Za-z0-9+/=])(?:[A-Z]?[a-z]{1,16}|[A-Z]{1,16})\Z")


def starts_of(view: AnyStr, literal: AnyStr) -> list[int]:
    """Where the literal stands, overlaps included."""
    starts = []
    start = view.find(literal)
    while start >= 0:
        starts.append(start)
        start = view.find(literal, start + 1)
    return starts


def views(raw: bytes) -> dict[Place, bytes]:
    """A text at one byte a character in four ways, so that an offset in each is one in the text.

    `folded` has ASCII letters lowered; `shape` has `0` for digits, `A` and `a` for letters, `-` for a space or a dash,
    `.` for the rest.
    """
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
def _wide() -> tuple[LiteralSet, dict[str, tuple[Pattern, ...]]]:
    """The literals of other scripts, and the rows that are tried at each."""
    anchors = _by_anchor("wide")
    return LiteralSet(anchors), anchors


@cache
def _wide_start() -> re.Pattern[str]:
    """A character of each wide anchor that is not ASCII: texts in other scripts hold none."""
    firsts = {next(char for char in anchor if not char.isascii()) for anchor in _by_anchor("wide")}
    return compiled("[" + "".join(sorted(firsts)) + "]")


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
    inside: LiteralSet
    rows: dict[str, tuple[Pattern, ...]]

    def tries(self, text: str, raw: bytes, stretches: Stretches, joined: bytes) -> Tries:
        """Where which pattern has to be tried; `raw` is the text at one byte a character."""
        found: Tries = []
        deep: list[bytes] = []
        for start, body in stretches.found:
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
        return [*found, *self._inside(stretches, joined), *self._deep(raw, b"\n".join(deep))]

    def _inside(self, stretches: Stretches, joined: bytes) -> Iterator[tuple[Pattern, int]]:
        """Where a prefix stands behind other characters of its stretch."""
        firsts: list[int] = []
        for at, literal in self.inside.places(joined.decode("latin-1")):
            firsts = firsts or stretches.firsts()
            number, start = stretches.place(at, firsts)
            if at > firsts[number]:
                yield from ((pattern, start) for pattern in self.rows[literal])

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
    inside: dict[str, tuple[Pattern, ...]] = {}
    for literal, patterns in literals("runs").items():
        tail = re.search(rb"[A-Za-z0-9_\-]*\Z", literal)
        ahead = tail.start() if tail else 0
        table, key = (before, literal[ahead - _KEY : ahead]) if ahead else (at_start, literal[:_KEY])
        table.setdefault(key, []).extend((literal, ahead, pattern) for pattern in patterns)
        if not ahead and (gluable := tuple(pattern for pattern in patterns if pattern.glued_source)):
            inside[literal.decode("latin-1")] = gluable
    loose = tuple(pattern for pattern in load_patterns() if pattern.place == "run-start" and not pattern.anchors)
    return _Stretches(
        at_start=at_start,
        before=before,
        after=literals("run-start"),
        anywhere=loose,
        any_of_them=compiled("|".join(f"(?:{pattern.source})" for pattern in loose), re.VERBOSE),
        deep=literals("deep"),
        inside=LiteralSet(inside),
        rows=inside,
    )
