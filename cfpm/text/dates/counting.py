"""Times counted from the moment something was said: two weeks ago, next month, last Friday. Those that the calendar has
a name for are in `naming`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from cfpm.text.dates import calendar
from cfpm.text.dates.calendar import DAY, FINER, YEARS_OF_DECADE, holding, shifted, union
from cfpm.text.dates.parts import Parts
from cfpm.text.dates.said import Said
from cfpm.text.dates.spans import GRAIN_OF_UNIT, Grain, Interval

_FRIDAY = 4


def day(parts: Parts, said: Said) -> Interval:
    """Today, yesterday, the day after tomorrow."""
    return holding(Grain.DAY, said.anchor + (parts.day or 0) * DAY)


def ago(parts: Parts, said: Said) -> Interval | None:
    """So many units before the turn or after it; "a few" is a stretch from the least to the most."""
    low, high = parts.count
    unit = parts.unit or "day"
    size = YEARS_OF_DECADE if unit == "decade" else 1
    grain = GRAIN_OF_UNIT[unit]
    shown = grain if low == int(low) else FINER[grain]  # half a year ago is a month
    near, far = (holding(shown, shifted(said.anchor, parts.sign * size * count, grain)) for count in (low, high))
    if low == high:
        return replace(near, approximate=shown is not grain)
    return union(near, far)


def window(parts: Parts, said: Said) -> Interval | None:
    """A stretch up to the turn, or on from it: "over the last two weeks", "in the next few days"."""
    size = YEARS_OF_DECADE if parts.unit == "decade" else 1
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
    """ "Last" is the nearest before today, "next" that of the next week, bare or "this" the nearest by tense."""
    number, today = parts.weekday or 0, said.anchor.weekday()
    if parts.direction is not None and parts.direction > 0:
        return week_weekday(parts, said)
    back, on = (today - number - 1) % 7 + 1, (number - today - 1) % 7 + 1
    days = -back if (parts.direction or 0) < 0 or said.past else on
    if parts.direction == 0 and number == today:
        days = 0
    return holding(Grain.DAY, said.anchor + days * DAY)


def week_weekday(parts: Parts, said: Said) -> Interval:
    """That day of last, this or next week."""
    monday = holding(Grain.WEEK, said.anchor + 7 * (parts.direction or 0) * DAY).begins
    return holding(Grain.DAY, monday + (parts.weekday or 0) * DAY)


def weekdays_ago(parts: Parts, said: Said) -> Interval:
    """That day so many times back: "two Fridays ago"."""
    last = weekday(replace(parts, direction=-1), said)
    return holding(Grain.DAY, last.begins - 7 * (parts.count[0] - 1) * DAY)
