"""Reads that were made again: only the last one that shows something keeps its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cfpm.context.history import Raw
from cfpm.context.trimming.notes import is_note, note, sized
from cfpm.context.trimming.reading import Call, Log, Result, read_log
from cfpm.context.trimming.rewriting import MIN_SAVING, Rewrite, Trim, rewrite_result, rewritten
from cfpm.context.trimming.tools import Tools, Work, known_tools, plain_name, same

_SAID_SHORTLY = 600
"""Characters up to which a result may be a tool's word that nothing changed; longer ones show the thing itself."""


def drop_superseded_reads(messages: Sequence[Raw], *, min_saving: int = MIN_SAVING, tools: Tools | None = None) -> Trim:
    """Leaves out the result of a read or a look when a later one shows the same: the same tool with the same arguments
    in any order, or a read of the same file that covers its lines.

    A later call that failed, or that only says that nothing changed, supersedes nothing. Calls and ids stay.
    """
    return rewritten(messages, _superseded(read_log(messages), tools or known_tools()), min_saving=min_saving)


def _superseded(log: Log, tools: Tools) -> Iterator[Rewrite]:
    by_question: set[str] = set()
    by_path: dict[str, list[tuple[Call, Result]]] = {}
    answers = log.answers
    for call in reversed(log.calls):
        work = tools.work_of(call.tool)
        result = answers.get(call.order)
        if result is None or work not in (Work.READ, Work.LOOK):
            continue
        question = f"{plain_name(call.tool.name)} {same(call.tool.arguments)}"
        path = tools.path_of(call.tool) if work is Work.READ else None
        later = by_path.setdefault(path, []) if path else []
        if question in by_question or any(_covers(*one, call, result, tools) for one in later):
            if not is_note(result.text):
                yield rewrite_result(result, _note(result))
        elif _shows(result, tools):
            by_question.add(question)
            later.append((call, result))


def _shows(result: Result, tools: Tools) -> bool:
    """Whether a result is one that can stand for an earlier one."""
    if result.failed or is_note(result.text):
        return False
    said = result.text.lower() if len(result.text) <= _SAID_SHORTLY else ""
    return not any(phrase in said for phrase in tools.unchanged)


def _covers(later: Call, shown: Result, call: Call, result: Result, tools: Tools) -> bool:
    """Whether the later read of a file shows all lines of an earlier one."""
    asked = tools.parts_of(later.tool)
    lines = shown.text.count("\n")
    if asked and asked == tools.parts_of(call.tool):
        return lines >= result.text.count("\n")
    first = tools.first_line_of(call.tool)
    return not asked and first is not None and lines >= first - 1 + result.text.count("\n")


def _note(result: Result) -> str:
    return note(f"result of {sized(len(result.text))} left out, the same was read again later")
