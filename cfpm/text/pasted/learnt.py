"""Which pieces of a message are somebody else's text, by what was learnt from labelled messages.

Judges a message piece by piece: by its own form and words, by what is asked in the pieces around it, and by whether
the piece before it was foreign. Signs are data (signs.toml), weights are learnt (`benchmarks train paste`). Marks that
decide alone (fences, quoted lines, logs, tables) are found in `documents.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    import re

HARD = "shown hard"
"""Stands for what is foreign by its form alone."""

LEAN = -0.5
"""Added to each logit, since users paste less than what is learnt from does. Of 90 own messages of each of three
authors who were left out, 8, 8 and 10 lose some words (at -1.5 some 5, at 0.5 some 15), of 221 stretches of others 112
are found (102, 124), before what is sure by its form."""

MOST = 150
"""Pieces of a message that are judged; what stands behind them goes with the last."""

_CUT = lazy_pattern(
    r"(?P<blank>\n[ \t]*\n\s*)|(?P<line>\n\s*)|"
    r"(?P<stop>(?<=[.!?…])[\"'”’)]*[ \t]+|(?<=[.!?…][\"”])[ \t]*|(?<=[。！？；])[”」]?[ \t]*)|"
    r"(?P<colon>(?<=\w)[\"”)*]*[:：](?:[ \t]+|(?=[\"“「\u3400-\u9fff<]))|(?<=：))|(?P<comma>(?<=[，]))|"
    r"(?P<dash>[ \t]+(?:[-–—]+|<-+|-+>|\^|\|)[ \t]+)|"
    r"(?P<quote>(?:(?<=[\s(])|(?<=[\u3400-\u9fff]))(?=[\"“「«][^\"”」»\n]{6,400}[\"”」»])|(?<=\S[\"”」»])[ \t]+)"
)
_CHINESE = lazy_pattern(r"[\u3400-\u9fff]")
_LATIN = lazy_pattern(r"[A-Za-z]{3}")
_EDGES = ("blank", "line", "stop", "colon", "comma", "dash", "quote")


@dataclass(frozen=True, slots=True)
class Piece:
    """The slice [start, end) of a message, the kind of edge before it, and the signs in it."""

    start: int
    end: int
    edge: str
    block: int
    line: int
    signs: frozenset[str]


@cache
def _signs() -> tuple[Mapping[str, re.Pattern[str]], Mapping[str, re.Pattern[str]]]:
    data = toml_table("cfpm.text.pasted", "signs")
    words, forms = ({name: compiled(one) for name, one in data[kind].items()} for kind in ("signs", "forms"))
    return words, forms


def pieces(text: str, shown: Mapping[str, Sequence[tuple[int, int]]] | None = None) -> list[Piece]:
    """The message in pieces, in order. `shown` are stretches that other rules found, by the names of their kinds."""
    found = _joined(_cut(text), text)
    if not any(shown.values() if shown else ()):
        return found
    assert shown is not None
    told = [
        replace(part, signs=part.signs | {f"shown {name}" for name, spans in shown.items() if _within(part, spans)})
        for part in found
    ]
    return [replace(part, signs=_unmet(part.signs, told[max(0, at - 1) : at + 2])) for at, part in enumerate(told)]


def _unmet(signs: frozenset[str], around: Sequence[Piece]) -> frozenset[str]:
    """The signs without a request or an announcement that what stands beside it, foreign by its form, answers to."""
    met = any(HARD in other.signs for other in around)
    return signs - {*_TELLING} | {"met"} if met and not signs.isdisjoint(_TELLING) else signs


def _joined(found: Sequence[Piece], text: str) -> list[Piece]:
    """The pieces, without the cuts at commas that part no request or announcement from what stands beside it."""
    kept: list[Piece] = []
    for part in found:
        if kept and part.edge == "comma" and kept[-1].signs.isdisjoint(_TELLING) and part.signs.isdisjoint(_TELLING):
            before = kept.pop()
            kept.append(_piece(text, before.start, part.end, before.edge, before.block, before.line))
        else:
            kept.append(part)
    return kept


def _within(part: Piece, spans: Sequence[tuple[int, int]]) -> bool:
    middle = (part.start + part.end) // 2
    return any(start <= middle < end for start, end in spans)


def _cut(text: str) -> list[Piece]:
    found: list[Piece] = []
    begin, edge, block, line = len(text) - len(text.lstrip()), "", 0, 0
    for cut in _CUT.finditer(text, begin):
        kind = cut.lastgroup or ""
        end = cut.end() if kind == "colon" else cut.start()
        if text[begin:end].strip():
            found.append(_piece(text, begin, end, edge, block, line))
            edge = ""
        if _EDGES.index(kind) < _EDGES.index(edge or "quote") or not edge:
            edge = kind
        block, line = block + (kind == "blank"), line + (kind in ("blank", "line"))
        begin = cut.end()
        if len(found) >= MOST:
            break
    if text[begin:].strip():
        found.append(_piece(text, begin, len(text.rstrip()), edge, block, line))
    return found


def _piece(text: str, start: int, end: int, edge: str, block: int, line: int) -> Piece:
    said = text[start:end]
    lower = said.lower()
    words, forms = _signs()
    signs = {name for name, sign in words.items() if sign.search(lower)}
    signs.update(name for name, form in forms.items() if form.search(said))
    signs.update(_composed(signs))
    if said[:1] in '"“「«':
        signs.add("quoted")
    if _CHINESE.search(said):
        signs.add("chinese")
    elif _LATIN.search(said):
        signs.add("latin")
    return Piece(start, end, edge, block, line, frozenset(signs))


def _composed(signs: set[str]) -> Iterator[str]:
    """What makes a request about a text, and what announces one; a rule for the time to come is neither."""
    if signs & {"later", "rule"} and "colon" not in signs:
        return
    points = signs & {"deictic", "noun", "third"}
    hangs = signs & {"colon", "unended", "asks", "polite", "short"}
    if "textual" in signs:
        yield "request"
        if points or "colon" in signs:
            yield "request of it"
    if "works" in signs and points:
        yield "task"
    if "asks" in signs and points:
        yield "question"
    if ("source" in signs and signs & {"noun", "deictic"}) or (signs & {"noun", "source"} and hangs):
        yield "announces"
    if "source" in signs and "colon" in signs:
        yield "announces"


_TELLING = ("request", "request of it", "task", "question", "announces")


_SHOWN = (
    HARD,
    *(f"shown {kind}" for kind in ("announced", "told", "headed", "record", "mail")),
)
"""Stretches that other rules found."""
_BEFORE_EDGES = frozenset({*_TELLING, "colon", "asks", "works", "topic", "mine"})
_BEFORE = frozenset({*_TELLING, "closes", "signature", "quoted", "deictic", "opens", "label", *_SHOWN})
_AFTER = frozenset({*_TELLING, "closes", "signature", "deictic", "third", *_SHOWN})
"""Signs of the pieces beside one that are weighed."""
_TONGUES = (("latin", "chinese"), ("chinese", "latin"))
_EVIDENT = frozenset({*_TELLING, "opens", "closes", *_SHOWN}) - {HARD}
"""One of which a message has that holds a paste without marks."""


def features(parts: Sequence[Piece], at: int) -> set[str]:
    """What speaks for or against a piece's being foreign, apart from the answer for the piece before it."""
    found = {*parts[at].signs, *_beside(parts, at), *_told(parts, parts[at]), *_placed(parts, parts[at])}
    for name, others in (("earlier", parts[:at]), ("later", parts[at + 1 :])):
        found.update(_around(parts[at], name, others))
    return found


