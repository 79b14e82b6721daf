"""All paths in a text, with where they stand. URLs are recognised first and never re-read as paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.paths.glued import end_before_prose
from cfpm.paths.grammar import Flavour
from cfpm.paths.lexicon import names
from cfpm.paths.roots import root_of
from cfpm.paths.shape import has_path_shape, has_usual_root
from cfpm.paths.spaces import end_with_spaces, relative_with_spaces, spaced_name_end
from cfpm.paths.surroundings import is_quoted, is_request, may_start, may_stop

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
_TOKEN = re.compile(rf"(?<![^{_EDGE}])[^{_EDGE}/\\]*+[/\\][^{_EDGE}]*+")
_SEPARATOR = re.compile(r"[/\\]")
_URL_END = re.compile(r"[^\s\"'`<>，。；：、！？“”‘’「」『』【】（）]*+")
_FILE_URL = re.compile(r"file://(?:localhost)?(?=/)(?:/(?=[A-Za-z]:/))?", re.IGNORECASE)

_GROUPS = r"\((?=[^\s()]{1,40}\)[/.\w-])[^\s()]+\)|\[(?=[^\s\[\]]{1,40}\][/.])[^\s\[\]]+\]"
_INSIDE = r"(?<=\w)['&](?=\w)"
_POSIX_BODY = re.compile(
    rf"(?:[^{_EDGE}\\:#&]++|\\[ '()&]|{_INSIDE}|:(?=\d\d[:.]\d\d)(?<=T\d\d:)|#(?=[^\s/#]{{0,60}}/)|{_GROUPS})*+"
)
_WINDOWS_BODY = re.compile(rf"(?:[^{_EDGE}:#&]++|{_INSIDE}|#(?=[^\s\\#]{{0,60}}\\)|{_GROUPS})*+")
_LITERAL_ESCAPE = re.compile(r"\.(\w{1,6})\\+[nrt]")
_GREP_CONTEXT = re.compile(r"\.(\w{1,10})-\d{1,7}-")
_LOCATION = re.compile(r"[:-](\d{1,7})(?![\d/])|#L(\d{1,7})|\((\d{1,7})(?:,\d{1,7})?\)")
_SURPLUS = re.compile(r"(?:[,;:!&=]|(?<![./\\])\.+(?=$|[,;:!&=]))+$")


def find_paths(text: str) -> list[FoundPath]:
    """Every path in the text, in order. Linear in the length of the text; never raises."""
    if "/" not in text and "\\" not in text:
        return []
    return list(_scan(text))


def _scan(text: str) -> Iterator[FoundPath]:
    position = 0
    while separator := _SEPARATOR.search(text, position):
        begin = max(position, text.rfind(" ", position, separator.start()))
        if (token := _TOKEN.search(text, begin)) is None:
            return
        start, position = token.span()
        if "://" in token[0]:
            position = _end(_URL_END, text, start)
            found = _file_url(text, start, position)
        else:
            found = _in_token(text, start, position)
        while found is not None:
            yield found
            start, position = found.end, max(position, found.end)
            found = _next_in_list(text, start, position)


def _in_token(text: str, start: int, end: int) -> FoundPath | None:
    if (root := root_of(text, start, end)) is None:
        return None
    return _path_at(text, root[0], root[1])


def _next_in_list(text: str, start: int, end: int) -> FoundPath | None:
    """The next path of `/usr/bin:/usr/local/bin`."""
    return _in_token(text, start + 1, end) if text.startswith((":/", ":~/"), start) and start < end else None


def _file_url(text: str, start: int, end: int) -> FoundPath | None:
    if (url := _FILE_URL.search(text, start, end)) is None or "%" in text[url.end() : end]:
        return None
    begin = url.end()
    return _path_at(text, begin, Flavour.POSIX if text[begin] == "/" else Flavour.WINDOWS)


def _path_at(text: str, start: int, flavour: Flavour) -> FoundPath | None:
    end = _body_end(text, start, flavour)
    quoted = is_quoted(text, start, end)
    stop = end_before_prose(text, start, end, quoted=quoted)
    if stop is None or not has_path_shape(text[start:stop], flavour, quoted=quoted):
        return None
    if stop == end and not may_stop(text, start, end):
        return None
    span = _with_spaces(text, start, stop, flavour)
    if span is None or not may_start(text, *span) or _is_address(text, *span, flavour):
        return None
    start, stop = span
    location = _LOCATION.match(text, stop)
    line = int(next(filter(None, location.groups()))) if location else None
    return FoundPath(text[start:stop], start, stop, flavour, is_quoted(text, start, stop), line)


def _is_address(text: str, start: int, end: int, flavour: Flavour) -> bool:
    return flavour is Flavour.POSIX and not has_usual_root(text[start:end]) and is_request(text, start, end)


def _with_spaces(text: str, start: int, end: int, flavour: Flavour) -> tuple[int, int] | None:
    if flavour is Flavour.RELATIVE:
        return relative_with_spaces(text, start, end)
    stop = end_with_spaces(text, start, end, flavour)
    return None if stop is None else (start, stop)


def _body_end(text: str, start: int, flavour: Flavour) -> int:
    """The end of the path as far as it has no spaces, well-known names with spaces excepted; trailing punctuation is out."""
    first = _SEPARATOR.search(text, start)
    windows = first is not None and first[0] == "\\" or flavour is Flavour.WINDOWS
    body = _WINDOWS_BODY if windows else _POSIX_BODY
    end = _end(body, text, start + 2 if flavour is Flavour.WINDOWS else start)
    while (known := spaced_name_end(text, start, end)) > end:
        end = _end(body, text, known)
    for cut in (_LITERAL_ESCAPE if windows else _GREP_CONTEXT).finditer(text, start, end):
        if cut[1].lower() in names("extensions"):
            return cut.end(1)
    surplus = _SURPLUS.search(text[start:end])
    return start + surplus.start() if surplus else end


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    matched = pattern.match(text, start)
    return matched.end() if matched else start
