"""The phrases with which tools say that a path failed, from the data files of all languages. No operands here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from cfpm.paths.lexicon import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

_ERROR_CODE = re.compile(r"\[?(?:errno|os error|winerror) \d+\]?$")


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


def find_phrases(low: str) -> list[tuple[int, int, Phrase]]:
    """(start, end, phrase) of all phrases in a text in lower case, leftmost and longest first, without overlaps."""
    hits = [(at, -len(text), text) for text in phrases() for at in _occurrences(low, text)]
    kept, position = [], 0
    for start, length, text in sorted(hits):
        if start < position:
            continue
        position = start - length
        if (phrase := phrases()[text]) is not None:
            kept.append((start, position, phrase))
    return kept


def _occurrences(low: str, text: str) -> Iterator[int]:
    position = low.find(text)
    while position >= 0:
        yield position
        position = low.find(text, position + len(text))


def without_left_fillers(text: str) -> str:
    """The text without what may stand between an operand and the phrase on its right."""
    low = text.lower() if len(text.lower()) == len(text) else text
    end = len(low)
    while True:
        kept = len(low[:end].rstrip(" \t:：,，;([-"))
        if code := _ERROR_CODE.search(low, max(0, kept - 24), kept):
            kept = code.start()
        elif filler := next((word for word in _sorted_words("left_fillers") if low.endswith(word, 0, kept)), ""):
            before = low[kept - len(filler) - 1 : kept - len(filler)]
            kept -= 0 if filler.isascii() and before.isalnum() and before.isascii() else len(filler)
        if kept == end:
            return text[:end]
        end = kept


@cache
def right_fillers() -> re.Pattern[str]:
    """What may stand between the phrase and an operand on its right."""
    words = "|".join(_whole(word).pattern for word in _sorted_words("right_fillers"))
    return re.compile(rf"(?:[\s:：,(\[]|\w+=|(?:{words})(?=[\s:：]|[^\x00-\x7f]))*", re.IGNORECASE)


def is_conditional(text: str) -> bool:
    """True when the text before an operand makes its failure a condition, a question or code."""
    low = text.lower()
    return any(word in low and _whole(word).search(low) for word in _sorted_words("conditionals"))


@cache
def _whole(word: str) -> re.Pattern[str]:
    """Whole words where the letters are Latin, anywhere where they are not."""
    return re.compile(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word))


@cache
def _sorted_words(key: str) -> tuple[str, ...]:
    return tuple(
        sorted((text for language in LANGUAGES for text in _list(language, key)), key=lambda text: (-len(text), text))
    )


@cache
def _table(language: str) -> dict[str, object]:
    source = files("cfpm.paths").joinpath("data", f"failures_{language}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def _list(language: str, key: str) -> tuple[str, ...]:
    value = _table(language)[key]
    assert isinstance(value, list)
    return tuple(value)
