"""The phrases with which tools say that a path failed, from the data files of all languages. No operands here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.lexicon import language_tables, strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TAIL = lazy_pattern(r"(?: \(os error \d+\))?[\s.!。！:：]*(?:</[\w-]+>)?\s*")
_ERROR_CODE = lazy_pattern(r"\[?(?:errno|os error|winerror) \d+\]?$")


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


def lowered(text: str) -> str:
    """Lower case of the same length: U+0130 is the one character whose lower case is longer than itself."""
    return text.replace("\u0130", "I").lower()


@cache
def anchors() -> tuple[str, ...]:
    """Lower-case literals of which every phrase holds one."""
    return _all("anchors")


@cache
def phrases() -> dict[str, Phrase | None]:
    """Phrase text to its meaning; None for a text that only looks like a failing path."""
    found: dict[str, Phrase | None] = {}
    for table in language_tables("failures"):
        for rank, entry in enumerate(_entries(table)):
            side, kind = entry["operand"], FailureKind(str(entry["kind"]))
            meaning = Phrase(kind, side != "right", side != "left", bool(entry.get("weak")), rank)
            found.update(dict.fromkeys(strings(entry, "texts"), meaning))
        found.update(dict.fromkeys(strings(table, "ignored")))
    return found


def _entries(table: Mapping[str, object]) -> list[dict[str, object]]:
    entries = table["phrase"]
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


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
    low = lowered(text)
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
    return compiled(
        rf"(?:[\s:：,(\[]|\w+=|(?:{_whole_words('right_fillers')})(?=[\s:：]|[^\x00-\x7f]))*+", re.IGNORECASE
    )


@cache
def connector() -> re.Pattern[str]:
    """What ties a phrase to an operand on its right when the operand could also stand on its left."""
    words = _alternation("connectors")
    return compiled(
        rf"\s*[:：]|,\s*\w+ ['\"]|\s*(?:{words})[\s\"'“]|\s+['\"`“‘]|\s+\w*(?:path|file|dir)\w{{0,10}}=|[^\x00-\x7f]",
        re.I,
    )


@cache
def inside() -> re.Pattern[str]:
    """What follows a phrase when the directory is said next."""
    return compiled(rf"[\"'`”’]?\s*(?:{_whole_words('inside')})\s*[\"'`“]?", re.IGNORECASE)


@cache
def second_operand() -> re.Pattern[str]:
    """What stands before the second of two quoted operands."""
    return compiled(rf"(?:{_alternation('between_operands')})\s*[\"'‘`“]$", re.IGNORECASE)


def nameless_failure(low: str) -> FailureKind | None:
    """The kind of failure when the whole line, in lower case, is one phrase that names no path."""
    text = low.strip()
    for start, end, phrase in find_phrases(text)[:1]:
        lead = _lead().fullmatch(text, 0, start)
        said = not phrase.weak or any(word in text[:start] for word in _sorted_words("subjects"))
        if lead and said and _TAIL.fullmatch(text, end):
            return phrase.kind
    return None


@cache
def _lead() -> re.Pattern[str]:
    words = f"{_alternation('leads')}|{_alternation('subjects')}"
    return compiled(rf"(?:[\w./\\-]{{1,60}} ?: |line \d+: |\[errno \d+\] |<[\w-]+>|(?:{words})[:：]?\s*)*+")


def is_conditional(text: str) -> bool:
    """True when the text before an operand makes its failure a condition, a question or code."""
    low = text.lower()
    return any(word in low and _whole(word).search(low) for word in _sorted_words("conditionals"))


@cache
def _whole(word: str) -> re.Pattern[str]:
    """Whole words where the letters are Latin, anywhere where they are not."""
    return compiled(rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word))


@cache
def _sorted_words(key: str) -> tuple[str, ...]:
    """A list of all languages, the longest first."""
    return tuple(sorted(_all(key), key=lambda text: (-len(text), text)))


def _alternation(key: str) -> str:
    return "|".join(map(re.escape, _sorted_words(key)))


def _whole_words(key: str) -> str:
    return "|".join(_whole(word).pattern for word in _sorted_words(key))


def _all(key: str) -> tuple[str, ...]:
    return tuple(text for table in language_tables("failures") for text in strings(table, key))
