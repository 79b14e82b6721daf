"""Invalid paths: what an error names as missing, denied, or not a folder. Bystanders of the error are never blamed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cfpm.extractor.evidence import Outcome
from cfpm.extractor.tools import Work
from cfpm.extractor.utterance import Heard
from cfpm.model import Category, Draft, Mark, Message, Role, Span
from cfpm.paths.failures import failing_lines, failing_path, may_have_failure
from cfpm.text import marks_around

_ERROR_HEAD = 400
"""An error message stands within so many characters of the start, unless the host says that the call failed."""


def from_outcome(outcome: Outcome) -> Iterator[Draft]:
    """Paths that a tool result reports as failing; the content of a file that was merely read is marked as quoted."""
    text = outcome.message.text
    if not may_have_failure(text):
        return
    result = outcome.message.tool_result
    said_failed = result is not None and result.failed
    command = outcome.call.command if outcome.call else None
    named = outcome.call.path if outcome.call else None
    for start, end, line in failing_lines(text):
        quoted = outcome.work is Work.READ and not said_failed and (start > _ERROR_HEAD or len(text) > 4 * _ERROR_HEAD)
        marks = frozenset({Mark.QUOTED}) if quoted else frozenset[Mark]()
        yield from _blamed(outcome.message, line, start, end, command or named, marks)


def from_sentence(heard: Heard) -> Iterator[Draft]:
    """Paths that somebody says do not exist or cannot be reached."""
    drafts = _blamed(heard.message, heard.text, heard.start, heard.end, None, frozenset())
    if first := next(drafts, None):
        marks = marks_around(heard.lower, 0, 0) & {Mark.QUESTION, Mark.HYPOTHETICAL}
        yield from (replace(draft, marks=marks) for draft in (first, *drafts))


def _blamed(
    message: Message, line: str, start: int, end: int, command: str | None, marks: frozenset[Mark]
) -> Iterator[Draft]:
    for found, kind in failing_path(line, command):
        path, offsets = (
            (found, (0, 0)) if isinstance(found, str) else (found.path, (start + found.start, start + found.end))
        )
        if isinstance(found, str) and (cited := _cited_end(found, line)):
            at = start + line.find(cited)
            offsets = (at, at + len(cited))
        yield Draft(
            Category.INVALID_PATH,
            path,
            Span(message.id, *offsets),
            message.role,
            f"invalid_path.{kind}",
            0.9 if message.role is Role.TOOL else 0.7,
            line[:600],
            marks,
            validation_command=command,
        )


def _cited_end(path: str, line: str) -> str:
    """The longest end of a path that stands in the line: the operand as the error names it."""
    while path and path not in line:
        _, _, path = path.partition("/")
    return path
