"""Time expressions in a sentence, resolved against the time of the turn. It finds and resolves; it decides nothing."""

from cfpm.text.dates.finding import SHORTLY_BEFORE, event_span, event_time, find_times
from cfpm.text.dates.spans import Grain, TimeKind, TimeSpan

__all__ = ["SHORTLY_BEFORE", "Grain", "TimeKind", "TimeSpan", "event_span", "event_time", "find_times"]
