"""Puts the date that was meant beside a relative time, for readers on another day. What is stored keeps its words."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.text.dates import Grain, find_times

if TYPE_CHECKING:
    from datetime import datetime

    from cfpm.text.dates import TimeSpan

_DAY = timedelta(days=1)


# What stands is written into every block, and a fact's words, day and event hardly ever change.
@lru_cache(maxsize=1_024)
def dated(text: str, said_at: datetime | None, event_time: datetime | None) -> str:
    """ "I met her yesterday" as "I met her yesterday (2023-05-07)".

    The text stays as it is when its event has no time, or when no relative words in it, said at that moment, mean that
    time.
    """
    if event_time is None or said_at is None:
        return text
    for span in find_times(text, said_at):
        if span.relative and span.begins == event_time:
            return f"{text[: span.end]} ({_written(span)}){text[span.end :]}"
    return text


def _written(span: TimeSpan) -> str:
    """The day, month or year, or the first and last of several days."""
    assert span.begins is not None
    assert span.ends is not None
    about = "about " if span.approximate else ""
    first, last = span.begins.date(), (span.ends - timedelta(microseconds=1)).date()
    if span.grain is Grain.YEAR and span.ends <= span.begins + 366 * _DAY:
        return f"{about}{first:%Y}"
    if span.grain is Grain.MONTH and (first.year, first.month) == (last.year, last.month):
        return f"{about}{first:%Y-%m}"
    return f"{about}{first}" if first == last else f"{about}{first} to {last}"
