"""What agents reported at the end of their work, as lines that say something by themselves.

A report is the last that an agent said in a turn. Its lists and paragraphs are read when a brief is made, so that
nothing is kept twice: what is erased or forgotten is gone from here, too. A line is composed of words of the report
alone: the heading that an item stands under, the item, what is listed below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.recall.brief.telling import (
    FEWEST,
    begins,
    holds,
    is_known,
    is_whole,
    opened,
    plainly,
    points_at_a_list,
    points_back,
    unlabelled,
    without_lines,
    word_list,
)
from cfpm.text import is_question
from cfpm.text.machine_lines import by_machine
from cfpm.text.sentences import Kind, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from cfpm.text.sentences import Sentence

LONGEST_POINT = 260
"""Characters of a line; what is listed below an item is left out from where it would be longer."""

LONGEST_HEADING = 90

SHORT = 80
"""Characters of an item that is told together with those beside it."""

MOST_POINTS = 24
"""Lines of a report: a longer one is a document."""

_CODE = lazy_pattern(r"`[^`]*`|[^\w\s'’]+")
_WORD = lazy_pattern(r"[\w'’-]+")
_CELLS = lazy_pattern(r"\s*\|\s*")
_RULED = lazy_pattern(r"[\s|:-]*")
_BOLD = lazy_pattern(r"\*\*[^*]{1,120}\*\*:?")
_NUMBER = lazy_pattern(r"^(?:\d{1,3}[.)]|step \d+:?|\d{1,3}\s[—–-])\s*")
_REVIEWED = lazy_pattern(r"[✅⚠❌🔴🟡🟢]")

MANY_MARKS = 6
"""Check marks and warnings from which a report is a review of somebody's change."""


class PointKind(Enum):
    """What a line of a report tells."""

    DONE = "done"
    CAUSE = "cause"
    REMEDY = "remedy"
    LIMIT = "limit"
    DECISION = "decision"
    OPEN = "open"
    KNOWN = "known"


_NAMED_KINDS = (
    (PointKind.OPEN, "unfinished"),
    (PointKind.DECISION, "decisions"),
    (PointKind.CAUSE, "causes"),
    (PointKind.REMEDY, "remedies"),
    (PointKind.LIMIT, "limits"),
)
"""Kinds that a heading or the first words name, with their lists in `telling.toml`."""


class Point(NamedTuple):
    """A line of a report, and the spans of it that it is composed of, in their order."""

    kind: PointKind
    text: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The last that an agent said in a turn; `seq` and `message_id` are those of the message, `begins` is the `seq` of
    the user's message that the turn began with, and `asked` are its words."""

    seq: int
    message_id: str
    namespace: str
    session: str
    agent: str
    at: datetime | None
    text: str
    begins: int = 0
    asked: str = ""

    @property
    def points(self) -> tuple[Point, ...]:
        """Its lines that say something by themselves."""
        return points(self.text)

    @property
    def findings(self) -> tuple[Point, ...]:
        """Its lines that tell how things are, also those of a review: for a reader who is told what was asked for."""
        return tuple(point for point in _points(self.text) if point.kind is PointKind.KNOWN)

    @property
    def ends_work(self) -> bool:
        """Whether it tells that something was done, and does not only answer or plan."""
        return any(point.kind is PointKind.DONE for point in self.points) or holds(self.text, "passing")


@dataclass(slots=True)
class _Item:
    """An item of a list, a paragraph, a row: what it stands under and what stands below it."""

    heading: str
    lead: str
    said: list[str]
    listed: bool
    indent: int = 0
    below: list[str] = field(default_factory=list)


@lru_cache(1_024)
def points(text: str) -> tuple[Point, ...]:
    """The lines of a report that say something by themselves, in its order; none of a review."""
    is_review = len(_REVIEWED.findall(text)) >= MANY_MARKS or holds(text, "reviewing")
    return () if is_review else _points(text)


@lru_cache(1_024)
def _points(text: str) -> tuple[Point, ...]:
    found = (point for item in _joined(_items(text)) if (point := _point(item)) is not None)
    return tuple(islice(_mended(found), MOST_POINTS))


def _mended(found: Iterable[Point]) -> Iterator[Point]:
    """What was wrong together with what was done about it, which is told right behind; alone it is no longer so."""
    wrong: Point | None = None
    for point in found:
        mends = wrong is not None and point.kind in (PointKind.DONE, PointKind.REMEDY)
        if wrong is not None and mends and len(wrong.text) + len(point.text) <= LONGEST_POINT + LONGEST_HEADING:
            yield Point(PointKind.LIMIT, f"{wrong.text.rstrip('.')}; {point.text}", (*wrong.parts, *point.parts))
        elif point.kind not in (PointKind.CAUSE, PointKind.REMEDY):
            yield point
        wrong = point if point.kind is PointKind.CAUSE else None


