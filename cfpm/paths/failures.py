"""Which path a line of tool output says is missing, denied or not a directory: the operand it names, no bystander."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.literals import Anchors
from cfpm.paths.comparison import canonical
from cfpm.paths.grammar import Flavour, is_absolute
from cfpm.paths.operands import (
    Line,
    join,
    joined,
    only_operand,
    operand_on_the_left,
    operand_on_the_right,
    read_line,
)
from cfpm.paths.phrases import (
    FailureKind,
    Phrase,
    anchors,
    find_phrases,
    inside,
    is_conditional,
    lowered,
    nameless_failure,
    second_operand,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.paths.finder import FoundPath

_SENTENCE_END = re.compile(r"[.!?] |[。！？]")
_CONTEXT = 300
"""Characters before an operand that may hold the condition it stands under."""


def may_have_failure(text: str) -> bool:
    """A fast test of a whole text: False means that `failing_lines` is empty."""
    return _grouped().any_in(lowered(text))


@cache
def _grouped() -> Anchors:
    return Anchors.of(anchors())


def failing_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, line) of each line that may tell of a failing path, in order; offsets in characters."""
    low = lowered(text)
    starts: set[int] = set()
    for anchor in anchors():
        position = low.find(anchor)
        while position >= 0:
            starts.add(low.rfind("\n", 0, position) + 1)
            position = low.find(anchor, _line_end(low, position))
    for start in sorted(starts):
        end = _line_end(text, start)
        yield start, end, text[start:end]


def failing_path(line: str, command: str | None = None) -> list[tuple[FoundPath | str, FailureKind]]:
    """The operands that the line says fail, each with the kind of failure.

    A `FoundPath` stands in the line. A `str` is a relative operand joined with the directory that the line names or
    that the command's `cd /abs && ...` changed to; or, for an error that names nothing, the command's only operand.
    """
    if line.rstrip().endswith(("?", "？")):
        return []
    low = lowered(line)
    read: Line | None = None
    named: dict[str, tuple[int, FoundPath | str, FailureKind]] = {}
    for start, end, phrase in find_phrases(low):
        read = read or read_line(line)
        operand = _operand(read, start, end, phrase)
        if operand is None or is_conditional(_sentence_before(line, min(operand.start, start))):
            continue
        target = _placed(read, operand, end, command)
        key = canonical(target if isinstance(target, str) else target.path)
        if key not in named or phrase.rank < named[key][0]:
            named[key] = (phrase.rank, target, phrase.kind)
    if not named and command is not None and (kind := nameless_failure(low)) and (only := only_operand(command)):
        return [(only, kind)]
    return [(target, kind) for _, target, kind in named.values()]


def _operand(line: Line, start: int, end: int, phrase: Phrase) -> FoundPath | None:
    operand = None
    if phrase.right:
        operand = operand_on_the_right(line, end, direct=not phrase.left, weak=phrase.weak)
    if operand is None and phrase.left:
        operand = operand_on_the_left(line, start, weak=phrase.weak)
    if (
        operand is not None
        and phrase.kind is FailureKind.DENIED
        and second_operand().search(line.text[max(0, operand.start - 40) : operand.start])
    ):
        return None
    return operand


def _placed(line: Line, operand: FoundPath, end: int, command: str | None) -> FoundPath | str:
    """`notes.txt not found in /srv/app` says where; so does a command that begins with `cd /srv/app &&`."""
    if operand.flavour is Flavour.RELATIVE and (place := inside().match(line.text, max(end, operand.end))):
        directory = line.starts.get(place.end())
        return join(directory.path, operand.path) if directory and is_absolute(directory.path) else operand
    return joined(operand, command)


def _sentence_before(line: str, end: int) -> str:
    context = line[max(0, end - _CONTEXT) : end]
    return _SENTENCE_END.split(context)[-1]


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
