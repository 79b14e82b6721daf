"""What one call was for and how it ended: the files it worked on, the command as it is shown, what it brought or why it
failed. Counts nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from cfpm.context.compaction.names import Name, NameKind, names_in, path_name, words
from cfpm.context.compaction.uses import NOWHERE, Home
from cfpm.context.plans import kind_of
from cfpm.extractor.evidence import Outcome
from cfpm.extractor.tools import Work, only_looks, work_of
from cfpm.model import ToolCall

MAX_COMMAND = 100
"""Characters of a command that a checkpoint shows."""

_PATCHED = re.compile(r"^\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>\S[^\n]*)$", re.MULTILINE)
_PATCHES = {"Add": "created", "Update": "edited", "Delete": "deleted"}
_WORDS = {Work.EDIT: "edited", Work.READ: "read", Work.LOCATE: "searched"}
_MAX_STEPS = 1_000
"""Characters of a command in which the files stand that it works on; what follows is mostly data."""

_CHANGES_FOLDER = re.compile(r"\s*cd [^&;|\n]{1,300}(?:&&|;)\s*")
_HEAD = 300
"""Characters of a result in which the file stands that an edit without a path was of."""


def home_of(call: ToolCall | None) -> Home:
    """What the names in a call and in its result belong to."""
    if call is None:
        return NOWHERE
    if call.path and (path := path_name(call.path)):
        return Home("file", path.text)
    is_tool = call.command is None and work_of(call) is not Work.EDIT
    return Home("tool", call.name) if is_tool else NOWHERE


def deeds_of(call: ToolCall, outcome: Outcome) -> Iterator[tuple[Name, str]]:
    """Each path that a call did something to, with the word for it."""
    if patched := list(_patched(call)):
        yield from patched
    elif call.path:
        if name := path_name(call.path):
            yield name, "searched" if "pattern" in call.arguments else _WORDS.get(outcome.work, "used")
    elif outcome.work is Work.EDIT:
        yield from _first_path(outcome.message.text[:_HEAD], "edited")
    elif call.command is not None:
        deed = "read" if outcome.work in (Work.READ, Work.LOCATE) else "used"
        yield from ((name, deed) for name in paths_of(call.command[:_MAX_STEPS]))


def _patched(call: ToolCall) -> Iterator[tuple[Name, str]]:
    for text in strings(call.arguments):
        if "*** " in text:
            for match in _PATCHED.finditer(text):
                if name := path_name(match["path"]):
                    yield name, _PATCHES[match["what"]]


def _first_path(text: str, deed: str) -> Iterator[tuple[Name, str]]:
    """The first path of a text with a word for what was done to it."""
    for name in paths_of(text):
        yield name, deed
        return


def paths_of(text: str) -> Iterator[Name]:
    """The paths in a text."""
    return (name for word in words(text) for name in names_in(word) if name.kind is NameKind.PATH)


def shown_command(command: str) -> str:
    """The first line of a command as a checkpoint shows it, without a change of folder before it."""
    line = _CHANGES_FOLDER.sub("", command.strip(), count=1).partition("\n")[0]
    line = " ".join(line.split())
    return line if len(line) <= MAX_COMMAND else f"{line[: MAX_COMMAND - 1].rstrip()}…"


def shown_call(call: ToolCall) -> str:
    """A command, or a call of a tool that acts on something else than files, on one line; empty for other calls."""
    if call.command is not None:
        return shown_command(call.command)
    work = work_of(call)
    if call.path or work is not Work.UNKNOWN or only_looks(call, work) or kind_of(call):
        return ""
    values = [str(value) for value in call.arguments.values() if isinstance(value, str | int | float)]
    return shown_command(" ".join([call.name, *values])) if values else ""


_ERROR = re.compile(r"(?i)\b(?:error|failed|failure|exception|fatal|panic|denied|not found|cannot|no such|invalid)\b")


def brought(outcome: Outcome) -> str:
    """The line with which a call reports success, or the last of its output when that is short."""
    text = outcome.message.text
    if outcome.ok is False:
        return ""
    if outcome.success:
        return text[outcome.success.start : outcome.success.end].strip()
    last = text.rstrip()[-_SHORT - 1 :].rpartition("\n")[2].strip()
    return last if last[:1].isalnum() and len(last) <= _SHORT and not _STATUS.match(last) else ""


_SHORT = 60
"""Characters of the last line of an output that is told."""

_STATUS = re.compile(r"(?i)\s*[(\[<]?exit (?:code|status)\b")
_MAX_ERROR = 4_000


def first_error(text: str) -> str:
    """The line of a failed result that says why; the first line when none does."""
    lines = [line.strip() for line in text[:_MAX_ERROR].splitlines() if line.strip() and not _STATUS.match(line)]
    return next((line for line in lines if _ERROR.search(line)), lines[0] if lines else "")


def strings(value: object) -> Iterator[str]:
    """All texts in the arguments of a call."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from strings(part)