def _beside(parts: Sequence[Piece], at: int) -> Iterator[str]:
    """Of the pieces right before and after."""
    if at:
        edge, signs = parts[at].edge, parts[at - 1].signs
        yield from (f"before {sign} {edge}" for sign in signs & _BEFORE_EDGES)
        yield from (f"before {sign}" for sign in signs & _BEFORE)
    else:
        yield "first"
    if at + 1 < len(parts):
        edge, signs = parts[at + 1].edge, parts[at + 1].signs
        yield from (f"after {sign} {edge}" for sign in signs & {*_TELLING, "asks"})
        yield from (f"after {sign}" for sign in signs & _AFTER)
    else:
        yield "last"


def _around(part: Piece, name: str, others: Sequence[Piece]) -> Iterator[str]:
    """Of all pieces before, or all behind it, of those in other blocks, and of those in its line."""
    seen = _signs_of(others)
    yield from (f"{name} {sign}" for sign in seen & {*_TELLING, "works", "opens", "closes", "mine", "heading"})
    apart = _signs_of([other for other in others if other.block != part.block])
    yield from (f"{name} block {sign}" for sign in apart & {*_TELLING, "works", "opens", "closes"})
    near = _signs_of([other for other in others if other.line == part.line])
    yield from (f"{name} line {sign}" for sign in near & {*_TELLING, "works", "label"})
    if any(own in part.signs and other in seen and own not in seen for own, other in _TONGUES):
        yield f"{name} tongue"


