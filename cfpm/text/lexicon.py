"""Cue phrases per language, read from data files.

`lexicons/<language>.txt` is what people write. `python -m benchmarks lexicons` makes `lexicons/compiled.json` of it:
for each section its regular expressions, and the words without which they cannot match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from cfpm.model.patterns import lazy_pattern

LANGUAGES = ("en", "zh")
"""Each has a file `lexicons/<language>.txt`. The first writes words with boundaries, the second without."""


class Cue(NamedTuple):
    """Where a phrase was found: character offsets in the text that was searched."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one section over lower-case text: all in one regular expression, and each in one of its own.

    `triggers` holds, for a word, the phrases that wait for it: their numbers, and which other words each needs beside
    it. It is empty when some phrase has no word to wait for; then the one expression is tried on every sentence.
    """

    regex: re.Pattern[str]
    phrases: tuple[re.Pattern[str], ...]
    triggers: Mapping[str, tuple[tuple[int, frozenset[str]], ...]] = field(default_factory=dict)

    def lacks(self, words: frozenset[str]) -> bool:
        """True when no phrase can stand in a sentence of these words: the fastest question, and mostly the last."""
        return bool(self.triggers) and self.triggers.keys().isdisjoint(words)

    def may_stand_in(self, words: frozenset[str]) -> bool:
        """False when no phrase can stand in a text of these words, and for phrases that need none."""
        return bool(self._that_may_stand_in(words))

    def find(self, lower: str, words: frozenset[str]) -> Cue | None:
        """The first phrase in a lower-case sentence whose words are given, or None."""
        if not self.triggers:
            return _cue(self.regex.search(lower))
        first: re.Match[str] | None = None
        for phrase in self._that_may_stand_in(words):
            match = phrase.search(lower)
            # Of several at one place the one that is listed first.
            if match is not None and (first is None or match.start() < first.start()):
                first = match
        return _cue(first)

    def _that_may_stand_in(self, words: frozenset[str]) -> list[re.Pattern[str]]:
        if self.triggers.keys().isdisjoint(words):
            return []
        numbers = {
            number
            for trigger in self.triggers.keys() & words
            for number, others in self.triggers[trigger]
            if others <= words
        }
        return [self.phrases[number] for number in sorted(numbers)]

    def find_all(self, lower: str) -> Iterator[Cue]:
        """Every phrase, left to right."""
        return (Cue(m.start(), m.end()) for m in self.regex.finditer(lower))

    def starts(self, lower: str, words: frozenset[str] | None = None) -> Cue | None:
        """A phrase at the very start, or None. With `words`, all of the text and maybe more, it is found sooner."""
        if words is None or not self.triggers:
            return _cue(self.regex.match(lower))
        found = (phrase.match(lower) for phrase in self._that_may_stand_in(words))
        return _cue(next(filter(None, found), None))


def _cue(match: re.Match[str] | None) -> Cue | None:
    return Cue(match.start(), match.end()) if match else None


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All sections of one language: their lines, and their phrases, each put together when it is first asked for."""

    language: str
    entries: dict[str, tuple[str, ...]]
    _phrases: dict[str, Phrases] = field(default_factory=dict)

    def __getitem__(self, section: str) -> Phrases:
        found = self._phrases.get(section)
        if found is None:
            found = self._phrases[section] = _phrases(**_compiled()[self.language][section])
        return found


@cache
def lexicon(language: str) -> Lexicon:
    """Reads a language's file once. Raises KeyError for a language without a file."""
    if language not in LANGUAGES:
        raise KeyError(f"no lexicon for {language!r}; there are {', '.join(LANGUAGES)}")
    text = files("cfpm.text").joinpath("lexicons", f"{language}.txt").read_text(encoding="utf-8")
    return Lexicon(language, _parse(text))


@cache
def _compiled() -> dict[str, dict[str, dict[str, Any]]]:
    loaded: dict[str, dict[str, dict[str, Any]]] = json.loads(
        files("cfpm.text").joinpath("lexicons", "compiled.json").read_text(encoding="utf-8")
    )
    return loaded


def _phrases(regex: str, phrases: list[str], triggers: Mapping[str, list[tuple[int, str]]]) -> Phrases:
    return Phrases(
        lazy_pattern(regex, re.DOTALL),
        tuple(lazy_pattern(phrase, re.DOTALL) for phrase in phrases),
        {word: tuple((n, frozenset(others.split())) for n, others in waiting) for word, waiting in triggers.items()},
    )


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
