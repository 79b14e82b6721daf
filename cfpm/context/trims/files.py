"""Reads and writes of files that are out of date: files changed or read again later, contents written again later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cfpm.context.history import Raw
from cfpm.context.trims.calls import Call, Log, Result, read_log
from cfpm.context.trims.placeholders import cut, is_note, note, sized
from cfpm.context.trims.tools import Tools, Work, known_tools, same
from cfpm.context.trims.trim import (
    MIN_SAVING,
    Rewrite,
    Trim,
    has_note,
    noted_arguments,
    rewrite_arguments,
    rewrite_result,
    rewritten,
)
from cfpm.extractor.tools import plain_name
from cfpm.paths.grammar import is_absolute

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
    """Cuts the result of a read when a later message changes the same file, and succeeds: writes, patches, moves or
    removes it, or edits it in place by a command."""
    tools = tools or known_tools()
    log = read_log(messages)
    changed = _Changes.of(log, tools)
    rewrites = [
        rewrite_result(result, cut(result.text, keep, why=WHY))
        for order, result in log.answers.items()
        if len(result.text) > keep
        and tools.work_of((call := log.calls[order]).tool) is Work.READ
        and changed.last(tools.path_of(call.tool) or "") > result.place.message
    ]
    return rewritten(messages, rewrites, min_saving=min_saving)


@dataclass(frozen=True, slots=True)
class _Changes:
    """The last message that changed each file."""

    by_path: Mapping[str, int]

    @classmethod
    def of(cls, log: Log, tools: Tools) -> _Changes:
        """Of the calls that did not fail."""
        found: dict[str, int] = {}
        for order, result in log.answers.items():
            call = log.calls[order]
            for path in () if result.failed else tools.changed_by(call.tool):
                found[path] = max(call.place.message, found.get(path, -1))
        return cls(found)

    def last(self, path: str) -> int:
        """The last message that changed this file; -1 for none. A patch names it from the project's folder, where a
        read names it from the root."""
        if not path:
            return -1
        return max(
            (
                at
                for other, at in self.by_path.items()
                if other == path or (is_absolute(path) != is_absolute(other) and _ends_with(path, other))
            ),
            default=-1,
        )


def _ends_with(one: str, other: str) -> bool:
    return one.endswith(f"/{other}") or other.endswith(f"/{one}")


_SAID_SHORTLY = 600
"""Characters up to which a result may be a tool's word that nothing changed; longer ones show the thing itself."""


def drop_superseded_reads(messages: Sequence[Raw], *, min_saving: int = MIN_SAVING, tools: Tools | None = None) -> Trim:
    """Leaves out the result of a read or a look when a later one shows the same: the same tool with the same arguments
    in any order, or a read of the same file that covers its lines.

    A later call that failed, or that only says that nothing changed, supersedes nothing. Calls and ids stay.
    """
    return rewritten(messages, _superseded_reads(read_log(messages), tools or known_tools()), min_saving=min_saving)


def _superseded_reads(log: Log, tools: Tools) -> Iterator[Rewrite]:
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
                yield rewrite_result(result, _reread_note(result))
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


def _reread_note(result: Result) -> str:
    return note(f"result of {sized(len(result.text))} left out, the same was read again later")


def drop_superseded_writes(
    messages: Sequence[Raw], *, min_saving: int = MIN_SAVING, tools: Tools | None = None
) -> Trim:
    """Puts a note in place of the contents that a write or patch gave, and of a long result, when a later write of the
    same file succeeded.

    The arguments stay a JSON object with the path in it. The last write keeps its arguments, and so does every patch
    after it: they are what the file holds. A write that failed supersedes nothing.
    """
    return rewritten(messages, _superseded_writes(read_log(messages), tools or known_tools()), min_saving=min_saving)


def _superseded_writes(log: Log, tools: Tools) -> Iterator[Rewrite]:
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
