"""Compiles the phrases of a section: to one regular expression, and to the words without which it cannot match."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod

from cfpm.text.lexicon import LANGUAGES, lexicon

_GROUP = re.compile(r"\(([^()]*)\)")
_WORD = re.compile(r"[a-z0-9]+")
_REGEX_ATOM = re.compile(r"\S*\\w\+?\S*|\S*\?\S*|(?:\\[A-Zabd]|\.|\[[^]]*\])(?:\{[^}]*\}|[*+])?")
_REGEX_SIGNS = frozenset("\\.*+?[]{}^$")
_OPEN = r"\w+"
"""Stands for a group that is not resolved: no word that touches it is waited for."""
_MAX_EXPANSIONS = 500
"""Ways to read a line. With 4,000 the sections take more than twice as long to compile, for little rarer words."""
_COMMON_WORDS = """
a an the i you we it is are was were be to of in on at for with and or not no my our your this that have has had
do does did m d ve re ll s t am as up out all any so
"""
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that are in nearly every sentence, so that waiting for them saves nothing."""


Triggers = dict[str, list[tuple[int, str]]]
"""For a word the phrases that wait for it: their numbers, and the other words of each, a text with spaces."""

Section = dict[str, str | list[str] | Triggers]


def compiled() -> dict[str, dict[str, Section]]:
    """All sections by language and name, as they stand in `lexicons/compiled.json`."""
    return {
        language: {
            name: section(lines, bounded=language != "zh") for name, lines in sorted(lexicon(language).entries.items())
        }
        for language in LANGUAGES
    }


def section(lines: tuple[str, ...], *, bounded: bool) -> Section:
    """The arguments of a section's phrases. Without triggers its one expression is tried on every sentence."""
    before, after = (r"(?<![a-z0-9_])", r"(?:(?![a-z0-9_])|(?<=[:!]))") if bounded else ("", "")
    phrases = [written(line) for line in lines]
    regex = f"{before}(?:{'|'.join(phrases)}){after}"
    readings = [_readings(line) if bounded else None for line in lines]
    if not all(readings):
        return {"regex": regex, "phrases": [], "triggers": {}}
    triggers = _triggers((number, words) for number, found in enumerate(readings) for words in found or ())
    return {"regex": regex, "phrases": [f"{before}(?:{phrase}){after}" for phrase in phrases], "triggers": triggers}


def written(line: str) -> str:
    """A line as a regex: a space is white space, an apostrophe is either kind."""
    return line.replace("(", "(?:").replace("'", "['’]").replace(" ", r"\s+").replace(r"|)\s+", r"|)\s*")


def _readings(line: str) -> set[frozenset[str]] | None:
    """For every way to read the line, the words that stand in every text that it fits; None when one way has none."""
    found = set()
    for phrase in expand(line):
        if _REGEX_SIGNS.isdisjoint(phrase):
            words = _WORD.findall(phrase)
        else:
            # What has signs of a regex may be longer in a text, so it only serves where nothing else does.
            words = [word for part in phrase.split() if _REGEX_SIGNS.isdisjoint(part) for word in _WORD.findall(part)]
            words = words or _WORD.findall(_REGEX_ATOM.sub(" ", phrase))
        if not words:
            return None
        found.add(frozenset(words))
    return found


def _triggers(readings: Iterable[tuple[int, frozenset[str]]]) -> Triggers:
    """By the rarest-looking word of each reading. One that holds all words of another of its phrase adds nothing."""
    kept: dict[str, list[tuple[int, frozenset[str]]]] = {}
    for number, words in sorted(readings, key=lambda one: (len(one[1]), one[0], sorted(one[1]))):
        waiting = ((n, fewer | {word}) for word in words for n, fewer in kept.get(word, ()))
        if not any(n == number and fewer <= words for n, fewer in waiting):
            trigger = max(words, key=lambda word: (word not in _COMMON, len(word), word))
            kept.setdefault(trigger, []).append((number, words - {trigger}))
    return {
        trigger: [(number, " ".join(sorted(words))) for number, words in others]
        for trigger, others in sorted(kept.items())
    }


def expand(line: str) -> list[str]:
    """All ways to read a line, groups resolved. Of a line with too many ways some groups are left out, so that each
    reading still has only words that stand in every text that it fits."""
    phrases = [_shorter(line)]
    while any("(" in phrase for phrase in phrases):
        grown: list[str] = []
        for phrase in phrases:
            match = _GROUP.search(phrase)
            if match is None:
                grown.append(phrase)
                continue
            head, tail = phrase[: match.start()], phrase[match.end() :]
            grown.extend(f"{head}{choice}{tail}" for choice in match.group(1).split("|"))
        phrases = grown
    return phrases


def _shorter(line: str) -> str:
    """The line with few enough ways to read it: without words that may be missing, then without its longest groups."""
    while prod(group.count("|") + 1 for group in _GROUP.findall(line)) > _MAX_EXPANSIONS:
        groups = list(_GROUP.finditer(line))
        optional = (group for group in groups if _may_be_missing(group))
        group = next(optional, None) or max(groups, key=lambda group: group[1].count("|"))
        put = "" if _may_be_missing(group) else _OPEN
        line = f"{line[: group.start()]}{put}{line[group.end() :]}"
    return line


def _may_be_missing(group: re.Match[str]) -> bool:
    """Whether one choice of a group is nothing, and no other is a part of the word before or behind it."""
    *others, last = group[1].split("|")
    before, behind = group.string[: group.start()][-1:], group.string[group.end() :][:1]
    return last == "" and (
        (all(choice.endswith(" ") for choice in others) and not before.isalnum())
        or (all(choice.startswith(" ") for choice in others) and not behind.isalnum())
    )
