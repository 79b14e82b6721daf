"""What the word around a character of a cmd command is worth, by the rules of cmd.exe.

Written from the phases of cmd's parser (variables first, then quotes, carets and operators), without the gate's code,
so that it can judge it. Says None for whatever it does not know, and never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"%%|%(?P<argument>[0-9*]|~[A-Za-z]*[0-9])|%(?P<name>[^%:\n]+)(?P<change>:[^%\n]*)?%")
_ENDS_WORD = frozenset(" \t&|<>()\n\r")


def value_at(
    command: str, at: int, variables: Mapping[str, str], *, unknown: str | None = None, batch: bool = True
) -> str | None:
    """The word around the character `at` after all variables are put in, without its quotes.

    `variables` are by name in capitals. With `unknown`, any other variable is worth that text and its name; without,
    nothing is said. In `batch` files `%%` is one sign; at the prompt what is no known variable stays as it is.
    """
    start = command.rfind("\n", 0, at) + 1
    end = command.find("\n", at)
    line = command[start : end if end >= 0 else len(command)].removesuffix("\r")
    if line.lstrip("@ \t").startswith(":") or re.match(r"[@( \t]*rem\b", line, re.IGNORECASE):
        return None
    expanded = _expanded(line, at - start, variables, unknown, batch=batch)
    return None if expanded is None else _word(*expanded)


def _expanded(
    line: str, at: int, variables: Mapping[str, str], unknown: str | None, *, batch: bool
) -> tuple[str, int] | None:
    """The line as cmd reads it, and where `at` is in it."""
    pieces: list[str] = []
    where, length, done = -1, 0, 0

    def add(text: str, begin: int, end: int, *, literal: bool) -> None:
        nonlocal where, length
        if where < 0 and begin <= at < end:
            where = length + (at - begin if literal else 0)
        pieces.append(text)
        length += len(text)

    while match := _REFERENCE.search(line, done):
        value = _value(match, variables, unknown, batch=batch)
        if value is None:
            return None
        end = match.end() if value != "%" or batch else match.start() + 1
        add(line[done : match.start()], done, match.start(), literal=True)
        add(value, match.start(), end, literal=False)
        done = end
    add(line[done:], done, len(line) + 1, literal=True)
    return "".join(pieces), where


def _value(match: re.Match[str], variables: Mapping[str, str], unknown: str | None, *, batch: bool) -> str | None:
    """What is put in; at the prompt a lone sign when this is no variable."""
    name = (match["name"] or "").upper()
    if name in variables and not match["change"]:
        return variables[name]
    if match[0] == "%%" or not batch:
        return "%"
    return unknown and f"{unknown}{match['argument'] or re.sub('[^A-Z0-9]', '_', name)}"


def _word(line: str, at: int) -> str | None:
    """The word around a place of an expanded line; None when its quotes are not closed, or in one with a caret."""
    words: list[tuple[int, int]] = []
    begin: int | None = None
    quoted = False
    skip = False
    for place, character in enumerate(line):
        if skip:
            skip = False
        elif character == '"':
            quoted = not quoted
        elif character == "^" and not quoted:
            skip = True
        elif character in _ENDS_WORD and not quoted:
            if begin is not None:
                words.append((begin, place))
            begin = None
            continue
        begin = place if begin is None else begin
    if begin is not None:
        words.append((begin, len(line)))
    found = next((line[first:last] for first, last in words if first <= at < last), None)
    return (
        None
        if quoted or found is None or ("^" in found.replace('"', "") and '"' not in found)
        else found.replace('"', "")
    )