def _signs_of(parts: Sequence[Piece]) -> frozenset[str]:
    return frozenset().union(*(part.signs for part in parts))


def _told(parts: Sequence[Piece], part: Piece) -> Iterator[str]:
    """Where the requests and announcements of the message stand, for a piece that is none."""
    telling = [other for other in parts if not other.signs.isdisjoint(_TELLING)]
    if not telling or not part.signs.isdisjoint(_TELLING):
        return
    if any(other.signs.isdisjoint(_SHOWN) for other in telling):
        yield from (f"{sign} asked" for sign in part.signs & {*_SHOWN})
    if telling[-1].start < part.start:
        yield "behind all that tells"
    if telling[0].start > part.start:
        yield "before all that tells"
    if len(telling) == 1:
        yield "one tells"
    if all(other.block != part.block for other in telling):
        yield from (f"apart block {sign}" for other in telling for sign in other.signs & {*_TELLING})
    if all(other.line != part.line for other in telling):
        yield from (f"apart line {sign}" for other in telling for sign in other.signs & {*_TELLING})


def _placed(parts: Sequence[Piece], part: Piece) -> Iterator[str]:
    """Of the blocks and lines of the message."""
    if len(parts) == 1:
        yield "alone"
    last = parts[-1]
    if last.block:
        yield "blocks"
        own = _signs_of([other for other in parts if other.block == part.block])
        yield from (f"block {sign}" for sign in own & {*_TELLING, "works", "me", "agent", "later"})
        yield from (name for name, block in (("first block", 0), ("last block", last.block)) if part.block == block)
    elif last.line:
        yield "lines"
        yield from (name for name, line in (("first line", 0), ("last line", last.line)) if part.line == line)


def links(part: Piece, before: Piece, foreign: bool) -> set[str]:
    """What speaks for the same by the piece before."""
    if not foreign:
        return {f"from own {part.edge}"}
    found = {f"from foreign {part.edge}", "from foreign"}
    found.update(
        f"from foreign {sign}"
        for sign in part.signs
        & {*_TELLING, "later", "agent", "me", "works", "asks", "closes", "signature", "label", "item", "lower", *_SHOWN}
    )
    found.update(f"from foreign behind {sign}" for sign in before.signs & {"closes", "signature", "quoted"})
    return found


@cache
def weights() -> Mapping[str, float]:
    """By the names of features."""
    known: Mapping[str, float] = toml_table("cfpm.text.pasted", "weights").get("weights", {})
    return known


def judged(parts: Sequence[Piece], known: Mapping[str, float]) -> list[bool]:
    """For each piece whether it is foreign: the likeliest row of answers."""
    own = {part.block for part in parts if part.edge == "blank" and "turns" in part.signs}
    best: dict[bool, tuple[float, list[bool]]] = {False: (0.0, [])}
    for at, part in enumerate(parts):
        base = LEAN + known.get("constant", 0.0) + sum(known.get(name, 0.0) for name in sorted(features(parts, at)))
        reached: dict[bool, tuple[float, list[bool]]] = {}
        for foreign, (total, row) in best.items():
            given = links(part, parts[at - 1], foreign) if at else set()
            logit = round(base + sum(known.get(name, 0.0) for name in sorted(given)), 3)
            for answer in (True,) if HARD in part.signs else (False,) if part.block in own else (False, True):
                sum_ = total - math.log1p(math.exp(-logit if answer else logit))
                if answer not in reached or sum_ > reached[answer][0]:
                    reached[answer] = (sum_, [*row, answer])
        best = reached
    return max(best.values(), key=lambda one: one[0])[1]


def foreign_pieces(text: str, shown: Mapping[str, Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The runs of pieces that are somebody else's, as [start, end)."""
    if _CUT.search(text.strip()) is None:
        # One piece, which nothing beside it announces.
        return []
    parts = pieces(text, shown)
    if len(parts) < 2 or not any(part.signs & _EVIDENT and HARD not in part.signs for part in parts):
        return []
    found: list[tuple[int, int]] = []
    before = False
    for part, foreign in zip(parts, judged(parts, weights()), strict=True):
        if foreign and before:
            found[-1] = (found[-1][0], part.end)
        elif foreign:
            found.append((part.start, part.end))
        before = foreign
    return found
