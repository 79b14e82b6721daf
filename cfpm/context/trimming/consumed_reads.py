"""Reads of files that the agent has changed since: the result is out of date, and only its edges stay."""

from __future__ import annotations

from collections.abc import Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import cut
from cfpm.context.trimming.reading import Log, read_log
from cfpm.context.trimming.rewriting import MIN_SAVING, Trim, rewrite_result, rewritten
from cfpm.context.trimming.tools import Tools, Work, known_tools

CONSUMED_CAP = 500
"""Characters of a consumed read that stay; the figure of the reference."""

WHY = "the file was changed later: read it again if needed"


def cap_consumed_reads(
    messages: Sequence[Raw],
    *,
    keep: int = CONSUMED_CAP,
    min_saving: int = MIN_SAVING,
    tools: Tools | None = None,
) -> Trim:
    """Cuts the result of a read when a later message writes or patches the same file, and succeeds."""
    tools = tools or known_tools()
    log = read_log(messages)
    changed = _changes(log, tools)
    rewrites = [
        rewrite_result(result, cut(result.text, keep, why=WHY))
        for order, result in log.answers.items()
        if len(result.text) > keep
        and tools.work_of((call := log.calls[order]).tool) is Work.READ
        and changed.get(tools.path_of(call.tool) or "", -1) > result.place.message
    ]
    return rewritten(messages, rewrites, min_saving=min_saving)


def _changes(log: Log, tools: Tools) -> dict[str, int]:
    """The last message that changed each file."""
    found: dict[str, int] = {}
    for order, result in log.answers.items():
        call = log.calls[order]
        path = tools.path_of(call.tool) if tools.work_of(call.tool) in (Work.WRITE, Work.PATCH) else None
        if path and not result.failed:
            found[path] = max(call.place.message, found.get(path, -1))
    return found
