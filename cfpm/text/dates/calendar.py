"""Stretches of the calendar: which week holds a day, three months before a day, which April is nearest. No words here.

Weeks begin on Monday, weekends are Saturday and Sunday, seasons are those of the north by whole months (spring begins
in March), and a winter belongs to the year in which it begins.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from cfpm.text.dates.spans import Grain, Interval

DAY = timedelta(days=1)
_MONTHS = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.SEASON: 3, Grain.YEAR: 12}
_SPELL = {Grain.HOUR: timedelta(hours=1), Grain.DAY: DAY, Grain.WEEK: 7 * DAY, Grain.WEEKEND: 7 * DAY}
FINER = {
    Grain.YEAR: Grain.MONTH,
    Grain.SEASON: Grain.MONTH,
    Grain.QUARTER: Grain.MONTH,
    Grain.MONTH: Grain.WEEK,
    Grain.WEEK: Grain.DAY,
    Grain.WEEKEND: Grain.DAY,
    Grain.DAY: Grain.HOUR,
    Grain.HOUR: Grain.HOUR,
}
"""How finely a part of such a time is named."""
YEARS_OF_DECADE = 10
_MAX_MONTHS = 12 * 2_000
_FIRST_OF_SPRING = 3


def holding(grain: Grain, at: datetime) -> Interval:
    """The hour, day, week ... that holds the moment; for a weekend, the one that ends the moment's week."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if grain is Grain.HOUR:
        begins = midnight.replace(hour=at.hour)
        return Interval(begins, begins + _SPELL[grain], grain)
    if grain is Grain.DAY:
        return Interval(midnight, midnight + DAY, grain)
    monday = midnight - at.weekday() * DAY
    if grain is Grain.WEEK:
        return Interval(monday, monday + 7 * DAY, grain)
    if grain is Grain.WEEKEND:
        return Interval(monday + 5 * DAY, monday + 7 * DAY, grain)
    first = midnight.replace(day=1)
    months = _MONTHS[grain]
    into = (at.month - (_FIRST_OF_SPRING if grain is Grain.SEASON else 1)) % months
    begins = shifted(first, -into, Grain.MONTH)
    return Interval(begins, shifted(begins, months, Grain.MONTH), grain)


def shifted(at: datetime, count: float, grain: Grain) -> datetime:
    """The moment that many grains later; a day that a month lacks becomes its last. Raises OverflowError, ValueError.

    Half a year is six months, half a month fifteen days.
    """
    if grain in _SPELL:
        return at + count * _SPELL[grain]
    from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]

    months = count * _MONTHS[grain]
    if abs(months) > _MAX_MONTHS:
        raise OverflowError("more months than the calendar has")
    whole = int(months)
    moved: datetime = at + relativedelta(months=whole)
    return moved + (months - whole) * 30 * DAY


def date(year: int, month: int, day: int) -> Interval | None:
    """That day, or None when the month has no such day."""
    try:
        return holding(Grain.DAY, datetime(year, month, day, tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def month(year: int, number: int) -> Interval | None:
    """That month."""
    first = date(year, number, 1)
    return holding(Grain.MONTH, first.begins) if first else None


def season(year: int, number: int) -> Interval | None:
    """Spring is 1, winter 4."""
    first = date(year, 3 * number, 1)
    return holding(Grain.SEASON, first.begins) if first else None


def quarter(year: int, number: int) -> Interval | None:
    """The quarter, 1 to 4."""
    first = date(year, 3 * number - 2, 1)
    return holding(Grain.QUARTER, first.begins) if first else None


def whole_year(year: int) -> Interval | None:
    """January to December."""
    first = date(year, 1, 1)
    return holding(Grain.YEAR, first.begins) if first else None


def decade(year: int) -> Interval:
    """The ten years that hold this one. Raises OverflowError for years that the calendar does not have."""
    first = year - year % YEARS_OF_DECADE
    begins, ends = whole_year(first), whole_year(first + YEARS_OF_DECADE - 1)
    if begins is None or ends is None:
        raise OverflowError(f"no decade of the year {year}")
    return union(begins, ends)


DOUBTFUL, FARTHER = timedelta(days=150), 3
"""A day of the past may be told by month and day alone for about so long, unless the next one is this much nearer."""


def nearest(make: Callable[[int], Interval | None], around: int, anchor: datetime, *, past: bool) -> Interval | None:
    """Of the intervals that `make` gives for the numbers around one: the last begun before the anchor, or the first
    that ends after it.

    A 29 February may be eight years away. A day long ago by the tense, while the next one is soon, is the next: of the
    other nobody would speak without its year.
    """
    last, following = _around(make, around, anchor, past=True), _around(make, around, anchor, past=False)
    if past and last and following and last.grain is Grain.DAY:
        ago, until = anchor - last.begins, following.begins - anchor
        if ago > DOUBTFUL and timedelta() < until * FARTHER < ago:
            return following
    return last if past else following


def _around(make: Callable[[int], Interval | None], around: int, anchor: datetime, *, past: bool) -> Interval | None:
    numbers = range(around + 1, around - 9, -1) if past else range(around - 1, around + 9)
    for number in numbers:
        made = make(number)
        if made and (made.begins <= anchor if past else made.ends > anchor):
            return made
    return None


def union(first: Interval, last: Interval) -> Interval:
    """From the beginning of one to the end of the other."""
    low, high = sorted((first, last), key=lambda interval: interval.begins)
    return Interval(low.begins, max(low.ends, high.ends), first.grain, True)
