"""Shell commands that were run again later: of an earlier run only how it ended stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import is_note, note, sized
from cfpm.context.trimming.reading import Log, Result, read_log
from cfpm.context.trimming.rewriting import MIN_SAVING, Rewrite, Trim, rewrite_result, rewritten
from cfpm.context.trimming.tools import Tools, Work, known_tools


def shorten_repeated_commands(
    messages: Sequence[Raw], *, min_saving: int = MIN_SAVING, tools: Tools | None = None
) -> Trim:
    """Puts `succeeded` or `failed with exit code n` in place of a result when the same command was run again later in
    the same folder. Calls stay; the last run keeps its result, whatever it was."""
    return rewritten(messages, _repeated(read_log(messages), tools or known_tools()), min_saving=min_saving)


def _repeated(log: Log, tools: Tools) -> Iterator[Rewrite]:
    later: set[tuple[str, str]] = set()
    answers = log.answers
    for call in reversed(log.calls):
        result = answers.get(call.order)
        if result is None or tools.work_of(call.tool) is not Work.SHELL:
            continue
        command = tools.command_of(call.tool)
        if command in later and not is_note(result.text):
            yield rewrite_result(result, _note(result))
        if command is not None:
            later.add(command)


def _note(result: Result) -> str:
    code = result.exit_code
    ended = "succeeded" if not result.failed else "failed" if code is None else f"failed with exit code {code}"
    return note(
        f"{ended}, output of {sized(len(result.text))} left out, the command was run again later", exit_code=code
    )
