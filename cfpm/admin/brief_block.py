"""The brief as a block of a Markdown file: where it stands, how its lines are written and read back. Text only: opens
no file and asks no store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from cfpm.errors import InputError
from cfpm.model import ids
from cfpm.model.ids import cited, numbered, short_id
from cfpm.model.markers import BRIEF_CLOSE, BRIEF_OPEN
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.brief.packing import LABEL, Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.recall.brief.packing import BriefLine

HINT = "kept by `cfpm brief --write`: what you change in here is learnt, what stands outside is left alone"

_DIGITS = 6
"""Hex digits of the words of a line: an edit is taken for none in one case of sixteen million."""

_INDENT = r"^[ \t\ufeff]*"
_MARK = lazy_pattern(
    rf"(?m){_INDENT}(?P<mark>(?P<which>{re.escape(BRIEF_OPEN)}|{re.escape(BRIEF_CLOSE)})(?P<rest>\b[^\r\n]*?)-->)"
)
_BEGUN_MARK = lazy_pattern(rf"(?m){_INDENT}(?:{re.escape(BRIEF_OPEN)}|{re.escape(BRIEF_CLOSE)})\b")
_BLOCK_ID = lazy_pattern(r"\b[0-9a-f]{20}\b")

_OURS = lazy_pattern(rf"\s*<!-- (?P<id>[^\s<>]+) (?P<digest>[0-9a-f]{{{_DIGITS}}}) -->")
_NOTE = lazy_pattern(r"\s*(?:_\([^()]*\)_|\*\([^()]*\)\*)\s*$")
_CHECK = lazy_pattern(r"\s*\(check: [^()]*\)\s*$")
_HEADING = lazy_pattern(r"#{1,6}[ \t]+(.*?)[ \t:#]*$")
_BULLET = lazy_pattern(r"(?:[-*+]|\d{1,3}[.)])(?:[ \t]+|$)")
_FENCE = ("```", "~~~")
_CONFLICT = lazy_pattern(r"(?:<{7}|={7}|>{7})(?:\s|$)")
_ESCAPED = lazy_pattern(r"\\([!-/:-@\[-`{-~])")
_QUOTED_SAFE = "/:#@+=,~"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the block stands in a text: from `start` up to `end`, in characters, with both marks.

    `inside` is what stands between the marks, `first_line` the number of its first line, from 1. `id` is the name that
    the block was given when it was written, empty for none.
    """

    start: int
    end: int
    inside: str
    first_line: int
    id: str
    newline: str


@dataclass(slots=True)
class ReadLine:
    """A line of the block, as it stands in the file: its number, the title above it in small letters, its words, the id
    and the digest that were written behind them, if there are any."""

    number: int
    section: str
    words: str
    id: str = ""
    digest: str = ""

    @property
    def is_changed(self) -> bool:
        """Whether its words are others than were written for its id."""
        return self.digest != _digest(self.words)


def find_block(text: str, source: str) -> Place | None:
    """The block between its marks, or None where there is no mark.

    Raises InputError, naming the line, for a mark without the other one, a second block, or a mark that is not whole.
    """
    marks = list(_MARK.finditer(text))
    whole = {found.start("mark") for found in marks}
    for begun in _BEGUN_MARK.finditer(text):
        if begun.start() + begun[0].index("<!--") not in whole:
            raise _torn(text, begun.start(), source, "the mark has no `-->` on its line")
    if not marks:
        return None
    opened = None
    places = []
    for found in marks:
        if found["which"] == BRIEF_OPEN:
            if opened is not None:
                raise _torn(text, found.start("mark"), source, "the block above has no end mark")
            opened = found
        elif opened is None:
            raise _torn(text, found.start("mark"), source, "an end mark without a begin mark")
        else:
            places.append((opened, found))
            opened = None
    if opened is not None:
        raise _torn(text, opened.start("mark"), source, "a begin mark without an end mark")
    if len(places) > 1:
        raise _torn(text, places[1][0].start("mark"), source, "a second block")
    ((begin, end),) = places
    ident = _BLOCK_ID.search(end["rest"])
    behind = text[begin.end() : begin.end() + 2]
    return Place(
        begin.start("mark"),
        end.end(),
        text[begin.end() : end.start("mark")],
        _line_of(text, begin.end()),
        ident[0] if ident else "",
        "\r\n" if behind == "\r\n" else "\n",
    )


