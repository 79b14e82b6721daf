"""Times that the calendar has a name for: a date, a month, a season, a quarter, a holiday, a decade. Without a year it
is the one that the tense or a word like "last" means. Times counted from the turn are in `counting`."""

from __future__ import annotations

from collections.abc import Callable

from cfpm.text.dates import calendar
from cfpm.text.dates.calendar import nearest, shifted
from cfpm.text.dates.parts import Parts
from cfpm.text.dates.said import Said
from cfpm.text.dates.spans import Grain, Interval


def date(parts: Parts, said: Said) -> Interval | None:
    """A day of a month, or the month: "3 May 2021", "in May"."""
    month = parts.month or 1
    make = _days(month, parts.day_number) if parts.day_number else lambda year: calendar.month(year, month)
    year = _year_of(parts, said)
    return make(year) if year is not None else nearest(make, said.anchor.year, said.anchor, past=said.past)


def of_direction(parts: Parts, said: Said) -> Interval | None:
    """A month, season or holiday with a word that says which: "last May", "this summer", "next Christmas"."""
    direction = parts.direction or 0
    if parts.season:
        season = parts.season
        return _directed(lambda year: calendar.season(year, season), direction, said)
    if parts.holiday:
        return _directed(_days(*parts.holiday), direction, said)
    month = parts.month or 1
    if direction == 0:
        return calendar.month(said.anchor.year, month)
    return _directed(lambda year: calendar.month(year, month), direction, said)


def numeric(parts: Parts, _: Said) -> Interval | None:
    """Day first or month first is a matter of where one lives, so both must agree or one be impossible."""
    year, one, two = parts.year or 0, parts.one or 0, parts.two or 0
    found = {made for month, day in ((one, two), (two, one)) if (made := calendar.date(year, month, day))}
    return found.pop() if len(found) == 1 else None


def season(parts: Parts, said: Said) -> Interval | None:
    """The season of the year that is named, else the nearest by tense; none in a sentence without one."""
    number = parts.season or 1
    year = _year_of(parts, said)
    if year is not None:
        return calendar.season(year, number)
    if not (said.past or said.future):
        return None  # "It is lovely in summer" means each
    return nearest(lambda year: calendar.season(year, number), said.anchor.year, said.anchor, past=said.past)


def quarter(parts: Parts, said: Said) -> Interval | None:
    """The quarter of the year that is named, else the nearest by tense."""
    number = parts.quarter or parts.ordinal or 0
    if not 1 <= number <= 4:
        return None
    year = _year_of(parts, said)
    if year is not None:
        return calendar.quarter(year, number)
    return nearest(lambda year: calendar.quarter(year, number), said.anchor.year, said.anchor, past=said.past)


def holiday(parts: Parts, said: Said) -> Interval | None:
    """A holiday that has the same date every year."""
    make = _days(*(parts.holiday or (1, 1)))
    year = _year_of(parts, said)
    return make(year) if year is not None else nearest(make, said.anchor.year, said.anchor, past=said.past)


def decade(parts: Parts, _: Said) -> Interval:
    """The 1990s; of two digits, those under 30 are of this century."""
    if parts.decade is not None:
        return calendar.decade(parts.decade)
    return calendar.decade((2000 if (parts.short_decade or 0) < 30 else 1900) + (parts.short_decade or 0))


def day_of_month(parts: Parts, said: Said) -> Interval | None:
    """The nearest such day by tense, or that of the month which is named."""
    number, anchor = parts.day_number or 1, said.anchor
    if parts.direction is not None:
        first = shifted(anchor.replace(day=1), parts.direction, Grain.MONTH)
        return calendar.date(first.year, first.month, number)
    months = anchor.year * 12 + anchor.month - 1
    return nearest(lambda m: calendar.date(m // 12, m % 12 + 1, number), months, anchor, past=said.past)


def _year_of(parts: Parts, said: Said) -> int | None:
    """The year that is named, or meant by "last year"."""
    if parts.year is not None or parts.direction is None:
        return parts.year
    return said.anchor.year + parts.direction


def _days(month: int, day: int) -> Callable[[int], Interval | None]:
    return lambda year: calendar.date(year, month, day)


def _directed(make: Callable[[int], Interval | None], direction: int, said: Said) -> Interval | None:
    """The one before, of, or after now."""
    anchor = said.anchor
    years = range(anchor.year - 8, anchor.year + 9)
    made = [interval for year in years if (interval := make(year))]
    if direction < 0:
        return next((interval for interval in reversed(made) if interval.ends <= anchor), None)
    if direction > 0:
        return next((interval for interval in made if interval.begins > anchor), None)
    return nearest(make, anchor.year, anchor, past=said.past)
