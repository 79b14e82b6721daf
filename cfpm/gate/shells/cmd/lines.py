"""One line of cmd as words: what is quoted, where a command begins, where a variable is expanded. Knows no probes.

cmd replaces variables before it reads a line, so that this is what a line looks like as long as no value has quotes or
operators in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfpm.model.patterns import lazy_pattern

LONGEST_LINE = 8_191
"""Characters that cmd reads in a line (Microsoft, "Command prompt line string limitation")."""

_TOKEN = lazy_pattern(r'(?P<word>(?:"[^"]*"|\^.|[^\s"^&|()<>])+)|(?P<operator>&&?|\|\|?|[<>])|(?P<bracket>[()])|["^]')
_OPENING = lazy_pattern(r'\^.|"')
_CLOSING = lazy_pattern('"')
_BATCH = lazy_pattern(r"%%|%[0-9*]|%~[A-Za-z$:]{0,40}[0-9]|%[^%]*%")
_PROMPT = lazy_pattern(r"%[A-Za-z_][\w().~-]*(?::[^%]*)?%")
_LOOP_IN_BATCH = lazy_pattern(r"\bfor\s+(?:/\w\s+[^%]{0,80})?%%[^\s%]\s+in\b", re.IGNORECASE)
_LOOP_AT_PROMPT = lazy_pattern(r"\bfor\s+(?:/\w\s+[^%]{0,80})?%[^\s%]\s+in\b", re.IGNORECASE)
_HIDDEN = frozenset('"&|<>^')
_KEYWORDS = frozenset({"do", "else"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its quotes. Offsets are characters of the line; `command` is the number of its command.

    `name` is the word in lower case and without quotes: an option as it is, else as a program is named, without folder.
    """

    start: int
    end: int
    text: str
    name: str
    command: int


def words_of(line: str) -> list[Word] | None:
    """The words of a line, None when a quote or a caret has no partner."""
    found: list[Word] = []
    command = 0
    for token in _TOKEN.finditer(line):
        if word := token["word"]:
            command += word.lower() in _KEYWORDS
            found.append(Word(token.start(), token.end(), word, _name(word), command))
        elif token["bracket"] or token["operator"]:
            # A redirection goes on with the same command.
            command += token[0] not in "<>"
        else:
            return None
    return found


def is_quoted(text: str) -> bool:
    """Whether a place after `text`, the beginning of a word, is within quotes."""
    quoted = False
    at = 0
    while match := (_CLOSING if quoted else _OPENING).search(text, at):
        quoted = not quoted and match[0] == '"'
        at = match.end()
    return quoted


def expansions(line: str) -> frozenset[int]:
    """Where a `%` begins the name of a variable, both in a batch file and at the prompt; nowhere when what looks like a
    variable hides quotes or operators from a reader of the line."""
    ways = [_BATCH, _PROMPT]
    if _LOOP_IN_BATCH.search(line):
        ways = [_BATCH]
    elif _LOOP_AT_PROMPT.search(line):
        ways = [_PROMPT]
    found = [list(way.finditer(line)) for way in ways]
    names = [match[0] for matches in found for match in matches]
    if any(name.startswith("%:") or not _HIDDEN.isdisjoint(name) for name in names):
        return frozenset()
    return frozenset.intersection(*(frozenset(match.start() for match in matches) for matches in found))


def _name(word: str) -> str:
    name = word.lower().strip('"@')
    if name.startswith("/"):
        return name
    name = re.split(r"[\\/]", name)[-1]
    for ending in (".exe", ".cmd", ".bat", ".com"):
        name = name.removesuffix(ending)
    return name
