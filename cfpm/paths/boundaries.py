"""Where a path in a text begins and ends: at quotes, spaces, Chinese prose, and signs of a pattern or a template.

A truncated path is a wrong path, so an end that is not certain is no end.
"""

from __future__ import annotations

import re
from functools import cache

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.grammar import Flavour, extension, has_known_extension, name
from cfpm.paths.lexicon import longest_first, names, prose

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "«": "»"}

_TAG_BEFORE = lazy_pattern(r"<(/?)([A-Za-z][\w -]*)[^<>]*>$")
_TAG_AFTER = lazy_pattern(r"</?([A-Za-z][\w-]*)")
_ROUTE = lazy_pattern(
    r"(?:\.(?:get|post|put|patch|delete|route|use|all|fetch)\(|\bfetch\(|\b(?:href|src|action|url)=)[\"'`]$"
)
_LITERAL_ESCAPE = lazy_pattern(r"\\+[nrtu\"'0]|\\+$|\\\\")

_REACH = 300
"""Characters that are read behind a path for its continuation, so that the cost of one path is bounded."""

_MAX_WORDS = 8
_NAME_REACH = 60
"""Characters before a relative path in which a quoted name that it belongs to begins."""

_WORD = lazy_pattern(r" ([^\s<>|\"'`*?“”‘’，。；：、！？（）→]+)")
_END_OF_WORD = ",;:.!"
_ROOTED = lazy_pattern(r"[A-Za-z]:[\\/]|[\w.-]*=|[/~\\$%@&|=+-]|\.{1,2}[\\/]|\d+[.)]?$|[<>(\[{]")
_NUMBERED_COPY = lazy_pattern(r" \(\d{1,3}\)(\.\w{1,5})?(?![\w(])")
_SENTENCE = lazy_pattern(r"[<>|\"*?]|[.,;:!] |&&|\|\||[。，；！？]")
_OPERAND = lazy_pattern(r",\s*[/~]|,[A-Za-z]:|^\(| (?:-{1,2}\w|/\w|~/|\.{1,2}[\\/]|[A-Za-z]:[\\/]|[&|>=]|->)")
_OPENED_NAME = lazy_pattern(r"([\"'`“‘「『])((?:[A-Z][\w.&-]* )+)$")
_PROMPT = lazy_pattern(r"(?:^|.*\n)[\s>+-]*(?:\$ |# |PS [^>\n]*> ?|[A-Z]:\\[^>\n]*>)?(?:sudo )?([\w+-]+)[^\n]*$", re.S)
_PROGRAM = lazy_pattern(r"(?:^|[\\/])s?bin[\\/][^\\/]*$|\.(?:exe|sh|bat|cmd|ps1)$", re.IGNORECASE)

CJK = r"\u3400-\u9fff"
_HAS_CJK = lazy_pattern(rf"[{CJK}]")
_EXTENSION_THEN_CJK = lazy_pattern(rf"\.([A-Za-z0-9]{{1,10}})(?=[{CJK}])")
_NAME_THEN_CJK = lazy_pattern(rf"[A-Za-z0-9_)-](?=[{CJK}])")


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


@cache
def _spaced_name() -> re.Pattern[str]:
    return compiled(rf"(?:{longest_first('spaced_names')})(?![\w(])")


def spaced_name_end(text: str, start: int, end: int) -> int:
    """The end of the well-known name with spaces (`Program Files`) that the path's last segment begins, else end."""
    segment = max(text.rfind("/", start, end), text.rfind("\\", start, end)) + 1
    known = _spaced_name().match(text, segment) if segment and text[segment].isupper() else None
    return max(end, known.end()) if known else end


def span_with_spaces(text: str, start: int, end: int, flavour: Flavour) -> tuple[int, int] | None:
    """(start, end) of the path whose part without spaces is `text[start:end]`; None when it is not certain."""
    if flavour is Flavour.RELATIVE:
        return _relative_with_spaces(text, start, end)
    stop = _end_with_spaces(text, start, end, flavour)
    return None if stop is None else (start, stop)


