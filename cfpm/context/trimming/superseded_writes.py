"""Writes and patches of a file that was written whole again later: their contents stand nowhere any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import is_note, note, sized
from cfpm.context.trimming.reading import Log, read_log
from cfpm.context.trimming.rewriting import (
    MIN_SAVING,
    Rewrite,
    Trim,
    has_note,
    noted_arguments,
    rewrite_arguments,
    rewrite_result,
    rewritten,
)
from cfpm.context.trimming.tools import Tools, Work, known_tools


def drop_superseded_writes(
    messages: Sequence[Raw], *, min_saving: int = MIN_SAVING, tools: Tools | None = None
) -> Trim:
    """Puts a note in place of the contents that a write or patch gave, and of a long result, when a later write of the
    same file succeeded.

    The arguments stay a JSON object with the path in it. The last write keeps its arguments, and so does every patch
    after it: they are what the file holds. A write that failed supersedes nothing.
    """
    return rewritten(messages, _superseded(read_log(messages), tools or known_tools()), min_saving=min_saving)


def _superseded(log: Log, tools: Tools) -> Iterator[Rewrite]:
    answers = log.answers
    last = _last_writes(log, tools)
    for call in log.calls:
        path = tools.path_of(call.tool)
        if path is None or call.order >= last.get(path, -1) or has_note(call):
            continue
        if tools.work_of(call.tool) not in (Work.WRITE, Work.PATCH):
            continue
        size = sum(len(value) for value in call.tool.arguments.values() if isinstance(value, str))
        kept = (*tools.path, "command")  # of an editor: which kind of work it was
        text = note(f"arguments of {sized(size)} left out, the file was written again later")
        yield rewrite_arguments(call, noted_arguments(call, kept, text))
        result = answers.get(call.order)
        if result and not result.failed and not is_note(result.text):
            text = note("result left out, the file was written again later", exit_code=result.exit_code)
            yield rewrite_result(result, text)


def _last_writes(log: Log, tools: Tools) -> dict[str, int]:
    """The order of the last write of each file that succeeded."""
    last: dict[str, int] = {}
    for order, result in log.answers.items():
        tool = log.calls[order].tool
        if tools.work_of(tool) is Work.WRITE and (path := tools.path_of(tool)) and not result.failed:
            last[path] = max(order, last.get(path, -1))
    return last
