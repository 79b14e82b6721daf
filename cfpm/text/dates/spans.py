"""The values of this room: a time expression found in a text, its words by their role, and the time that it names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
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


GRAIN_OF_UNIT = {"decade": Grain.YEAR, "fortnight": Grain.WEEK} | {grain.value: grain for grain in Grain}
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
    expressions mean something else on another day. `meant` is what a reader is told, where it is another time: the day
    itself of "two weeks ago", the day of "since Friday". `withdrawn` is a time that the sentence names only to say that
    another holds: "from Tuesday" of what is moved to Friday. `bare` is a day of the week or a weekend alone, which in a
    rule means each of them. `names` is a time that only names a thing: "the May fair".
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
    meant: Interval | None = None
    withdrawn: bool = False
    bare: bool = False
    names: bool = False

    @property
    def told(self) -> Interval | None:
        """The time that a reader is told; None where it cannot be told."""
        if self.meant is not None:
            return self.meant
        if self.begins is None or self.ends is None:
            return None
        return Interval(self.begins, self.ends, self.grain, self.approximate)

    @property
    def days(self) -> tuple[date, date] | None:
        """The first and the last day that a reader is told."""
        told = self.told
        return (told.begins.date(), (told.ends - timedelta(microseconds=1)).date()) if told else None


@dataclass(frozen=True, slots=True)
class Parts:
    """All roles that forms know; None where the expression has no word for it.

    `coming` is 1 for the next of its kind, `weeks` so many after it. `number` counts units and `vague` does so from
    and to; `sign` and `direction` are negative towards the past. `part` is hours of the day, from and to; `holiday`
    is month and day, `movable` a holiday and days after it; `edge` is the first, second or last third, the
    beginning or the end, or a half. `nth`, `around`, `shift_*` and `side` stand before another expression: "the first
    week of", with `nths` "the first two weeks of", "the weekend of", "two days after". `named` is a weekday beside a
    date. `last_day` is the last of two days of a month, or of three with a `middle`, `last_year` of two years, `joint`
    is "to", "and" or "or" between them, `between` is 1 for "between" before them. `onward` is a word for "from then
    on". `one` and `two` are day and month, or the reverse.
    """

    means: str
    year: int | None = None
    last_year: int | None = None
    month: int | None = None
    day_number: int | None = None
    middle: int | None = None
    last_day: int | None = None
    joint: str | None = None
    between: int | None = None
    one: int | None = None
    two: int | None = None
    direction: int | None = None
    coming: int | None = None
    weeks: int = 0
    unit: str | None = None
    weekday: int | None = None
    named: int | None = None
    day: int | None = None
    part: tuple[int, int] | None = None
    number: float | None = None
    vague: tuple[int, int] | None = None
    half: str | None = None
    sign: int = 1
    season: int | None = None
    quarter: int | None = None
    ordinal: int | None = None
    holiday: tuple[int, int] | None = None
    movable: str | None = None
    edge: int | None = None
    nth: int | None = None
    nths: float | None = None
    nth_unit: str | None = None
    nth_weekday: int | None = None
    around: str | None = None
    shift_unit: str | None = None
    shift_weekday: int | None = None
    side: int | None = None
    since: int | str | None = None
    onward: str | None = None
    still: int | None = None
    hour: int | None = None
    minute: int | None = None
    meridiem: int | None = None
    clock_word: int | None = None
    decade: int | None = None
    short_decade: int | None = None
    approximate: bool = False

    @property
    def count(self) -> tuple[float, float]:
        """How many units, from and to."""
        if self.vague:
            return self.vague
        number = 1 if self.number is None else self.number
        number += 0.5 if self.half else 0
        return number, number

    @property
    def absolute(self) -> bool:
        """True when the words name the same time on every day."""
        return self.year is not None or self.decade is not None
