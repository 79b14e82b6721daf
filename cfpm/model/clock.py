"""Time for the memory: an injected clock, and one fixed way to write a moment down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current moment, aware. The memory never reads a clock that was not given to it."""


EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
"""No message was written before the first or is written from the second on. Days and half-lives are added to times, so
one at the end of the calendar would end in an error wherever that is done."""

FIRST_KEPT, LAST_KEPT = datetime(100, 1, 1, tzinfo=UTC), datetime(9900, 1, 1, tzinfo=UTC)
"""Times that are told of may lie further away, but a century from either end of the calendar, for the same reason."""


def utc_now() -> datetime:
    """The wall clock, for live hosts that want undated messages stamped."""
    return datetime.now(UTC)


def to_text(moment: datetime | None) -> str | None:
    """`2026-11-21T09:30:00.000000Z`: fixed width, so that text order is time order. None stays None."""
    if moment is None:
        return None
    # Not strftime: it writes the year 221 with three digits.
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_text(text: str | None) -> datetime | None:
    """The reverse of `to_text`; also reads any ISO 8601 text. Naive times are taken as UTC. Raises ValueError."""
    if text is None:
        return None
    return aware(datetime.fromisoformat(text))


def aware(moment: datetime) -> datetime:
    """The moment in UTC; naive times are taken as UTC. Raises OverflowError at the ends of the calendar."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def lies_in_range(moment: datetime, first: datetime = EARLIEST, end: datetime = LATEST) -> bool:
    """Whether a message can have been written then, or whether it lies in another range."""
    try:
        return first <= aware(moment) < end
    except OverflowError:
        return False


def can_be_kept(moment: datetime) -> bool:
    """Whether it can be stored and reckoned with."""
    return lies_in_range(moment, FIRST_KEPT, LAST_KEPT)


def short_day(moment: datetime, year: int | None) -> str:
    """`Mar 2`, with its year where that is another one: as it stands in a prompt, where each sign costs."""
    return f"{_MONTHS[moment.month - 1]} {moment.day}{'' if moment.year == year else f' {moment.year}'}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
