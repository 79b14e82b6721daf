"""The words of one time expression by their role. What they mean together is the resolver's business."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parts:
    """All roles that forms know; None where the expression has no word for it.

    `number` counts units and `vague` does so from and to; `sign` and `direction` are negative towards the past. `part`
    is hours of the day, from and to; `holiday` is month and day; `edge` is the first, second or last third. `nth`,
    `around`, `shift_*` and `side` stand before another expression: "the first week of", "the weekend of", "two days
    after". `named` is a weekday beside a date, which decides nothing. `one` and `two` are day and month, or the
    reverse.
    """

    means: str
    year: int | None = None
    month: int | None = None
    day_number: int | None = None
    one: int | None = None
    two: int | None = None
    direction: int | None = None
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
    edge: int | None = None
    nth: int | None = None
    nth_unit: str | None = None
    nth_weekday: int | None = None
    around: str | None = None
    shift_unit: str | None = None
    shift_weekday: int | None = None
    side: int | None = None
    since: int | str | None = None
    still: int | None = None
    hour: int | None = None
    minute: int | None = None
    meridiem: int | None = None
    clock_word: int | None = None
    decade: int | None = None
    short_decade: int | None = None
    approximate: bool = False
    duration: bool = False

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
