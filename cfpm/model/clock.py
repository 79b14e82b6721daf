"""Time for the memory: an injected clock, and one fixed way to write a moment down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current moment, aware. The memory never reads a clock that was not given to it."""


def utc_now() -> datetime:
    """The wall clock, for live hosts that want undated messages stamped."""
    return datetime.now(UTC)


def to_text(moment: datetime | None) -> str | None:
    """`2026-11-21T09:30:00.000000Z`: fixed width, so that text order is time order. None stays None."""
    if moment is None:
        return None
    # Not strftime: it writes the year 221 with three digits.
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_text(text: str | None) -> datetime | None:
    """The reverse of `to_text`; also reads any ISO 8601 text. Naive times are taken as UTC. Raises ValueError."""
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
