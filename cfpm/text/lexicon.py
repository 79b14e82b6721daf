"""Cue phrases per language, read from data files. A phrase becomes a regex plus the words without which it cannot
match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import prod
from typing import NamedTuple

from cfpm.text.alternatives import alternatives

LANGUAGES = ("en", "zh")
"""Each has a file `lexicons/<language>.txt`. The first writes words with boundaries, the second without."""

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


class Cue(NamedTuple):
    """Where a phrase was found: character offsets in the text that was searched."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one section: a compiled regex over lower-case text, and trigger words that make it worth running.

    `triggers` is empty when some phrase has no word to wait for; then the regex runs on every sentence. `company` has
    for a trigger the words that come with it, once for each way to read its phrases.
    """

    regex: re.Pattern[str]
    triggers: frozenset[str]
    company: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)

    def lacks(self, words: frozenset[str]) -> bool:
        """True when no phrase can stand in a sentence of these words: the fastest question, and mostly the last."""
        return bool(self.triggers) and self.triggers.isdisjoint(words)

    def find(self, lower: str, words: frozenset[str]) -> Cue | None:
        """The first phrase in a lower-case sentence whose words are given, or None."""
        if self.triggers and not self._may_stand_in(words):
            return None
        match = self.regex.search(lower)
        return Cue(match.start(), match.end()) if match else None

    def _may_stand_in(self, words: frozenset[str]) -> bool:
        for trigger in self.triggers & words:
            for others in self.company[trigger]:
                if others <= words:
                    return True
        return False

    def find_all(self, lower: str) -> Iterator[Cue]:
        """Every phrase, left to right."""
        return (Cue(m.start(), m.end()) for m in self.regex.finditer(lower))

    def starts(self, lower: str) -> Cue | None:
        """A phrase at the very start, or None."""
        match = self.regex.match(lower)
        return Cue(match.start(), match.end()) if match else None


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All sections of one language; each is compiled when it is first asked for, since no job needs them all."""

    language: str
    entries: dict[str, tuple[str, ...]]
    _compiled: dict[str, Phrases] = field(default_factory=dict)

    def __getitem__(self, section: str) -> Phrases:
        found = self._compiled.get(section)
        if found is None:
            found = self._compiled[section] = _compile(self.entries[section], self.language != "zh")
        return found


class Sections(dict[str, tuple[Phrases, ...]]):
    """The sections of several languages by their names, each put together when it is first asked for."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        super().__init__()
        self.languages = languages

    def __missing__(self, section: str) -> tuple[Phrases, ...]:
        found = self[section] = tuple(lexicon(language)[section] for language in self.languages)
        return found


@cache
def sections_of(*languages: str) -> Sections:
    """The sections of these languages; the same object each time, since sentences ask for one after another."""
    return Sections(languages)


@cache
def lexicon(language: str) -> Lexicon:
    """Reads a language's file once. Raises KeyError for a language without a file."""
    if language not in LANGUAGES:
        raise KeyError(f"no lexicon for {language!r}; there are {', '.join(LANGUAGES)}")
    text = files("cfpm.text").joinpath("lexicons", f"{language}.txt").read_text(encoding="utf-8")
    return Lexicon(language, _parse(text))


def _parse(text: str) -> dict[str, tuple[str, ...]]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        if entry.startswith("[") and entry.endswith("]"):
            current = sections.setdefault(entry[1:-1], [])
        else:
            current.append(entry)
    return {name: tuple(lines) for name, lines in sections.items()}


def _compile(lines: tuple[str, ...], bounded: bool) -> Phrases:
    before, after = (r"(?<![a-z0-9_])", r"(?![a-z0-9_])") if bounded else ("", "")
    body = alternatives([_pattern(line) for line in lines])
    regex = re.compile(f"{before}(?:{body})" + (f"(?:{after}|(?<=[:!]))" if bounded else ""), re.DOTALL)
    readings: set[frozenset[str]] = set()
    for line in lines:
        found = _readings(line) if bounded else None
        if not found:
            return Phrases(regex, frozenset())
        readings |= found
    company = _company(readings)
    return Phrases(regex, frozenset(company), company)


def _pattern(line: str) -> str:
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


def _company(readings: Iterable[frozenset[str]]) -> dict[str, tuple[frozenset[str], ...]]:
    """For the rarest-looking word of each reading its other words. One that holds all words of another adds nothing."""
    kept: dict[str, list[frozenset[str]]] = {}
    for words in sorted(readings, key=lambda words: (len(words), sorted(words))):
        if not any(fewer <= words for word in words for fewer in kept.get(word, ())):
            trigger = max(words, key=lambda word: (word not in _COMMON, len(word), word))
            kept.setdefault(trigger, []).append(words - {trigger})
    return {trigger: tuple(others) for trigger, others in kept.items()}


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
