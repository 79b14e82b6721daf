"""The values of this room: a time expression found in a text, and the stretch of time that it names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class Grain(Enum):
    """How finely an expression names a time."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    YEAR = "year"


GRAIN_OF_UNIT = {"decade": Grain.YEAR} | {grain.value: grain for grain in Grain}
"""The grain in which a unit is counted."""


class TimeKind(Enum):
    """Whether something happened at that time, or lasted so long."""

    MOMENT = "moment"
    DURATION = "duration"


@dataclass(frozen=True, slots=True)
class Interval:
    """The half-open time [begins, ends), aware and in UTC."""

    begins: datetime
    ends: datetime
    grain: Grain
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time expression: `said` is the slice [start, end) of the text that was searched.

    `begins` and `ends` bound the time [begins, ends) that it names, aware and in UTC; both are None when that cannot be
    told. A duration has them only where it reaches up to the turn or on from it ("for three years now"). `relative`
    expressions mean something else on another day.
    """

    start: int
    end: int
    said: str
    begins: datetime | None
    ends: datetime | None
    grain: Grain
    approximate: bool = False
    kind: TimeKind = TimeKind.MOMENT
    relative: bool = True
