"""What the words of a time expression name, on the day they were said. It reads no text: see `finding`.

First the times that the calendar has a name for: without a year, the one that the tense or a word like "last" means.
Then those that are counted from the moment: two weeks ago, next month.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from cfpm.text.dates import calendar
from cfpm.text.dates.calendar import DAY, FINER, YEARS_OF_DECADE, holding, nearest, shifted, union
from cfpm.text.dates.lexicon import movable_days
from cfpm.text.dates.spans import GRAIN_OF_UNIT, Grain, Interval, Parts
from cfpm.text.dates.tense import Said, Tense

Making = Callable[[int], Interval | None]
"""Makes the time of a year, or of a month counted from the year 0."""

WEEKDAY_WITHIN = timedelta(days=75)
"""How far "Friday the 16th" may lie away: so named, it is one of the next months or the last."""

JUST_GONE, NEXT_YEAR = timedelta(days=60), timedelta(days=300)
"""A date without a year that lies so near behind is not plainly that of the next year."""


def date(parts: Parts, said: Said) -> Interval | None:
    """A day of a month, some days of one, or the month: "3 May 2021", "24 to 31 October", "in May".

    A weekday beside it must be right, unless the year stands there too.
    """
    month = parts.month or 1
    if parts.last_day:
        last_day = _days(month, parts.last_day)
        make = _stretch(parts, _days(month, parts.day_number or 1), last_day)
    else:
        make = _days(month, parts.day_number) if parts.day_number else lambda year: calendar.month(year, month)
    year = _year_of(parts, said)
    if year is not None:
        return make(year)
    found = nearest(make, said.anchor.year, said.anchor, past=said.past)
    if said.by_lists is Tense.NONE and not said.ahead and parts.day_number and found:
        last = nearest(make, said.anchor.year, said.anchor, past=True)
        if last and said.anchor - last.ends < JUST_GONE and found.begins - said.anchor > NEXT_YEAR:
            found = last
    if found and parts.named is not None and parts.named != found.begins.weekday():
        return None
    return found


def _stretch(parts: Parts, first: Making, last: Making) -> Making:
    """From one day to the other: "24 to 31", "the 3rd and 4th"; none for a choice, or for two days that lie apart."""
    apart = parts.between is None and (parts.last_day or 0) - (parts.day_number or 0) != 1 + (parts.middle is not None)
    alike = parts.joint != "or" and not (parts.joint == "and" and apart)

    def make(number: int) -> Interval | None:
        begins, ends = first(number), last(number)
        if not alike or begins is None or ends is None or begins.begins >= ends.begins:
            return None
        return Interval(begins.begins, ends.ends, Grain.DAY)

    return make


def of_direction(parts: Parts, said: Said) -> Interval | None:
    """A month, season or holiday with a word that says which: "last May", "this summer", "next Christmas"."""
    direction = parts.direction or 0
    if parts.season:
        season = parts.season
        return _directed(lambda year: calendar.season(year, season), direction, said)
    if parts.holiday or parts.movable:
        return _directed(_holidays(parts), direction, said)
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


def half(parts: Parts, said: Said) -> Interval | None:
    """The year whose half is told: the one that is named, else this one; `edge` says which half."""
    return calendar.whole_year(_year_of(parts, said) or said.anchor.year)


def holiday(parts: Parts, said: Said) -> Interval | None:
    """A holiday of the year that is named, else the nearest by tense."""
    make = _holidays(parts)
    year = _year_of(parts, said)
    return make(year) if year is not None else nearest(make, said.anchor.year, said.anchor, past=said.past)


def years(parts: Parts, _: Said) -> Interval | None:
    """A year, or from one to another."""
    first, last = calendar.whole_year(parts.year or 0), calendar.whole_year(parts.last_year or parts.year or 0)
    return Interval(first.begins, last.ends, Grain.YEAR) if first and last else None


def decade(parts: Parts, _: Said) -> Interval:
    """The 1990s; of two digits, those under 30 are of this century."""
    if parts.decade is not None:
        return calendar.decade(parts.decade)
    return calendar.decade((2000 if (parts.short_decade or 0) < 30 else 1900) + (parts.short_decade or 0))


def day_of_month(parts: Parts, said: Said) -> Interval | None:
    """The nearest such day by tense, or that of the month which is named, in the expression or before it.

    With a weekday ("Friday the 16th") it is the nearest that falls on it, and none where that is far.
    """
    anchor = said.anchor
    make = _of_month(parts)
    if parts.direction is not None:
        return make(_months(anchor) + parts.direction)
    if said.context is not None and (found := _in_context(make, said, said.context)):
        return found
    found = nearest(make, _months(anchor), anchor, past=said.past)
    if found and parts.named is not None and abs(found.begins - anchor) > WEEKDAY_WITHIN:
        return None
    return found


def _of_month(parts: Parts) -> Making:
    """Makes the day, or the days, of the month with a number; none where the weekday is another one."""
    number, last_number = parts.day_number or 1, parts.last_day

    def day_of(months: int) -> Interval | None:
        made = calendar.date(months // 12, months % 12 + 1, number)
        return made if made and parts.named in (None, made.begins.weekday()) else None

    def end_of(months: int) -> Interval | None:
        later = months + (last_number is not None and last_number < number)
        return calendar.date(later // 12, later % 12 + 1, last_number or number)

    return _stretch(parts, day_of, end_of) if last_number is not None else day_of


def _in_context(make: Making, said: Said, context: Interval) -> Interval | None:
    """That day of the month that was named before; of a day that was named the first after it, or, still to come, the
    nearer one before it: "due on 20 June, remind me on the 17th". None against the tense."""
    months = _months(context.begins)
    found = make(months)
    if said.corrects:
        return _by_tense(found, said)
    if context.grain is not Grain.MONTH and not (found and found.begins >= context.begins):
        after = make(months + 1)
        if found is None or said.past or found.begins <= said.anchor:
            return _by_tense(after, said)
        if after is not None and after.begins - context.begins < context.begins - found.begins:
            found = after
    return _by_tense(found, said)


def _by_tense(found: Interval | None, said: Said) -> Interval | None:
    if found is None or said.ahead:
        return found
    return found if said.past == (found.begins <= said.anchor) else None


def _months(at: datetime) -> int:
    return at.year * 12 + at.month - 1


def _year_of(parts: Parts, said: Said) -> int | None:
    """The year that is named, or meant by "last year"."""
    if parts.year is not None or parts.direction is None:
        return parts.year
    return said.anchor.year + parts.direction


def _holidays(parts: Parts) -> Making:
    """Makes the holiday of a year; none of a movable one where its day is not known."""
    if parts.movable is None:
        return _days(*(parts.holiday or (1, 1)))
    name, _, days = parts.movable.partition(" ")
    known = movable_days()[name]

    def make(year: int) -> Interval | None:
        day = known.get(year)
        made = calendar.date(day.year, day.month, day.day) if day else None
        return holding(Grain.DAY, made.begins + int(days) * DAY) if made else None

    return make


def _days(month: int, day: int) -> Making:
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


_FRIDAY = 4


def day(parts: Parts, said: Said) -> Interval:
    """Today, yesterday, the day after tomorrow."""
    return holding(Grain.DAY, said.anchor + ((parts.day or 0) + 7 * parts.weeks) * DAY)


def ago(parts: Parts, said: Said) -> Interval | None:
    """So many units before the turn or after it; "a few" is a stretch from the least to the most."""
    low, high = parts.count
    unit = parts.unit or "day"
    size = _size(parts)
    grain = GRAIN_OF_UNIT[unit]
    anchor, shown = said.anchor, grain if low == int(low) else FINER[grain]  # half a year ago is a month
    if parts.day is not None:  # "two weeks ago tomorrow"
        anchor, shown = anchor + parts.day * DAY, Grain.DAY
    near, far = (holding(shown, shifted(anchor, parts.sign * size * count, grain)) for count in (low, high))
    if low == high:
        return replace(near, approximate=shown is FINER.get(grain) and parts.day is None)
    return union(near, far)


def _size(parts: Parts) -> int:
    return YEARS_OF_DECADE if parts.unit == "decade" else weeks_of(parts)


def weeks_of(parts: Parts) -> int:
    """How many weeks, or other units, one of its units is."""
    return 2 if parts.unit == "fortnight" else 1


def window(parts: Parts, said: Said) -> Interval | None:
    """A stretch up to the turn, or on from it: "over the last two weeks", "in the next few days"."""
    size = _size(parts)
    grain = GRAIN_OF_UNIT[parts.unit or "day"]
    sign = -1 if (parts.direction or 0) < 0 else 1
    far = shifted(said.anchor, sign * size * parts.count[1], grain)
    if far == said.anchor:
        return None
    return Interval(min(far, said.anchor), max(far, said.anchor), grain, parts.vague is not None)


def lasting(parts: Parts, said: Said) -> Interval | None:
    """Up to the turn when the sentence says that it still holds ("have lived here for three years"), else unknown."""
    return window(replace(parts, direction=-1), said) if said.perfect or parts.still else None


def period(parts: Parts, said: Said) -> Interval:
    """Weeks, months, years ... as a calendar has them. A "weekend" on a Saturday or Sunday is the present one."""
    direction, grain = parts.direction or 0, GRAIN_OF_UNIT[parts.unit or "week"]
    if parts.unit == "decade":
        return calendar.decade(said.anchor.year + YEARS_OF_DECADE * direction)
    if grain is Grain.WEEKEND and direction == 0:
        return weekend(parts, said)
    first = holding(grain, said.anchor).begins
    return holding(grain, shifted(first, direction, grain))


def weekend(_: Parts, said: Said) -> Interval:
    """The last one in a sentence about the past, unless it is the weekend now; else the one to come."""
    back = 7 * DAY if said.past and said.anchor.weekday() <= _FRIDAY else timedelta()
    return holding(Grain.WEEKEND, said.anchor - back)


def weekday(parts: Parts, said: Said) -> Interval:
    """ "Last" is the nearest before today, "next" that of the next week, bare or "this" the nearest by tense.

    "Coming" is the nearest after today; after "next week" or "this week" a bare one is of that week; "it's Friday" on a
    Friday is today.
    """
    number, today = parts.weekday or 0, said.anchor.weekday()
    of_week = said.context is not None and (said.corrects or said.context.grain is Grain.WEEK)
    if parts.direction is None and said.context is not None and of_week and not said.ahead:
        found = holding(Grain.DAY, holding(Grain.WEEK, said.context.begins).begins + number * DAY)
        if said.past == (found.ends <= said.anchor):
            return found
    if parts.direction is not None and parts.direction > 0:
        return week_weekday(parts, said)
    back, on = (today - number - 1) % 7 + 1, (number - today - 1) % 7 + 1
    coming = parts.coming is not None
    days = -back if not coming and not parts.weeks and ((parts.direction or 0) < 0 or said.past) else on
    is_now = parts.direction is None and said.lexicon.around("now", said.left)
    if number == today and (parts.direction == 0 or is_now):
        days = 0
    return holding(Grain.DAY, said.anchor + (days + 7 * parts.weeks) * DAY)


def week_weekday(parts: Parts, said: Said) -> Interval:
    """That day of last, this or next week."""
    monday = holding(Grain.WEEK, said.anchor + 7 * (parts.direction or 0) * DAY).begins
    return holding(Grain.DAY, monday + (parts.weekday or 0) * DAY)


def weekdays_ago(parts: Parts, said: Said) -> Interval:
    """That day so many times back: "two Fridays ago"."""
    last = weekday(replace(parts, direction=-1), said)
    return holding(Grain.DAY, last.begins - 7 * (parts.count[0] - 1) * DAY)


Resolver = Callable[[Parts, Said], Interval | None]


def grain_of(parts: Parts) -> Grain:
    """How finely the words name a time, whether or not it can be resolved."""
    if parts.means in _FIXED:
        return _FIXED[parts.means]
    if parts.means == "date":
        return Grain.DAY if parts.day_number else Grain.MONTH
    return GRAIN_OF_UNIT.get(parts.unit or "", Grain.DAY)


def named(parts: Parts, said: Said) -> Interval | None:
    """The time that the words name without what modifies them; None when it cannot be told."""
    return _RESOLVERS[parts.means](parts, said)


_FIXED = {
    "season": Grain.SEASON,
    "half": Grain.YEAR,
    "quarter": Grain.QUARTER,
    "year": Grain.YEAR,
    "decade": Grain.YEAR,
    "weekend": Grain.WEEKEND,
}
_RESOLVERS: dict[str, Resolver] = {
    "date": date,
    "of_direction": of_direction,
    "numeric": numeric,
    "season": season,
    "quarter": quarter,
    "half": half,
    "holiday": holiday,
    "day": day,
    "ago": ago,
    "window": window,
    "for": lasting,
    "period": period,
    "weekend": weekend,
    "decade": decade,
    "weekday": weekday,
    "week_weekday": week_weekday,
    "weekdays_ago": weekdays_ago,
    "day_of_month": day_of_month,
    "year": years,
    "vague": lambda _, __: None,
}

MEANINGS = frozenset(_RESOLVERS)
"""What a form may mean."""
