"""Which path a line of tool output says is missing, denied or not a directory: the operand it names, no bystander."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.literals import LiteralSet
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.boundaries import QUOTES
from cfpm.paths.failure_phrases import (
    FailureKind,
    Phrase,
    anchors,
    connector,
    find_phrases,
    inside,
    is_conditional,
    lowered,
    nameless_failure,
    right_fillers,
    second_operand,
    without_left_fillers,
)
from cfpm.paths.finder import FoundPath, find_paths
from cfpm.paths.grammar import Flavour, canonical, flavour_of, has_known_extension, is_absolute
from cfpm.paths.lexicon import names

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE_END = lazy_pattern(r"[.!?] |[。！？]")
_CONTEXT = 300
"""Characters before an operand that may hold the condition it stands under."""
_REACH = 400
"""Characters read on each side of a phrase, so that one line with many phrases costs no more than its length."""

_OPENING = {closing: opening for opening, closing in QUOTES.items()}
_TOKEN_BEFORE = lazy_pattern(r"(?:^|[\s(=])(/?[^\s/\\:'\"`()=<>|,;]+)$")
_TOKEN_AFTER = lazy_pattern(r"/?[^\s/\\:'\"`()=<>|,;]+")
_AFTER_COMMAND = lazy_pattern(r"(?:[\w./() +-]{1,60}: )+\Z")
_LOCATION = lazy_pattern(r"(?::\d+){1,2}$")
_CD = lazy_pattern(r"\s*(?:cd|pushd|chdir)\s+(?:/d\s+)?(\"[^\"]+\"|'[^']+'|[^\s;&|]+)\s*&&(?P<rest>.*)", re.S)
_ANOTHER_CD = lazy_pattern(r"\b(?:cd|pushd|popd|chdir|set-location)\b", re.IGNORECASE)
_SINGLE = lazy_pattern(r"(?<![^\s\"'=])(/[\w.-]+)(?=$|[\s\"';|&)])")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with its paths by where they start and end."""

    text: str
    starts: dict[int, FoundPath]
    ends: dict[int, FoundPath]


def may_have_failure(text: str) -> bool:
    """A fast test of a whole text: False means that `failing_lines` is empty."""
    return _grouped().any_in(lowered(text))


@cache
def _grouped() -> LiteralSet:
    return LiteralSet(anchors())


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
    read: _Line | None = None
    named: dict[str, tuple[int, FoundPath | str, FailureKind]] = {}
    for start, end, phrase in find_phrases(low):
        read = read or _read_line(line)
        operand = _operand(read, start, end, phrase)
        if operand is None or is_conditional(_sentence_before(line, min(operand.start, start))):
            continue
        target = _placed(read, operand, end, command)
        key = canonical(target if isinstance(target, str) else target.path)
        if key not in named or phrase.rank < named[key][0]:
            named[key] = (phrase.rank, target, phrase.kind)
    if not named and command is not None and (kind := nameless_failure(low)) and (only := _only_operand(command)):
        return [(only, kind)]
    return [(target, kind) for _, target, kind in named.values()]


def _operand(line: _Line, start: int, end: int, phrase: Phrase) -> FoundPath | None:
    operand = None
    if phrase.right:
        operand = _operand_on_the_right(line, end, direct=not phrase.left, weak=phrase.weak)
    if operand is None and phrase.left:
        operand = _operand_on_the_left(line, start, weak=phrase.weak)
    if (
        operand is not None
        and phrase.kind is FailureKind.DENIED
        and second_operand().search(line.text[max(0, operand.start - 40) : operand.start])
    ):
        return None
    return operand


def _placed(line: _Line, operand: FoundPath, end: int, command: str | None) -> FoundPath | str:
    """`notes.txt not found in /srv/app` says where; so does a command that begins with `cd /srv/app &&`."""
    if operand.flavour is Flavour.RELATIVE and (place := inside().match(line.text, max(end, operand.end))):
        directory = line.starts.get(place.end())
        return _join(directory.path, operand.path) if directory and is_absolute(directory.path) else operand
    return _joined(operand, command)


def _sentence_before(line: str, end: int) -> str:
    context = line[max(0, end - _CONTEXT) : end]
    return _SENTENCE_END.split(context)[-1]


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _read_line(text: str) -> _Line:
    found = find_paths(text)
    return _Line(text, {path.start: path for path in found}, {path.end: path for path in found})


