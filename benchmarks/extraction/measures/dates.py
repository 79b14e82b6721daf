"""Dates: time words of the turns that LoCoMo's temporal questions cite, resolved against the day of the session.

It measures `cfpm.text.dates` itself, whatever extractor is given. Questions of every other chat, beginning with the
first, were read while the forms were written; the other half is reported apart.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dateutil import parser  # type: ignore[import-untyped]
from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

from benchmarks.extraction.measures import locomo
from benchmarks.extraction.result import Example, Result, Row
from cfpm.text.dates import TimeKind, event_time, find_times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor
    from cfpm import Message
    from cfpm.text.dates import TimeSpan

NAME = "dates (LoCoMo)"
TEMPORAL = 2
"""LoCoMo's number for questions about time."""

_DAY = timedelta(days=1)
_SATURDAY = 5
_DEFAULTS = (datetime(2001, 1, 1, tzinfo=UTC), datetime(2002, 2, 2, tzinfo=UTC))
_LEAD = re.compile(r"^(?:on|in|around|since)\s+", re.IGNORECASE)
_GLUED = re.compile(r"(?<=\d)(?=[A-Z])")
_BESIDE = re.compile(
    r"(?:on )?(?:the |a )?(?P<what>week|weekend|(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)day) "
    r"(?P<side>before|of|after) (?P<date>.+)",
    re.IGNORECASE,
)
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")

Stretch = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about time: the stretch that its answer names, and the turns that it cites."""

    question: str
    answer: str
    names: Stretch
    absolute: bool
    """False for "the week before 9 June"."""
    cited: tuple[Message, ...]
    developed: bool

    @property
    def spans(self) -> list[TimeSpan]:
        """Time words in all cited turns."""
        return [span for message in self.cited for span in find_times(message.text, message.created_at)]


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Shares by kind of answer and half of the chats; None without the set. Misses of the other half stay unread."""
    if not (questions := asked(data)):
        return None
    rows: list[Row] = []
    for half, developed in (("first half", True), ("other half", False)):
        of_half = [item for item in questions if item.developed is developed]
        rows += _rows(half, of_half)
    missed = [item for item in questions if item.developed and item.spans and not _is_named(item)]
    return Result(tuple(rows), tuple(_example(item) for item in missed))


def asked(data: Path) -> list[Asked]:
    """The temporal questions whose answers name a date, month, year, or a week or weekday beside a date."""
    turns = {chat.session: {m.id: m for m in chat.messages} for chat in locomo.conversations(data)}
    place = {session: index for index, session in enumerate(turns)}
    found: dict[str, list[Asked]] = {}
    for path in sorted((data / "locomo").glob("locomo*.json")):
        for sample in json.loads(path.read_text(encoding="utf-8")) if "corrected" not in path.name else ():
            session = sample["sample_id"]
            first = place[session] % 2 == 0
            found.setdefault(session, [item for qa in sample["qa"] for item in _asked(qa, turns[session], first)])
    return [item for items in found.values() for item in items]


def _asked(qa: dict[str, Any], turns: dict[str, Message], developed: bool) -> list[Asked]:
    answer = str(qa.get("answer", ""))
    cited = tuple(turns[name] for name in re.findall(r"D\d+:\d+", str(qa["evidence"])) if name in turns)
    if qa["category"] != TEMPORAL or not cited:
        return []
    absolute = _absolute(answer)
    names = absolute or _beside(answer)
    return [Asked(qa["question"], answer, names, absolute is not None, cited, developed)] if names else []


def _absolute(answer: str) -> Stretch | None:
    """The day, month or year that the answer is, as dateutil reads it: what follows its defaults was not said."""
    text = _GLUED.sub(" ", _LEAD.sub("", answer.strip()).rstrip("."))
    try:
        one, other = (parser.parse(text, default=default) for default in _DEFAULTS)
    except (parser.ParserError, OverflowError):
        return None
    if one.year != other.year or (one.hour, one.minute) != (0, 0):
        return None
    if one.month != other.month:
        return one, one + relativedelta(years=1)
    return one, one + (relativedelta(months=1) if one.day != other.day else _DAY)


