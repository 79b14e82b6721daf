"""What the words of a time expression name, on the day they were said. It reads no text: see `finding`."""

from __future__ import annotations

from collections.abc import Callable

from cfpm.text.dates import calendar, counting, naming
from cfpm.text.dates.parts import Parts
from cfpm.text.dates.said import Said
from cfpm.text.dates.spans import GRAIN_OF_UNIT, Grain, Interval

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
    "quarter": Grain.QUARTER,
    "year": Grain.YEAR,
    "decade": Grain.YEAR,
    "weekend": Grain.WEEKEND,
}
_RESOLVERS: dict[str, Resolver] = {
    "date": naming.date,
    "of_direction": naming.of_direction,
    "numeric": naming.numeric,
    "season": naming.season,
    "quarter": naming.quarter,
    "holiday": naming.holiday,
    "day": counting.day,
    "ago": counting.ago,
    "window": counting.window,
    "for": counting.lasting,
    "period": counting.period,
    "weekend": counting.weekend,
    "decade": naming.decade,
    "weekday": counting.weekday,
    "week_weekday": counting.week_weekday,
    "weekdays_ago": counting.weekdays_ago,
    "day_of_month": naming.day_of_month,
    "year": lambda parts, _: calendar.whole_year(parts.year or 0),
    "vague": lambda _, __: None,
}

MEANINGS = frozenset(_RESOLVERS)
"""What a form may mean."""