def read_lines(place: Place, source: str) -> list[ReadLine]:
    """What stands in the block, line by line, without titles and what is no line of the brief.

    A line that goes on below is one. Raises InputError, naming the line, for what would be lost: code, a comment, an
    unresolved merge.
    """
    found: list[ReadLine] = []
    section = ""
    open_line = False
    for number, raw in enumerate(place.inside.split("\n"), place.first_line):
        text = raw.strip()
        if text.startswith(_FENCE) or _CONFLICT.match(text):
            what = "code" if text.startswith(_FENCE) else "an unresolved merge"
            remedy = "Move it out of the block" if text.startswith(_FENCE) else "Resolve it"
            raise InputError(source, f"{what} stands in the block of the brief", remedy, place=f"line {number}")
        heading = _HEADING.match(text)
        if not text or heading or (text.startswith(">") and text.lstrip("> ") == LABEL):
            open_line = False
            section = heading[1].strip().casefold() if heading else section
            continue
        bullet = _BULLET.match(text)
        goes_on = open_line and bullet is None and (raw[:1] in (" ", "\t") or not found[-1].id)
        if goes_on:
            _take(found[-1], text)
        else:
            found.append(ReadLine(number, section, ""))
            _take(found[-1], text[bullet.end() :] if bullet else text)
        open_line = True
    for line in found:
        if "<!--" in line.words:
            problem, remedy = "a comment of somebody's own stands in the block of the brief", "Move it out of the block"
            raise InputError(source, problem, remedy, place=f"line {line.number}")
        line.words = _words(line.words)
    return [line for line in found if line.words or line.id]


def _take(line: ReadLine, text: str) -> None:
    """Adds a line of the file, taking the comment with the id out of it; of two joined lines the first id counts."""
    if not line.id and (ours := _OURS.search(text)):
        line.id, line.digest = ours["id"], ours["digest"]
    line.words = f"{line.words} {_OURS.sub('', text)}"


def _words(text: str) -> str:
    """The words of a line without what stands behind them: its age, and that it is to be checked."""
    return " ".join(_CHECK.sub("", _NOTE.sub("", text)).split())


def written_id(ident: str) -> str:
    """An id as it stands in a comment: ours short, and a host's without what a comment cannot hold."""
    return quote(short_id(ident), safe=_QUOTED_SAFE).replace("--", "%2D%2D") or "-"


@dataclass(frozen=True, slots=True)
class Written:
    """The block as it is to stand in a file, and each of its lines without the comment and as bare words."""

    text: str
    shown: tuple[str, ...]
    words: tuple[str, ...]


def block_of(lines: Sequence[BriefLine], block_id: str, newline: str = "\n") -> Written:
    """The block with these lines, sorted by their sections, between its marks."""
    text = [f"{BRIEF_OPEN} ({HINT}) -->", f"> {LABEL}"]
    shown: list[str] = []
    words: list[str] = []
    for section in Section:
        own = [line for line in lines if line.section == section]
        if own:
            text.append(f"### {section.value.capitalize()}")
        for line in own:
            said, ident, note = _parts(line)
            words.append(_words(said))
            shown.append(f"- {said} _({note})_" if note else f"- {said}")
            text.append(f"{shown[-1]} <!-- {ident} {_digest(words[-1])} -->")
    text.append(f"{BRIEF_CLOSE} {block_id} -->" if block_id else f"{BRIEF_CLOSE} -->")
    return Written(newline.join(text), tuple(shown), tuple(words))


def _parts(line: BriefLine) -> tuple[str, str, str]:
    """The words of a line, its id as it stands in the comment, and its age and the like without the id."""
    said, found, behind = line.text.rpartition(" (")
    first, *rest = behind.removesuffix(")").split(", ") if found else [""]
    if first and (first == cited(line.id) or numbered(first)):
        # A fact is found in another database, too; the number of a message is only of this one.
        first, note = first if numbered(first) else line.id, ", ".join(rest)
    elif found and not line.id:
        first, note = "", behind.removesuffix(")")
    else:
        said, first, note = line.text, "", ""
    # A comment in the words would end the block, or be taken for ours.
    return said.replace("<!--", "<! --").replace("-->", "-- >"), written_id(first or line.id), note


def _digest(words: str) -> str:
    """Of the words as a formatter of Markdown may leave them: with or without escapes, and with single spaces."""
    return ids.digest(" ".join(_ESCAPED.sub(r"\1", words).split()))[:_DIGITS]


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _torn(text: str, at: int, source: str, problem: str) -> InputError:
    marks = f"`{BRIEF_OPEN} -->` and `{BRIEF_CLOSE} -->`"
    remedy = f"Keep one pair of marks, {marks}, each at the start of a line; or remove all"
    return InputError(source, f"{problem} (marks of the brief)", remedy, place=f"line {_line_of(text, at)}")
