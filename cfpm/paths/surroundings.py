"""What stands around a path: quotes, and the signs that make it a pattern, a tag or a template instead of a path."""

from __future__ import annotations

import re

from cfpm.paths.grammar import extension, name
from cfpm.paths.lexicon import names

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "«": "»"}

_TAG_BEFORE = re.compile(r"<(/?)([A-Za-z][\w -]*)[^<>]*>$")
_TAG_AFTER = re.compile(r"</?([A-Za-z][\w-]*)")
_ROUTE = re.compile(
    r"(?:\.(?:get|post|put|patch|delete|route|use|all|fetch)\(|\bfetch\(|\b(?:href|src|action|url)=)[\"'`]$"
)
_LITERAL_ESCAPE = re.compile(r"\\+[nrtu\"'0]|\\+$|\\\\")


def is_quoted(text: str, start: int, end: int) -> bool:
    """True when the characters on both sides are a pair of quotes or backticks."""
    return start > 0 and end < len(text) and QUOTES.get(text[start - 1]) == text[end]


def may_start(text: str, start: int, end: int) -> bool:
    """False when the path's beginning is missing: after `</`, `<dir>`, `$(x)`, `**`, or a quotation glued to it."""
    if start == 0:
        return True
    match text[start - 1]:
        case ")" | "]" | "}" | "?" | "…" | "$":
            return False
        case "<":
            return text.find("/", start + 1, end) > 0 and not text.startswith("//", start)
        case "*":
            marks = "**" if text.startswith("**", start - 2) else "*"
            return text.startswith(marks, end) and text[end - 1] not in "/\\"
        case ">":
            return _after_angle(text, start, end)
        case "'" | '"' as quote:
            glued = start > 1 and (text[start - 2].isalnum() or text[start - 2] in "})")
            return not glued or text.startswith(quote, end) or _is_string_prefix(text, start - 2)
        case _:
            return True


def _is_string_prefix(text: str, at: int) -> bool:
    return text[at] in "frbuFRBUL" and not (at > 0 and (text[at - 1].isalnum() or text[at - 1] in "$_"))


def may_stop(text: str, start: int, end: int) -> bool:
    """False when the rest of the path is a pattern or unknown: before `*`, `{`, `[`, `(x)`, `<name>`, `?query`."""
    if end >= len(text) or text[end] == "\n":
        return not _is_cut_by_git(text, start)
    following = text[end + 1 : end + 2]
    match text[end]:
        case "{" | "[" | "…" | "$":
            return False
        case "*":
            opened = start > 0 and text[start - 1] == "*"
            return opened or (following == "*" and not text[end + 2 : end + 3].isalnum() and text[end - 1] not in "/\\")
        case "?":
            return not following or following.isspace() or following in "\"'`)]*"
        case "(":
            return following.isdigit() or bool(extension(name(text[start:end])))
        case ",":
            return not following.isalnum() or bool(extension(name(text[start:end])))
        case "<":
            return _before_angle(text, end)
        case "\\":
            return _LITERAL_ESCAPE.match(text, end) is not None
        case _:
            return True


def _is_cut_by_git(text: str, start: int) -> bool:
    """True on a hunk header, whose context git cuts at 80 characters."""
    header = text.rfind(" @@ ", max(0, start - 100), start)
    return header >= 0 and text.find("\n", header, start) < 0


def is_request(text: str, start: int, end: int) -> bool:
    """True beside `GET` and its like, as the target of a Markdown link, and in a data URL: no path of this machine."""
    before = text[max(0, start - 14) : start]
    if before.endswith(("](", "base64,")) or _ROUTE.search(before):
        return True
    words = before.rstrip("`'\" ").split()[-1:] + text[end : end + 14].lstrip("`'\" ").split()[:1]
    return not names("request_words").isdisjoint(words)


def _after_angle(text: str, start: int, end: int) -> bool:
    tag = _TAG_BEFORE.search(text[max(0, start - 80) : start])
    return tag is None or bool(tag[1]) or text.startswith("</", end) or tag[2].split()[0].lower() in names("html_tags")


def _before_angle(text: str, end: int) -> bool:
    tag = _TAG_AFTER.match(text, end)
    return tag is None or text.startswith("</", end) or tag[1].lower() in names("html_tags")