def end_of_fragments(text: str, end: int, flavour: Flavour) -> int:
    """Where the words end that may belong to a path without a certain end: they are no paths of their own."""
    separator = "/" if flavour in (Flavour.POSIX, Flavour.RELATIVE) else "\\"
    return _later_separator(text, end, _line_end(text, end), separator) or end


def _end_with_spaces(text: str, start: int, end: int, flavour: Flavour) -> int | None:
    following = text[end : end + 1]
    if following not in (" ", ",", "("):
        return end
    closing = QUOTES.get(text[start - 1]) if start else None
    complete = extension(_last_segment(text[start:end])) != ""
    if closing is None and (complete or following != " "):
        return end
    limit = _line_end(text, end)
    if closing is not None and (stop := text.find(closing, end, limit)) > 0:
        if _is_one_quoted_path(text[start:stop], end - start):
            return stop
        limit = stop
    if complete or following != " " or (closing == "`" and _PROGRAM.search(text[start:end])):
        return end
    if copy := _NUMBERED_COPY.match(text, end, limit):
        return copy.end()
    return end if text.startswith("  ", end) else _unquoted_end(text, start, end, limit, flavour)


def _relative_with_spaces(text: str, start: int, end: int) -> tuple[int, int] | None:
    """A relative path has spaces only in quotes."""
    opening, following = text[start - 1 : start], text[end : end + 1]
    if opening == " " and following and (head := _OPENED_NAME.search(text[max(0, start - _NAME_REACH) : start])):
        if QUOTES[head[1]] != following or not text[start].isupper():
            return start, end
        return (start - len(head[2]), end) if head[2].split()[0].lower() in names("opening_words") else None
    closing = QUOTES.get(opening)
    if closing is None or following != " " or extension(_last_segment(text[start:end])):
        return start, end
    stop = text.find(closing, end, _line_end(text, end))
    rest = text[end:stop] if stop > 0 else ""
    if not has_known_extension(rest.rsplit(" ", 1)[-1]) or _OPERAND.search(rest) or _SENTENCE.search(rest):
        return start, end
    return None if "/" in rest or "\\" in rest else (start, stop)


def opens_name(text: str, at: int) -> bool:
    """Whether a quoted name in capitals may reach up to an offset behind a space."""
    return _OPENED_NAME.search(text[max(0, at - _NAME_REACH) : at]) is not None


def _is_one_quoted_path(inner: str, first: int) -> bool:
    """True when the whole quotation is a path; `first` is the length of its part before the first space."""
    rest = inner[first:]
    head, last = inner[:first], inner.rsplit(" ", 1)[-1]
    if rest.count(" ") > _MAX_WORDS or inner[-1] == " " or _SENTENCE.search(rest) or _OPERAND.search(rest):
        return False
    if _PROGRAM.search(head) or has_known_extension(_last_segment(head)):
        return False
    if extension(_last_segment(last)) or "/" in rest or "\\" in rest:
        return True
    single = head.startswith("/") and head.count("/") == 1
    return not single and not any(_is_prose(word) for word in rest.split())


def _unquoted_end(text: str, start: int, end: int, limit: int, flavour: Flavour) -> int | None:
    word = _WORD.match(text, end, limit)
    if word is None or _ROOTED.match(word[1]) or _is_prose(word[1]):
        return end
    head = _last_segment(text[start:end])
    capitals = head[:1].isupper() and word[1][0].isupper() and not _is_shout(word[1])
    separator = "/" if flavour is Flavour.POSIX else "\\"
    inside = _later_separator(text, end, limit, separator)
    if capitals and inside is None and head.lower() in names("known_folders"):
        return end
    if capitals and inside is None and word[1].endswith(":") and head.lower() not in names("opening_words"):
        return None
    if not capitals and inside is None and not has_known_extension(word[1].rstrip(_END_OF_WORD)):
        return None if head.lower() in names("opening_words") else end
    if _PROGRAM.search(text[start:end]) or _is_command_line(text, start):
        return None if capitals else end
    if not capitals and flavour is Flavour.POSIX and not _stands_alone(text, start):
        return None
    return _walk(text, end if inside is None else inside, limit)


