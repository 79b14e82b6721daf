"""Trims that need no store: pure functions from a message list to a shorter one. When to trim is the business of the
host or of `cfpm.context.machine`; what replaces whole turns is that of `cfpm.context.strategies`."""

from __future__ import annotations

from cfpm.context.trims.context_errors import ContextError, ContextErrorKind, context_error, is_context_error
from cfpm.context.trims.files import cap_consumed_reads, drop_superseded_reads, drop_superseded_writes
from cfpm.context.trims.fit import Weight, fit, weigh
from cfpm.context.trims.pairs import keep_text, repair_pairs
from cfpm.context.trims.placeholders import is_placeholder
from cfpm.context.trims.results import cap_results, evict_results, keep_last_results, shorten_repeated_commands
from cfpm.context.trims.retry import Sent, send_with_retries, smaller, trim_stage
from cfpm.context.trims.tools import Tools, known_tools
from cfpm.context.trims.trim import MIN_SAVING, TRIGGER_PART, Trim, together
from cfpm.context.trims.window import cap_intermediate_text, cap_replies, filter_window, keep_last_messages

__all__ = [
    "MIN_SAVING",
    "TRIGGER_PART",
    "ContextError",
    "ContextErrorKind",
    "Sent",
    "Tools",
    "Trim",
    "Weight",
    "cap_consumed_reads",
    "cap_intermediate_text",
    "cap_replies",
    "cap_results",
    "context_error",
    "drop_superseded_reads",
    "drop_superseded_writes",
    "evict_results",
    "filter_window",
    "fit",
    "is_context_error",
    "is_placeholder",
    "keep_last_messages",
    "keep_last_results",
    "keep_text",
    "known_tools",
    "repair_pairs",
    "send_with_retries",
    "shorten_repeated_commands",
    "smaller",
    "together",
    "trim_stage",
    "weigh",
]