def _operand_on_the_left(line: _Line, end: int, *, weak: bool) -> FoundPath | None:
    """The operand whose failure the phrase that starts at end tells: `X: no such file`, `X does not exist`."""
    begin = max(0, end - _REACH)
    left = line.text[begin:end]
    kept = without_left_fillers(left)
    between = left[len(kept) :].lstrip()
    adjacent = len(kept) == len(left)
    left = _LOCATION.sub("", kept)
    stop = begin + len(left)
    if stop in line.ends:
        return line.ends[stop]
    if stop - 1 in line.ends and left[-1] in _OPENING:
        return line.ends[stop - 1]
    if adjacent or not left:
        return None
    if left[-1] in _OPENING and (start := left.rfind(_OPENING[left[-1]], 0, len(left) - 1)) >= 0:
        return _quoted(line, begin + start + 1, stop - 1, weak=weak)
    if (token := _TOKEN_BEFORE.search(left)) is None:
        return None
    start = begin + token.start(1)
    named = not weak and between.startswith((":", "：")) and _AFTER_COMMAND.match(left, 0, token.start(1)) is not None
    return _bare(line.text, start, stop, named=named)


def _operand_on_the_right(line: _Line, start: int, *, direct: bool, weak: bool) -> FoundPath | None:
    """The operand after a phrase that ends at start. `direct`: a space is enough, no colon is needed."""
    if not direct and connector().match(line.text, start) is None:
        return None
    skipped = right_fillers().match(line.text, start, start + _REACH)
    begin = skipped.end() if skipped else start
    if begin >= len(line.text):
        return None
    if closing := QUOTES.get(line.text[begin]):
        stop = line.text.find(closing, begin + 1, begin + _REACH)
        return _quoted(line, begin + 1, stop, weak=weak) if stop > 0 else None
    if begin in line.starts:
        return line.starts[begin]
    token = _TOKEN_AFTER.match(line.text, begin, begin + _REACH)
    return _bare(line.text, begin, begin + len(token[0].rstrip(".。，!")), named=False) if token else None


def _joined(operand: FoundPath, command: str | None) -> FoundPath | str:
    """A relative operand with the directory that the command certainly ran in; else the operand as said."""
    if command is None or operand.flavour is not Flavour.RELATIVE or (found := _CD.match(command)) is None:
        return operand
    directory = found[1].strip("\"'")
    if not is_absolute(directory) or _ANOTHER_CD.search(found["rest"]):
        return operand
    return _join(directory, operand.path)


def _join(directory: str, relative: str) -> str:
    """`relative` below `directory`, with the directory's separator."""
    separator = "/" if flavour_of(directory) is Flavour.POSIX else "\\"
    return directory.rstrip("/\\") + separator + relative.removeprefix("./").removeprefix(".\\")


def _only_operand(command: str) -> str | None:
    """The one absolute path operand of a simple command, the program itself excepted; None when more or none."""
    if re.search(r"&&|\|\||;|\n", command.strip()):
        return None
    program = len(command) - len(command.lstrip("\"'& "))
    whole = len(command.split()) == 1
    paths = {
        found.path for found in find_paths(command) if is_absolute(found.path) and (whole or found.start != program)
    }
    paths.update(single[1] for single in _SINGLE.finditer(command) if single.start(1) != program)
    paths.discard("/dev/null")
    return paths.pop() if len(paths) == 1 else None


def _quoted(line: _Line, start: int, end: int, *, weak: bool) -> FoundPath | None:
    """The whole quotation, unless it is an address or, after a weak phrase, no path."""
    path = line.text[start:end]
    if (known := line.starts.get(start)) is not None and (known.end == end or known.line_number is not None):
        return known
    if not any(map(str.isalnum, path)) or "://" in path or "\n" in path or any(sign in path for sign in "{}%$*<>|"):
        return None
    if weak and not _looks_named(path):
        return None
    return FoundPath(path, start, end, flavour_of(path), quoted=True)


def _bare(text: str, start: int, end: int, *, named: bool) -> FoundPath | None:
    path = text[start:end]
    if not path or any(sign in path for sign in "{}%$*[]@") or not (named or _looks_named(path)):
        return None
    return FoundPath(path, start, end, flavour_of(path), quoted=False)


def _looks_named(path: str) -> bool:
    """A file by its name alone, or one segment below the root."""
    return (
        has_known_extension(path)
        or path in names("known_files")
        or bool(re.fullmatch(r"/[\w.-]+/?|[A-Za-z]:[\\/].*", path))
    )
