"""A history as what was said: no calls, no results. For agents that need the talk and not the work, and the last resort
when nothing else fits."""

from __future__ import annotations

from collections.abc import Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.pairs import without
from cfpm.context.trimming.rewriting import Trim


def keep_text(messages: Sequence[Raw]) -> Trim:
    """Leaves out all calls and results, tool messages included; texts of users, assistants and the system stay, and so
    does the thinking of messages that made no call."""
    return without(messages, lambda place: True)
