"""All paths in a text, with where they stand. URLs are recognised first and never read again as paths."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.boundaries import (
    CJK,
    end_before_prose,
    end_of_fragments,
    is_quoted,
    is_request,
    may_start,
    may_stop,
    spaced_name_end,
    span_with_spaces,
)
from cfpm.paths.grammar import MAX_PATH, Flavour
from cfpm.paths.lexicon import longest_first, names
from cfpm.paths.validity import has_path_shape, has_usual_root

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A path in a text: `text[start:end] == path`, in characters. `line_number` is what a `:12` suffix said."""

    path: str
    start: int
    end: int
    flavour: Flavour
    quoted: bool
    line_number: int | None = None


_EDGE = (
    r"\s\"'`<>|()\[\]{}*?,;“”‘’«»「」『』《》〈〉【】（）［］｛｝，。；：、！？…→←│├└─"
    r"\x00-\x1f\x7f\ufffd\ufeff\u200b"
)
_TOKEN = lazy_pattern(rf"(?<![^{_EDGE}])[^{_EDGE}/\\]*+[/\\][^{_EDGE}]*+")
_SEPARATOR = lazy_pattern(r"[/\\]")
_SCHEME = lazy_pattern(r"(?<![A-Za-z0-9+-])[A-Za-z][A-Za-z0-9+-]{0,20}://")
_URL_END = lazy_pattern(r"[^\s\"'`<>，。；：、！？“”‘’「」『』【】（）]*+")
_FILE_URL = lazy_pattern(r"file://(?:localhost)?(?=/)(?:/(?=[A-Za-z]:/))?", re.IGNORECASE)

_GROUPS = r"\((?=[^\s()]{1,40}\)[/.\w-])[^\s()]+\)|\[(?=[^\s\[\]]{1,40}\][/.])[^\s\[\]]+\]"
_INSIDE = r"(?<=\w)['&](?=\w)"
_CLOCK = r":(?=\d\d)(?:(?<=T\d\d:)|(?<=T\d\d:\d\d:))"
_POSIX_BODY = lazy_pattern(rf"(?:[^{_EDGE}\\:#&]++|\\[ '()&]|{_INSIDE}|{_CLOCK}|#(?=[^\s/#]{{0,60}}/)|{_GROUPS})*+")
_WINDOWS_BODY = lazy_pattern(rf"(?:[^{_EDGE}:#&]++|{_INSIDE}|#(?=[^\s\\#]{{0,60}}\\)|{_GROUPS})*+")
_CUT = lazy_pattern(r"\.(\w{1,10})(?:-\d{1,7}-|\\+[nrt])")
_LOCATION = lazy_pattern(r"[:-](\d{1,7})(?![\d/])|#L(\d{1,7})|\((\d{1,7})(?:,\d{1,7})?\)")
_PUNCTUATION = ".,;:!&="
_SURPLUS = lazy_pattern(r"(?:[,;:!&=]|(?<![./\\])\.+(?=$|[,;:!&=])|(?<=\w[/\\])\.(?=$))+$")

_WINDOW = 2_000
"""Characters of a token that are searched for a root, so that thousands of paths in one token stay linear."""

_REMOTE = lazy_pattern(
    r"[\w.-]+@[\w.-]+:|data:|[\w-]+(?:\.[\w-]+)+:(?=[/~\d])|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[?::1\]?)(?::\d+)?/|\w+:\d+/"
)
_DRIVE = lazy_pattern(r"(?<![A-Za-z0-9])[A-Za-z]:[\\/](?!/)")
_SHARE = lazy_pattern(r"\\\\(?:[A-Za-z0-9?.][\w.$-]*\\|\\\\[A-Za-z0-9?.][\w.$-]*\\\\)[^\\]")
_GLUED_LABEL = lazy_pattern(r"[^/\\]*[=:](?=[^=:/\\]*[/\\])")
_SIGN = lazy_pattern(r"#!(?=/)|[+-](?=/\w)|-[A-Z](?=/\w)|@(?=/)|[+-](?=\.{1,2}/)")
_DIFF_LINE = lazy_pattern(r"(?<![-+])(?:[-+]{3} |diff --git (?:a/\S+ )?)$")
_MIXED_HEAD = lazy_pattern(rf"[^/\\]*[{CJK}][A-Za-z0-9][^/\\]*[/\\]|[^/\\]*[A-Za-z0-9][{CJK}]+/")


def find_paths(text: str) -> list[FoundPath]:
    """Every path in the text, in order. Linear in the length of the text; never raises."""
    if "/" not in text and "\\" not in text:
        return []
    return list(each_path(text))


def each_path(text: str) -> Iterator[FoundPath]:
    """The same one by one, for whoever may stop at the first."""
    position = 0
    while separator := _SEPARATOR.search(text, position):
        begin = max(position, text.rfind(" ", position, separator.start()))
        if (token := _TOKEN.search(text, begin)) is None:
            return
        start, end = token.span()
        if "://" in token[0] and _SCHEME.search(token[0]):
            end = _end(_URL_END, text, start)
            found, position = _in_file_url(text, start, end)
        else:
            found, position = _in_token(text, start, end)
        while found is not None:
            yield found
            if found.end >= end or not text.startswith((":/", ":~/"), found.end):
                break
            found, position = _in_token(text, found.end + 1, end)


def _in_token(text: str, start: int, end: int) -> tuple[FoundPath | None, int]:
    """The path in a token, and where to read on: a path with spaces or brackets reaches beyond its first token."""
    if (root := _root_of(text, start, end)) is None:
        return None, end
    begin, flavour = root
    return _path_at(text, begin, end, flavour)


