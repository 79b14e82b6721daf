"""Where in a token without spaces a path begins: after a label, a flag, a diff sign, Chinese text. Never in a URL."""

from __future__ import annotations

import re
from functools import cache

from cfpm.paths.glued import CJK
from cfpm.paths.grammar import Flavour
from cfpm.paths.lexicon import longest_first, names

_WINDOW = 2_000
"""Characters of a token that are searched for a root, so that thousands of paths in one token stay linear."""

_REMOTE = re.compile(
    r"[\w.-]+@[\w.-]+:|data:|[\w-]+(?:\.[\w-]+)+:(?=[/~\d])|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[?::1\]?)(?::\d+)?/|\w+:\d+/"
)
_DRIVE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:[\\/](?!/)")
_SHARE = re.compile(r"\\\\(?:[A-Za-z0-9?.][\w.$-]*\\|\\\\[A-Za-z0-9?.][\w.$-]*\\\\)[^\\]")
_GLUED_LABEL = re.compile(r"[^/\\]*[=:](?=[^=:/\\]*[/\\])")
_SIGN = re.compile(r"#!(?=/)|[+-](?=/\w)|-[A-Z](?=/\w)|@(?=/)|[+-](?=\.{1,2}/)")
_DIFF_LINE = re.compile(r"(?<![-+])(?:[-+]{3} |diff --git (?:a/\S+ )?)$")
_MIXED_HEAD = re.compile(rf"[^/\\]*[{CJK}][A-Za-z0-9][^/\\]*[/\\]|[^/\\]*[A-Za-z0-9][{CJK}]+/")


@cache
def _after_cjk() -> re.Pattern[str]:
    roots, folders = longest_first("posix_roots"), longest_first("source_folders")
    return re.compile(rf"(?<=[{CJK}])(?:(?=~/|\.{{1,2}}/)|(?=/(?:{roots})(?:/|$))|(?=(?:{folders})/))", re.IGNORECASE)


def root_of(text: str, start: int, end: int) -> tuple[int, Flavour] | None:
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
