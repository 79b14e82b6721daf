"""Finds secrets in the options of commands and in the lines of devices' configurations, as `commands.toml` lists them.

Not for options whose name says password, secret or token itself: those are assignments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.secrets.values import is_mixed, is_placeholder, is_scrambled, word_list

Span = tuple[int, int]

_COMMAND_CHARS = 400
"""How far behind, or in front of, its name the options of a command are looked for, and how long a line is."""
_COMMAND_END = lazy_pattern(r"(?<!\\)\n|&&|\|\||;[ ]|(?<=[ ])\|(?=[ ])")
_SHORTEST = 4
_VALUE = (
    r"""(?:\\{{0,3}}"(?P<{0}1>[^"\n\\]{{3,80}})\\{{0,3}}"|'(?P<{0}2>[^'\n]{{3,80}})'"""
    r"""|(?P<{0}3>(?!["'\-<]|\$(?![0-9]\$))[^\s\x00-\x1f"'`|<>，。；、！？（）”’」』]{{3,80}}))"""
)
_PLACES = {
    "{secret}": _VALUE.format("likely"),
    "{any}": _VALUE.format("any"),
    "{quotedword}": r"""["'][^"'\n]{1,64}["']""",
    "{user}": r"""["']?[^\s:"'%,]{1,64}?""",
    "{word}": r"""["']?[^\s"']{1,64}["']?""",
    "{n}": r"[0-9]{1,6}",
    "{pipe}": r"\|",
}
_EDGES = {
    "options": r"(?<![^\s/>(,\"'])",
    "before": r"(?:(?<![A-Za-z])|(?<=\[[0-9]m)|(?<=[\[;][0-9]{2}m))",
    "templates": r"(?:(?<![A-Za-z0-9_.\-])|(?<=\[[0-9]m)|(?<=[\[;][0-9]{2}m))",
}
_PLACE = lazy_pattern(r"\{[a-z]+\}|.", re.DOTALL)
_SYNTAX = {"[": "(?:", "]": ")?", "(": "(?:", ")": ")", "|": "|"}
_OTHER = lazy_pattern(
    r"[{\[<].*|(?:~|\.{0,2})/.*|[A-Za-z]:\\.*|[0-9.]+|.*://.*|[0-9]+[:/][0-9]+|.*\.(?:com|local|org|net|pem|key|crt|p12|txt|json)"
)


@cache
def _table() -> dict[str, Any]:
    return toml_table(__package__, "commands")


def names(of: str) -> tuple[str, ...]:
    """The names of commands (`command`), or the words by which lines of configurations are found (`line`)."""
    return tuple(dict.fromkeys(name for row in _table()[of] for name in row["names"]))


@cache
def _templates(of: str, column: str, space: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """The compiled templates of one column of a table by the names that they belong to."""
    found: dict[str, tuple[re.Pattern[str], ...]] = {}
    for row in _table()[of]:
        read = tuple(compiled(_EDGES[column] + _regex(template, space)) for template in row.get(column, ()))
        for name in row["names"]:
            found[name] = (*found.get(name, ()), *read)
    return found


def _regex(template: str, space: str) -> str:
    parts = []
    for found in _PLACE.finditer(template):
        part = found[0]
        parts.append(_PLACES.get(part) or _SYNTAX.get(part) or (space if part == " " else re.escape(part)))
    return "".join(parts)


def command(match: re.Match[str]) -> list[Span]:
    """The secrets among the options of a command, and in what is piped into it."""
    text, name = match.string, match[0].lower()
    if _is_inside_word(match):
        return []
    # From where the name stands again, its options are looked for anew: no text takes long.
    again = text.find(match[0], match.end(), match.end() + _COMMAND_CHARS)
    limit = again if again >= 0 else min(len(text), match.end() + _COMMAND_CHARS)
    ended = _COMMAND_END.search(text, match.end(), limit)
    end = ended.start() if ended else limit
    spans = [
        span
        for template in _templates("command", "options", r"[ \t=\\\n]{1,8}").get(name, ())
        for span in _values(template, text, match.start(), end)
    ]
    floor = text.rfind("\n", max(0, match.start() - _COMMAND_CHARS), match.start()) + 1
    floor = max(floor, text.rfind(match[0], floor, match.start()) + 1)
    for template in _templates("command", "before", r"[ \t]{1,8}").get(name, ()):
        spans += _values(template, text, max(floor, match.start() - _COMMAND_CHARS), match.start())
    return sorted(set(spans))


def line(match: re.Match[str]) -> list[Span]:
    """The secrets in a line of a device's configuration."""
    text, name = match.string, match[0].lower()
    if _is_inside_word(match):
        return []
    start = text.rfind("\n", max(0, match.start() - _COMMAND_CHARS), match.start()) + 1
    stop = text.find("\n", match.end(), match.end() + _COMMAND_CHARS)
    earlier = text.rfind(match[0], start, match.start())
    start = max(start, earlier + 1, match.start() - _COMMAND_CHARS)
    end = stop if stop >= 0 else min(len(text), match.end() + _COMMAND_CHARS)
    again = text.find(match[0], match.end(), end)
    end = again if again >= 0 else end
    templates = _templates("line", "templates", r"[ \t]{1,8}").get(name, ())
    return sorted({span for template in templates for span in _values(template, text, start, end)})


def _is_inside_word(match: re.Match[str]) -> bool:
    return _INSIDE.search(match.string, max(0, match.start() - 5), match.start()) is not None


_INSIDE = lazy_pattern(r"(?<!\[[0-9])(?<![\[;][0-9]{2})[A-Za-z0-9]\Z")


def _values(template: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    for found in template.finditer(text, start, end):
        group = found.lastgroup or ""
        value = found[group].rstrip(".,:;)]}") if group.endswith("3") else found[group]
        if len(value) < _SHORTEST or is_placeholder(value) or _OTHER.fullmatch(value):
            continue
        if group.startswith("any") or ((is_mixed(value) or is_scrambled(value)) and value.lower() not in _plain()):
            yield found.start(group), found.start(group) + len(value)


@cache
def _plain() -> frozenset[str]:
    return word_list("values")