def _beside(answer: str) -> Stretch | None:
    """ "The week before 9 June 2023" is the seven days before it."""
    if not (match := _BESIDE.match(answer.strip())) or not (date := _absolute(match["date"])):
        return None
    day, side = date[0], match["side"].lower()
    if match["what"].lower() == "week":
        begins = {"before": day - 7 * _DAY, "after": day + _DAY, "of": day - day.weekday() * _DAY}[side]
        return begins, begins + 7 * _DAY
    weekday = _WEEKDAYS.index(match["weekday"].lower()) if match["weekday"] else _SATURDAY
    length = 1 if match["weekday"] else 2
    if side == "before":
        last = day - length * _DAY
        begins = last - (last.weekday() - weekday) % 7 * _DAY
    elif side == "after":
        begins = day + _DAY + (weekday - day.weekday() - 1) % 7 * _DAY
    else:
        begins = day + (weekday - day.weekday()) * _DAY
    return begins, begins + length * _DAY


def _agrees(span: TimeSpan, names: Stretch) -> bool:
    """Whether one stretch holds the other; a duration only by its beginning."""
    if span.begins is None or span.ends is None:
        return False
    if span.kind is TimeKind.DURATION:
        return names[0] <= span.begins < names[1]
    inside = names[0] <= span.begins and span.ends <= names[1]
    return inside or (span.begins <= names[0] and names[1] <= span.ends)


def _overlaps(span: TimeSpan, names: Stretch) -> bool:
    return span.begins is not None and span.ends is not None and span.begins < names[1] and names[0] < span.ends


def _is_named(item: Asked) -> bool:
    """Weeks beside a date begin on any day, so there a stretch that overlaps agrees."""
    return any((_agrees if item.absolute else _overlaps)(span, item.names) for span in item.spans)


def _is_first(item: Asked) -> bool:
    """Whether the moment that a fact of the first cited turn would carry lies in the answer."""
    at = next((at for m in item.cited if (at := event_time(m.text, m.created_at))), None)
    return at is not None and item.names[0] <= at < item.names[1]


def _is_session(item: Asked) -> bool:
    """Whether the session's own day is in the answer."""
    return any(m.created_at is not None and item.names[0] <= m.created_at < item.names[1] for m in item.cited)


def _rows(half: str, questions: Sequence[Asked]) -> list[Row]:
    absolute = [item for item in questions if item.absolute]
    spoken = [item for item in absolute if item.spans]
    silent = [item for item in absolute if not item.spans]
    beside = [item for item in questions if not item.absolute]

    def row(measure: str, among: Sequence[Asked], holds: Callable[[Asked], bool]) -> Row:
        share = sum(map(holds, among)) / len(among) if among else None
        return Row(NAME, f"{measure}, {half}", share, len(among))

    return [
        row("a date, month or year: named by the cited turns", spoken, _is_named),
        row("a date, month or year: the first moment lies in it", spoken, _is_first),
        row("a week, weekend or weekday beside a date: overlaps", beside, _is_named),
        row("cited turns without time words", absolute, lambda item: not item.spans),
        row("no time words: the session's day is in the answer", silent, _is_session),
        row(
            "named by the turns, or without time words by the session",
            absolute,
            lambda item: _is_named(item) if item.spans else _is_session(item),
        ),
    ]


def _example(item: Asked) -> Example:
    found = "; ".join(f"{span.said} = {span.begins:%Y-%m-%d}" if span.begins else span.said for span in item.spans)
    said = " | ".join(f"({message.created_at:%Y-%m-%d}) {message.text}" for message in item.cited)
    return Example(NAME, "miss", said, f"{item.question} {item.answer}; found: {found}", item.cited[0].id)
