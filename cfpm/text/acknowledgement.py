"""Reads a text as a row of acknowledgements, greetings, thanks and choices. What else a text says is not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from cfpm.text.lexicon import LANGUAGES, lexicon

_SPACE = re.compile(r"[\W_]*")
_ATOM = re.compile(r"(?P<set>\[[^\]]*\]|\\[dw])(?P<may>[?*]?)|\\?(?P<sign>.)(?P<maybe>[?*]?)")
_HEADS = "abcdefghijklmnopqrstuvwxyz0123456789"


def all_acknowledged(text: str) -> bool:
    """True when phrases of the lexicon, signs between them, fill the text.

    Every place is read once, by each phrase in its longest form, so that the work is linear in the text.
    """
    lower = text.lower().replace("’", "'")
    ahead = [_SPACE.match(lower).end()]  # type: ignore[union-attr]
    seen = set(ahead)
    while ahead:
        at = ahead.pop()
        if at == len(lower):
            return len(seen) > 1
        for phrase in _phrases().get(lower[at], ()):
            match = phrase.match(lower, at)
            if match and match.end() not in seen:
                seen.add(match.end())
                ahead.append(match.end())
    return False


@cache
def _phrases() -> dict[str, tuple[re.Pattern[str], ...]]:
    """The phrases by the characters that they can begin with."""
    found: dict[str, list[re.Pattern[str]]] = {}
    for language in LANGUAGES:
        bound = "(?![a-z0-9])" if language == "en" else ""
        for line in lexicon(language).entries["acknowledgement"]:
            pattern = re.compile(rf"(?:{_longest_first(line)}){bound}[\W_]*")
            for head in sorted(set(_heads(line.replace("(?:", "(")))):
                found.setdefault(head, []).append(pattern)
    return {head: tuple(patterns) for head, patterns in found.items()}


def _longest_first(line: str) -> str:
    """A line that is one group, so written that its longest choice is tried first."""
    choices, rest = _group(line) if line.startswith("(") else ([], line)
    return line if rest else "|".join(sorted(choices, key=lambda choice: (-len(choice), choice)))


def _heads(line: str) -> Iterator[str]:
    """The characters that a phrase can begin with; a line is made of literals, sets and groups."""
    if line.startswith("("):
        choices, rest = _group(line)
        if rest[:1] in ("?", "*"):
            yield from _heads(rest[1:])
        for choice in choices:
            yield from _heads(choice + rest)
        return
    atom = _ATOM.match(line)
    if atom is None:
        return
    if kind := atom["set"]:
        yield from filter(re.compile(kind).match, _HEADS + "".join(char for char in kind if not char.isascii()))
    else:
        yield atom["sign"]
    if atom["may"] or atom["maybe"]:
        yield from _heads(line[atom.end() :])


def _group(line: str) -> tuple[list[str], str]:
    """The choices of the group that a line begins with, and what follows it."""
    depth, begun = 0, 1
    choices: list[str] = []
    for at, char in enumerate(line):
        if char == "|" and depth == 1:
            choices.append(line[begun:at])
            begun = at + 1
        depth += {"(": 1, ")": -1}.get(char, 0) if line[at - 1 : at] != "\\" else 0
        if not depth:
            return [*choices, line[begun:at]], line[at + 1 :]
    raise ValueError(f"a group is not closed in {line!r}")
