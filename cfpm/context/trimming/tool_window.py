"""A sliding window over tool results: the last groups of calls keep theirs, of older ones a note stays."""

from __future__ import annotations

from collections.abc import Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import is_note, note, sized
from cfpm.context.trimming.reading import read_log
from cfpm.context.trimming.rewriting import TRIGGER_PART, Trim, characters, rewrite_result, rewritten
from cfpm.context.trimming.tools import known_tools
from cfpm.errors import UsageError

KEEP_GROUPS = 12
"""Groups of calls that keep their results; the reference recommends 8 to 16."""

TRIGGER = 200_000
"""Characters of a history that is taken for full when the host names no budget; the figure of the reference."""


def keep_last_results(messages: Sequence[Raw], groups: int = KEEP_GROUPS, *, trigger: int = TRIGGER) -> Trim:
    """Puts a note in place of each result older than the last `groups` groups; the calls of one message are one group.

    Nothing changes before the whole list has reached 90 % of `trigger` characters, since rewriting costs the cached
    prompt; 0 means always. Raises UsageError for a negative number of groups.
    """
    if groups < 0:
        raise UsageError("groups", f"{groups}", "Pass 0 or more")
    log = read_log(messages)
    tools = known_tools()
    rewrites = [
        rewrite_result(result, note(_said(tools.label_of(result.call.tool), result.text), exit_code=result.exit_code))
        for result in log.results
        if result.call and result.call.group <= log.last_group - groups and not is_note(result.text)
    ]
    trim = rewritten(messages, rewrites)
    if trim.changed and characters(messages) < TRIGGER_PART * trigger:
        return Trim(messages, held_back=trim.saved)
    return trim


def _said(label: str, text: str) -> str:
    return f"result of {label}, {sized(len(text))}, left out of the window"
