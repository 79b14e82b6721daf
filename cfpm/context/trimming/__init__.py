"""Trims that need no store: pure functions from a message list to a shorter one. When to trim is the business of the
host or of `cfpm.context.driving`; what replaces whole turns is that of `cfpm.context.compaction`."""

from __future__ import annotations

from cfpm.context.trimming.caps import cap_results
from cfpm.context.trimming.consumed_reads import cap_consumed_reads
from cfpm.context.trimming.intermediate_text import cap_intermediate_text
from cfpm.context.trimming.notes import is_placeholder
from cfpm.context.trimming.pairs import repair_pairs
from cfpm.context.trimming.repeated_commands import shorten_repeated_commands
from cfpm.context.trimming.retry import Sent, send_with_retries, smaller, trim_stage
from cfpm.context.trimming.rewriting import MIN_SAVING, TRIGGER_PART, Trim, together
from cfpm.context.trimming.superseded_reads import drop_superseded_reads
from cfpm.context.trimming.superseded_writes import drop_superseded_writes
from cfpm.context.trimming.text_only import keep_text
from cfpm.context.trimming.token_window import evict_results
from cfpm.context.trimming.tool_window import keep_last_results
from cfpm.context.trimming.tools import Tools, known_tools
from cfpm.context.trimming.window import filter_window

__all__ = [
    "MIN_SAVING",
    "TRIGGER_PART",
    "Sent",
    "Tools",
    "Trim",
    "cap_consumed_reads",
    "cap_intermediate_text",
    "cap_results",
    "drop_superseded_reads",
    "drop_superseded_writes",
    "evict_results",
    "filter_window",
    "is_placeholder",
    "keep_last_results",
    "keep_text",
    "known_tools",
    "repair_pairs",
    "send_with_retries",
    "shorten_repeated_commands",
    "smaller",
    "together",
    "trim_stage",
]
