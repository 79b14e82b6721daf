"""What words around a time expression make of it: "early", "the first week of", "two days after", "at 3 pm"."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from cfpm.text.dates.calendar import DAY, FINER, holding, shifted
from cfpm.text.dates.spans import Grain, Interval, Parts

_HOUR = timedelta(hours=1)
_SATURDAY = 5
START, END, LAST_DAY, FIRST_HALF, SECOND_HALF = 4, 5, 6, 7, 8
"""Edges beside the thirds (1, 2, 3): "the beginning of", "the end of", "by the end of", and both halves."""


def narrowed(whole: Interval, parts: Parts) -> Interval | None:
    """The time named with all its modifiers, innermost first; None when there is no such time ("the 6th Friday")."""
    found: Interval | None = whole
    if parts.around:
        found = holding(Grain(parts.around), whole.begins) if parts.around != "decade" else whole
    if parts.nth is not None and found:
        found = _nth(found, parts)
    if parts.edge and found:
        found = _third(found, parts.edge)
    if parts.side and found:
        found = _beside(found, parts)
    if found and found.grain is Grain.DAY:
        found = _hours(found, parts)
    return replace(found, approximate=True) if found and (parts.approximate or parts.vague) else found


def _third(whole: Interval, edge: int) -> Interval:
    """Early, mid or late: the first ten days of a month, Friday to Sunday of a week, three months of a year.

    The beginning and the end are narrower: a week of a month, two months of a year. The end as a limit is its last day.
    """
    if edge in (FIRST_HALF, SECOND_HALF):
        return _half(whole, first=edge == FIRST_HALF)
    if edge == LAST_DAY and whole.grain in (Grain.MONTH, Grain.QUARTER, Grain.YEAR):
        return holding(Grain.DAY, whole.ends - DAY)
    if edge in (START, END, LAST_DAY):
        at_end = edge != START
        if whole.grain is Grain.MONTH:
            week = whole.ends - 7 * DAY if at_end else whole.begins
            return Interval(week, week + 7 * DAY, Grain.WEEK, True)
        if whole.grain is Grain.YEAR and whole.ends == shifted(whole.begins, 1, Grain.YEAR):
            month = shifted(whole.begins, 10 if at_end else 0, Grain.MONTH)
            return Interval(month, shifted(month, 2, Grain.MONTH), Grain.MONTH, True)
        edge = 3 if at_end else 1
    if whole.grain is Grain.YEAR and whole.ends == shifted(whole.begins, 1, Grain.YEAR):
        first, last = shifted(whole.begins, 3, Grain.MONTH), shifted(whole.begins, 9, Grain.MONTH)
        begins, ends = [(whole.begins, first), (first, last), (last, whole.ends)][edge - 1]
        return Interval(begins, ends, Grain.QUARTER, True)
    unit = _HOUR if whole.grain in (Grain.DAY, Grain.HOUR) else DAY
    size = max(1, (whole.ends - whole.begins) // unit)
    if size < 3:
        return replace(whole, approximate=True)
    first, last = whole.begins + size // 3 * unit, whole.ends - -(-size // 3) * unit
    begins, ends = [(whole.begins, first), (first, last), (last, whole.ends)][edge - 1]
    return Interval(begins, ends, FINER[whole.grain], True)


def _half(whole: Interval, *, first: bool) -> Interval:
    """Six months of a year, fifteen days or the rest of a month; of what is shorter, by days."""
    if whole.grain is Grain.YEAR:
        middle = shifted(whole.begins, 6, Grain.MONTH)
    else:
        middle = whole.begins + (whole.ends - whole.begins) // DAY // 2 * DAY
    return replace(whole, ends=middle) if first else replace(whole, begins=middle)


def _nth(whole: Interval, parts: Parts) -> Interval | None:
    """The first week of a month is its first seven days; the first weekend the one with its first Saturday."""
    number = parts.nth or 1
    unit = parts.nth_unit
    weekday = _SATURDAY if unit == "weekend" else parts.nth_weekday
    if weekday is not None:
        first = whole.begins + (weekday - whole.begins.weekday()) % 7 * DAY
        last_day = whole.ends - DAY
        last = last_day - (last_day.weekday() - weekday) % 7 * DAY
        begins = last if number < 0 else first + 7 * (number - 1) * DAY
        if not whole.begins <= begins < whole.ends:
            return None
        return holding(Grain.WEEKEND if unit == "weekend" else Grain.DAY, begins)
    if unit is None or unit == "decade":
        return None
    grain = Grain(unit)
    begins = shifted(whole.ends, -1, grain) if number < 0 else shifted(whole.begins, number - 1, grain)
    if number < 0:
        begins = shifted(begins, 1 - round(parts.nths or 1), grain)
    ends = shifted(begins, round(parts.nths or 1), grain)
    return Interval(begins, ends, grain) if whole.begins <= begins < whole.ends else None


_FROM = 2
"""As `from` stands in the table of sides."""


def _beside(whole: Interval, parts: Parts) -> Interval:
    """Before or after: "the week before" is the seven days that end there, "two days after" is counted from its
    start. "Two weeks from 25 July" begin that day, two weeks from Monday end."""
    side = 1 if parts.side in (None, _FROM) else parts.side
    if parts.side == _FROM and parts.month is not None and parts.shift_unit not in (None, "weekend", "decade"):
        return Interval(whole.begins, shifted(whole.begins, parts.count[1], Grain(parts.shift_unit)), whole.grain)
    edge = whole.begins if side < 0 else whole.ends
    if parts.shift_weekday is not None or parts.shift_unit == "weekend":
        weekday = _SATURDAY if parts.shift_weekday is None else parts.shift_weekday
        size = 2 if parts.shift_weekday is None else 1
        if side < 0:
            day = edge - size * DAY
            begins = day - (day.weekday() - weekday) % 7 * DAY
        else:
            begins = edge + (weekday - edge.weekday()) % 7 * DAY
        more = 7 * (max(1, round(parts.count[1])) - 1) * DAY * side
        return holding(Grain.WEEKEND if size > 1 else Grain.DAY, begins + more)
    unit = parts.shift_unit or "day"
    grain, size = (Grain.YEAR, 10) if unit == "decade" else (Grain(unit), 1)
    if parts.number is None and parts.vague is None:
        far = shifted(edge, side * size, grain)
        return Interval(min(edge, far), max(edge, far), grain)
    shift = shifted(whole.begins, side * size * parts.count[1], grain)
    return holding(whole.grain if whole.grain in (Grain.HOUR, Grain.DAY) else grain, shift)


def _hours(day: Interval, parts: Parts) -> Interval:
    """A part of the day, or an hour of it."""
    hour = parts.clock_word if parts.hour is None else parts.hour
    if hour is not None and hour <= 24:
        if parts.meridiem is not None and hour <= 12:
            hour = hour % 12 + parts.meridiem
        elif parts.part and hour < 12 <= parts.part[0]:
            hour += 12
        begins = day.begins + hour * _HOUR + timedelta(minutes=parts.minute or 0)
        return Interval(begins, begins + _HOUR, Grain.HOUR)
    if parts.part:
        first, last = parts.part
        return Interval(day.begins + first * _HOUR, day.begins + last * _HOUR, Grain.HOUR)
    return day
