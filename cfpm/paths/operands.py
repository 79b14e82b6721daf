"""The operand that a failure phrase names: what stands directly beside it in the line, joined with the directory."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfpm.paths.finder import FoundPath, find_paths
from cfpm.paths.grammar import Flavour, flavour_of, has_known_extension, is_absolute
from cfpm.paths.lexicon import names
from cfpm.paths.phrases import connector, right_fillers, without_left_fillers
from cfpm.paths.surroundings import QUOTES

_REACH = 400
"""Characters read on each side of a phrase, so that one line with many phrases costs no more than its length."""

_OPENING = {closing: opening for opening, closing in QUOTES.items()}
_TOKEN_BEFORE = re.compile(r"(?:^|[\s(=])(/?[^\s/\\:'\"`()=<>|,;]+)$")
_TOKEN_AFTER = re.compile(r"/?[^\s/\\:'\"`()=<>|,;]+")
_AFTER_COMMAND = re.compile(r"(?:[\w./() +-]{1,60}: )+\Z")
_LOCATION = re.compile(r"(?::\d+){1,2}$")
_CD = re.compile(r"\s*(?:cd|pushd|chdir)\s+(?:/d\s+)?(\"[^\"]+\"|'[^']+'|[^\s;&|]+)\s*&&(?P<rest>.*)", re.S)
_ANOTHER_CD = re.compile(r"\b(?:cd|pushd|popd|chdir|set-location)\b", re.IGNORECASE)
_SINGLE = re.compile(r"(?<![^\s\"'=])(/[\w.-]+)(?=$|[\s\"';|&)])")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its paths by where they start and end."""

    text: str
    starts: dict[int, FoundPath]
    ends: dict[int, FoundPath]


def read_line(text: str) -> Line:
    """The line with its paths indexed."""
    found = find_paths(text)
    return Line(text, {path.start: path for path in found}, {path.end: path for path in found})


def operand_on_the_left(line: Line, end: int, *, weak: bool) -> FoundPath | None:
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


def operand_on_the_right(line: Line, start: int, *, direct: bool, weak: bool) -> FoundPath | None:
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


def joined(operand: FoundPath, command: str | None) -> FoundPath | str:
    """A relative operand with the directory that the command certainly ran in; else the operand as said."""
    if command is None or operand.flavour is not Flavour.RELATIVE or (found := _CD.match(command)) is None:
        return operand
    directory = found[1].strip("\"'")
    if not is_absolute(directory) or _ANOTHER_CD.search(found["rest"]):
        return operand
    return join(directory, operand.path)


def join(directory: str, relative: str) -> str:
    """`relative` below `directory`, with the directory's separator."""
    separator = "/" if flavour_of(directory) is Flavour.POSIX else "\\"
    return directory.rstrip("/\\") + separator + relative.removeprefix("./").removeprefix(".\\")


def only_operand(command: str) -> str | None:
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


def _quoted(line: Line, start: int, end: int, *, weak: bool) -> FoundPath | None:
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
