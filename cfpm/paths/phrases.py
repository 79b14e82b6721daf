"""The phrases with which tools say that a path failed, read once from the data files of all languages. No operands here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from cfpm.paths.lexicon import LANGUAGES


class FailureKind(StrEnum):
    """What is wrong with a path."""

    MISSING = "missing"
    DENIED = "denied"
    NOT_A_DIRECTORY = "not_a_directory"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to say it. `left` and `right`: where its operand may stand; `rank`: lower is more specific."""

    kind: FailureKind
    left: bool
    right: bool
    weak: bool
    rank: int


@cache
def anchors() -> tuple[str, ...]:
    """Lower-case literals of which every phrase holds one."""
    return tuple(text for language in LANGUAGES for text in _list(language, "anchors"))


@cache
def phrases() -> dict[str, Phrase | None]:
    """Phrase text to its meaning; None for a text that only looks like a failing path."""
    table: dict[str, Phrase | None] = {}
    for language in LANGUAGES:
        entries = _table(language)["phrase"]
        assert isinstance(entries, list)
        for rank, entry in enumerate(entries):
            side = entry["operand"]
            kind, weak = FailureKind(entry["kind"]), bool(entry.get("weak", False))
            meaning = Phrase(kind, side != "right", side != "left", weak, rank)
            table.update(dict.fromkeys(entry["texts"], meaning))
        table.update(dict.fromkeys(_list(language, "ignored")))
    return table


@cache
def phrase_pattern() -> re.Pattern[str]:
    """One pattern of all phrases, the longest first. For text in lower case."""
    return re.compile("|".join(re.escape(text) for text in sorted(phrases(), key=lambda text: (-len(text), text))))


@cache
def left_fillers() -> re.Pattern[str]:
    """What may stand between an operand and the phrase on its right, at the end of a text in lower case."""
    return re.compile(rf"(?:(?:[\s:：,;(\[\]-]|errno \d+|os error \d+|(?<![\w]){_words('left_fillers')}))+$", re.IGNORECASE)


@cache
def right_fillers() -> re.Pattern[str]:
    """What may stand between the phrase and an operand on its right."""
    return re.compile(rf"(?:[\s:：,(\[]|\w+=|{_words('right_fillers')}(?=[\s:：]|[^\x00-\x7f]))*", re.IGNORECASE)


@cache
def conditionals() -> re.Pattern[str]:
    """Words that make a failure a condition, a question or code."""
    return re.compile(_words("conditionals"), re.IGNORECASE)


def _words(key: str) -> str:
    """Alternation of a list of all languages: whole words where the letters are Latin, anywhere where they are not."""
    texts = sorted((text for language in LANGUAGES for text in _list(language, key)), key=lambda text: (-len(text), text))
    return "(?:" + "|".join(rf"\b{re.escape(text)}\b" if text.isascii() else re.escape(text) for text in texts) + ")"


@cache
def _table(language: str) -> dict[str, object]:
    source = files("cfpm.paths").joinpath("data", f"failures_{language}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def _list(language: str, key: str) -> tuple[str, ...]:
    value = _table(language)[key]
    assert isinstance(value, list)
    return tuple(value)
