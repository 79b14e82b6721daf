"""Writes times in short, so that tables of expressions can be read. No tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cfpm.text.dates import find_times

if TYPE_CHECKING:
    from cfpm.text.dates import TimeSpan

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
"""When everything is said, unless a test says otherwise."""


def only(text: str, anchor: datetime | None = MONDAY) -> TimeSpan:
    """The one expression of the text."""
    [span] = find_times(text, anchor)
    assert text[span.start : span.end] == span.said
    return span


def short(span: TimeSpan) -> str:
    """`2023`, `2023-05`, `2023-05-07`, `2023-05-06..2023-05-07` (last day included), `2023-05-07T15..16`, or `?`."""
    if span.begins is None or span.ends is None:
        return "?"
    first, last = span.begins, span.ends
    if span.kind.value == "duration":
        return f"{first:%Y-%m-%dT%H:%M}..{last:%Y-%m-%dT%H:%M}".replace("T00:00", "")
    if (first.hour, first.minute, last.hour, last.minute) != (0, 0, 0, 0) or last - first < timedelta(days=1):
        return f"{first:%Y-%m-%dT%H:%M}..{last:%H:%M}"
    if last - first == timedelta(days=1):
        return f"{first:%Y-%m-%d}"
    if first.day == last.day == 1 and (last.year - first.year) * 12 + last.month - first.month == 1:
        return f"{first:%Y-%m}"
    if (first.month, first.day, last.month, last.day) == (1, 1, 1, 1) and last.year - first.year == 1:
        return f"{first:%Y}"
    return f"{first:%Y-%m-%d}..{last - timedelta(days=1):%Y-%m-%d}"