def _walk(text: str, end: int, limit: int) -> int | None:
    """Takes further words of the name: those with a capital or a digit, and all up to one with an extension."""
    accepted = position = end
    if extension(_last_word(text, end)):
        return end
    for _ in range(_MAX_WORDS):
        word = _WORD.match(text, position, limit)
        if word is not None and accepted == word.start() and word[1].isdecimal():
            return word.end() if word.end() == limit else None
        if word is None or _ROOTED.match(word[1]) or _is_prose(word[1]):
            break
        bare = word[1].rstrip(_END_OF_WORD)
        position = word.end() - (len(word[1]) - len(bare))
        if has_known_extension(bare):
            return position
        if accepted == word.start() and (bare[:1].isupper() or bare[:1].isdigit()) and not _is_shout(bare):
            accepted = position
        if bare != word[1]:
            break
    return None if _last_word(text, accepted).lower() in names("opening_words") else accepted


def _later_separator(text: str, end: int, limit: int, separator: str) -> int | None:
    """The end of the last of the next words that holds a separator, if no prose stands before it."""
    position, found = end, None
    for _ in range(_MAX_WORDS):
        word = _WORD.match(text, position, limit)
        if word is None or _ROOTED.match(word[1]) or _is_prose(word[1]):
            break
        bare = word[1].rstrip(_END_OF_WORD)
        position = word.end()
        if separator in bare and "://" not in bare and not bare.startswith(separator):
            found = word.start() + 1 + len(bare)
            if extension(_last_segment(bare)):
                break
        if bare != word[1] or (separator == "/" and found is None):
            break
    return found


def _line_end(text: str, end: int) -> int:
    stop = text.find("\n", end, end + _REACH)
    return stop if stop >= 0 else min(len(text), end + _REACH)


def _stands_alone(text: str, start: int) -> bool:
    """True at the start of a line or a table cell, or after a label with a colon: then only the path follows."""
    before = text[max(0, start - 60) : start].rsplit("\n", 1)[-1].rstrip()
    return not before or before.endswith((":", "：", "|", ">", "-", "*", "•"))


def _is_command_line(text: str, start: int) -> bool:
    before = text[max(0, start - 200) : start]
    code = before.rsplit("`", 1)[-1] if before.count("`") % 2 else before
    found = _PROMPT.match(code)
    return found is not None and found[1] in names("commands")


def _is_prose(word: str) -> bool:
    return word.rstrip(_END_OF_WORD).lower() in prose("prose")


def _is_shout(word: str) -> bool:
    return len(word) > 1 and word.isupper() and word.isalpha()


def _last_segment(path: str) -> str:
    return path[max(path.rfind("/"), path.rfind("\\")) + 1 :]


def _last_word(text: str, end: int) -> str:
    begin = max(text.rfind(sign, max(0, end - _REACH), end) for sign in " /\\")
    return text[begin + 1 : end]


@cache
def _alternation(key: str) -> re.Pattern[str]:
    ordered = sorted((word for word in prose(key) if not word.isascii()), key=lambda word: (-len(word), word))
    return compiled("|".join(map(re.escape, ordered)))


def end_before_prose(text: str, start: int, end: int, *, quoted: bool) -> int | None:
    """The end of the path in `text[start:end]` without glued Chinese prose; None when that cannot be told."""
    path = text[start:end]
    if quoted or path.isascii() or not _HAS_CJK.search(path):
        return end
    for ending in _EXTENSION_THEN_CJK.finditer(path):
        if ending[1].lower() in names("extensions"):
            return start + ending.end()
    last = max(path.rfind("/"), path.rfind("\\")) + 1
    if "." in path[last:]:
        return end
    if glued := _NAME_THEN_CJK.search(path, last):
        return start + glued.end() if _alternation("prose").match(path, glued.end()) else None
    if sentence := _alternation("prose_after_name").search(path, last + 1):
        return start + sentence.start()
    return end