def _items(text: str) -> Iterator[_Item]:
    heading = lead = ""
    item: _Item | None = None
    in_table = False
    for one in sentences(text):
        said = plainly(one.text)
        if one.kind in (Kind.CODE, Kind.QUOTE) or _RULED.fullmatch(said) or by_machine(said):
            continue
        if item is not None and not _begins_item(item, one, text) and not _tells_what_is_left(said):
            (item.below if item.below or (item.listed and one.first) else item.said).append(said)
            continue
        if item is not None:
            yield item
        item = None
        # The first row of a table is its head.
        row, in_table = one.kind is Kind.TABLE and in_table, one.kind is Kind.TABLE
        listed = row or one.kind is Kind.BULLET
        if is_heading(one):
            heading, lead = _NUMBER.sub("", said).rstrip(":"), ""
        elif one.kind is Kind.PLAIN and said.endswith(":"):
            lead = said.rstrip(":")
        elif row or not in_table:
            # What a list was announced by says nothing of the paragraph behind it.
            lead = lead if listed else ""
            cells = " — ".join(filter(None, map(plainly, _CELLS.split(one.text)))) if row else said
            item = _Item(heading, lead, [cells], listed, _indent(text, one) if listed else 0)
    if item is not None:
        yield item


def _indent(text: str, one: Sentence) -> int:
    line = text[text.rfind("\n", 0, one.start) + 1 : one.start]
    return len(line) - len(line.lstrip())


def _begins_item(item: _Item, one: Sentence, text: str) -> bool:
    """Whether a sentence begins something else, and does not belong to the item before it."""
    if one.kind in (Kind.HEADING, Kind.TABLE):
        return True
    return one.first and not (item.listed and _indent(text, one) > item.indent)


def _joined(items: Iterable[_Item]) -> Iterator[_Item]:
    """Items, those of a list of short ones together below what announced them."""
    for (heading, lead), group in groupby(items, key=lambda one: (one.heading, one.lead)):
        together = list(group)
        short = all(one.listed and not one.below and len(" ".join(one.said)) <= SHORT for one in together)
        if lead and short and len(together) > 1 and not _is_plain(lead):
            yield _Item(heading, "", [lead], True, below=[" ".join(one.said) for one in together])
        else:
            yield from together


def _point(item: _Item) -> Point | None:
    headings = [one for one in (item.heading, item.lead) if one]
    if any(holds(one, "passed_over") for one in headings):
        return None
    telling = [one for one in headings if tells_its_subject(one)]
    said = opened(_that_fit(item.said))
    kind = _kind(item, headings)
    if not said or holds(said, "passing") or not _may_stand(said, kind, alone=not telling):
        return None
    parts = (*telling[-1:], said)
    text = ": ".join(parts).rstrip(":")
    for place, one in enumerate(item.below):
        longer = f"{text}{'; ' if place else ': '}{one.rstrip(';:')}"
        if len(longer) > LONGEST_POINT:
            break
        text, parts = longer, (*parts, one)
    if said.endswith(":") and parts[-1] == said:
        return None
    return Point(kind, without_lines(text), parts)


@lru_cache(1_024)
def question_left(text: str) -> str:
    """The question that a report ends with, and what was said right before it; empty where it ends otherwise."""
    said = [plainly(one.text) for one in sentences(text) if one.kind in (Kind.PLAIN, Kind.BULLET)]
    if not said or not is_question(said[-1].lower()):
        return ""
    return " ".join(said[-2:] if len(" ".join(said[-2:])) <= LONGEST_POINT else said[-1:])


def is_heading(one: Sentence) -> bool:
    """Whether a sentence is a heading, also one that is only in bold letters."""
    return one.kind is Kind.HEADING or _BOLD.fullmatch(one.text.strip()) is not None


def tells_its_subject(heading: str) -> bool:
    """Whether a heading says what the items under it are about."""
    if not heading or len(heading) > LONGEST_HEADING or _is_plain(heading) or points_at_a_list(heading):
        return False
    return not points_back(heading) and is_known(heading, by_agent=True)


def _that_fit(said: Sequence[str]) -> str:
    """The first sentences of an item or a paragraph, as far as they have room and tell what is known."""
    taken = ""
    for place, one in enumerate(said):
        longer = f"{taken} {one}".strip()
        if place and (len(longer) > LONGEST_POINT or not is_whole(one) or not is_known(one, by_agent=True)):
            break
        taken = longer
    return taken


def _may_stand(said: str, kind: PointKind, *, alone: bool) -> bool:
    """Whether an item says something; under a heading that tells what it is about, it may be short."""
    bare = without_lines(said.rstrip(":"))
    if points_back(bare):
        return False
    if kind is PointKind.KNOWN:
        words = _CODE.sub(" ", bare)
        if len(words.split()) < FEWEST or not holds(words, "verbs"):
            return False
    if not alone:
        bare = f"{bare} (under a heading)"
    return is_whole(bare) and (kind is PointKind.OPEN or is_known(bare, by_agent=True))


def _tells_what_is_left(said: str) -> bool:
    """Whether a sentence lists what is open: "Not done: the import and its tests"."""
    head, colon, rest = said.partition(":")
    return bool(colon and rest.strip()) and head.strip(" *_").lower() in word_list("left_open")


def _kind(item: _Item, headings: Sequence[str]) -> PointKind:
    if _tells_what_is_left(item.said[0]):
        return PointKind.OPEN
    said = unlabelled(item.said[0])
    for kind, name in _NAMED_KINDS:
        if any(holds(one, name) for one in headings) or begins(said, name):
            return kind
    first, _, rest = said.partition(" ")
    does = begins(said, "done") or (first in ("I", "We") and begins(rest, "done"))
    return PointKind.DONE if does else PointKind.KNOWN


@lru_cache(4_096)
def _is_plain(heading: str) -> bool:
    """Whether a heading says nothing of what stands under it: "Summary of changes"."""
    plain = word_list("plain_headings")
    return all(word.lower() in plain for word in _WORD.findall(heading))