def _in_file_url(text: str, start: int, end: int) -> tuple[FoundPath | None, int]:
    if (url := _FILE_URL.search(text, start, end)) is None or "%" in text[url.end() : end]:
        return None, end
    begin = url.end()
    return _path_at(text, begin, end, Flavour.POSIX if text[begin] == "/" else Flavour.WINDOWS)


def _path_at(text: str, start: int, token_end: int, flavour: Flavour) -> tuple[FoundPath | None, int]:
    body = _body_end(text, start, token_end, flavour)
    read = max(token_end, body)
    if body - start > MAX_PATH:
        return None, read
    end = body - _surplus(text, start, body)
    quoted = is_quoted(text, start, end)
    stop = end_before_prose(text, start, end, quoted=quoted)
    if stop is None or not has_path_shape(text[start:stop], flavour, quoted=quoted):
        return None, read
    if (stop == end and not may_stop(text, start, end)) or _is_address(text, start, stop, flavour):
        return None, read
    span = span_with_spaces(text, start, stop, flavour)
    if span is None:
        return None, max(read, end_of_fragments(text, stop, flavour))
    if not may_start(text, *span):
        return None, read
    if span != (start, end):
        quoted = is_quoted(text, *span)
    return _found(text, *span, flavour, quoted), max(read, span[1])


def _found(text: str, start: int, stop: int, flavour: Flavour, quoted: bool) -> FoundPath:
    location = _LOCATION.match(text, stop)
    line = int(next(filter(None, location.groups()))) if location else None
    return FoundPath(text[start:stop], start, stop, flavour, quoted, line)


def _is_address(text: str, start: int, end: int, flavour: Flavour) -> bool:
    return flavour is Flavour.POSIX and not has_usual_root(text[start:end]) and is_request(text, start, end)


def _body_end(text: str, start: int, token_end: int, flavour: Flavour) -> int:
    """The end of the path as far as it has no spaces, well-known names with spaces excepted."""
    limit = start + MAX_PATH + 1
    body = _WINDOWS_BODY if _is_backslashed(text, start, token_end, flavour) else _POSIX_BODY
    end = _end(body, text, start + 2 if flavour is Flavour.WINDOWS else start, limit)
    while text.startswith(" ", end) and (known := spaced_name_end(text, start, end)) > end:
        end = _end(body, text, known, limit)
    return end


def _is_backslashed(text: str, start: int, end: int, flavour: Flavour) -> bool:
    if flavour is not Flavour.RELATIVE:
        return flavour is not Flavour.POSIX
    slash, backslash = text.find("/", start, end), text.find("\\", start, end)
    return backslash >= 0 and (slash < 0 or backslash < slash)


def _surplus(text: str, start: int, end: int) -> int:
    """How many characters at the end are no part of the path: punctuation, `\\n` in a literal, `-12-` of grep."""
    path = text[start:end]
    if "-" in path or "\\" in path:
        for cut in _CUT.finditer(path):
            if cut[1].lower() in names("extensions"):
                return len(path) - cut.end(1)
    if path[-1:] not in _PUNCTUATION:
        return 0
    tail = _SURPLUS.search(path)
    return len(path) - tail.start() if tail else 0


def _end(pattern: re.Pattern[str], text: str, start: int, limit: int = sys.maxsize) -> int:
    matched = pattern.match(text, start, limit)
    return matched.end() if matched else start


@cache
def _after_cjk() -> re.Pattern[str]:
    roots, folders = longest_first("posix_roots"), longest_first("source_folders")
    return compiled(rf"(?<=[{CJK}])(?:(?=~/|\.{{1,2}}/)|(?=/(?:{roots})(?:/|$))|(?=(?:{folders})/))", re.IGNORECASE)


def _root_of(text: str, start: int, end: int) -> tuple[int, Flavour] | None:
    """(start, flavour) of the path in the token `text[start:end]`, or None when it holds none on this machine."""
    word = text[start : min(end, start + _WINDOW)]
    if ":" in word:
        if _REMOTE.match(word):
            return None
        if drive := _DRIVE.search(word):
            return start + drive.start(), Flavour.WINDOWS
    if word.startswith("\\\\"):
        return (start, Flavour.UNC) if _SHARE.match(word) else None
    begin = _skip_prefix(text, start, end, word)
    if begin is None or text.startswith("//", begin):
        return None
    if text[begin] == "/" or text.startswith("~/", begin):
        return begin, Flavour.POSIX
    return begin, Flavour.RELATIVE


def _skip_prefix(text: str, start: int, end: int, word: str) -> int | None:
    if word[0] in "/~.":
        return start
    if (label := _GLUED_LABEL.match(word)) and label.end() < len(word):
        if word[label.end() - 1] == ":" and _is_remote_command(text, start):
            return None
        return start + label.end()
    if sign := _SIGN.match(word):
        return start + sign.end()
    if word[0] in "ab" and word[1] == "/" and _DIFF_LINE.search(text[max(0, start - 300) : start]):
        return start + 2
    if word.isascii():
        return start
    if root := _after_cjk().search(word):
        return start + root.end()
    return None if _MIXED_HEAD.match(word) and text[start - 1 : start] not in ("`", '"', "'") else start


def _is_remote_command(text: str, start: int) -> bool:
    line = text[max(0, start - 300) : start].rsplit("\n", 1)[-1]
    return not names("remote_commands").isdisjoint(line.split())
