"""The words and phrases of `cues.toml`, compiled once. They say how much a passage is worth, not what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

COUNTS = (
    "words", "content", "filler", "first_person", "second_person", "past", "time", "pointing", "numbers", "names",
    "symbols", "capitals", "requests", "frames", "questions", "exclamations",
)  # fmt: skip
"""What is counted in each piece; the sections of single words in the file bear these names too."""

SUBJECT = r"(?:i|we|you|he|she|it|they|my|our|your|his|her|its|their|the|this|that|these|those|there|a|an)\b"
"""What begins a statement: 'so I left' loses nothing without its 'so', 'so far' would."""

STRONG_BREAK = r"[;；—–]\s*|\s+[-–—]+\s+|:\s+"
_BREAKS = {"chat": STRONG_BREAK, "assistant": rf"{STRONG_BREAK}|，|,\s+(?!\d{{4}}\b)"}
"""Between two people only what parts whole statements; told to an agent, every comma."""

UNPARTED = "unparted"
"""The kind of a sentence that is told whole."""


@dataclass(frozen=True, slots=True)
class Cues:
    """`classes` gives for each listed word the counts that it raises."""

    classes: dict[str, tuple[int, ...]]
    opener: re.Pattern[str]
    closer: re.Pattern[str]
    clause: dict[str, re.Pattern[str]]
    frame: re.Pattern[str]
    requests: re.Pattern[str]
    asks: re.Pattern[str]
    states: re.Pattern[str]


@cache
def cues() -> Cues:
    """Reads the file."""
    table = toml_table("cfpm.text.salience", "cues")
    return Cues(
        _classes(table["words"]),
        _opener(table["openers"], table["leads"], table["light_openers"]),
        lazy_pattern(rf"(?i:\s*[,，]\s*{_one_of(table['closers'])})(?=[\s.!~。！]*\Z)"),
        {kind: _clause(kind, table["clauses"]) for kind in _BREAKS} | {UNPARTED: lazy_pattern(STRONG_BREAK)},
        lazy_pattern(rf"(?:so |and |but )?{table['frames']}"),
        lazy_pattern(table["requests"]),
        lazy_pattern(table["asks"]),
        lazy_pattern(table["states"]),
    )


def _classes(sections: dict[str, str]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for name, words in sections.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), COUNTS.index(name))
    return found


def _opener(openers: list[str], leads: list[str], light: list[str]) -> re.Pattern[str]:
    # A call by name may stand in it: 'Thanks, Ann! I moved.' Small words may stand in a row: 'ok so we', 'and btw, we'.
    full = rf"(?i:{_one_of(openers)})(?:\s+[A-Z]\w+)?\s*[,!.…，！。~]+\s*"
    lead = rf"(?i:{_one_of(leads)})\s*(?:[,:，：]|\s[-–—]+\s)\s*"
    small = rf"(?i:{_one_of(light)}\s+)"
    return lazy_pattern(
        rf"(?:{full}(?:[A-Z]\w+\s*[!,]\s+)?|{lead}|{small}(?={small}*(?:(?i:{SUBJECT})|{full}|{lead})))*"
    )


def _clause(kind: str, table: dict[str, Any]) -> re.Pattern[str]:
    after_comma = _one_of(table.get(f"{kind}_after_comma", table[kind]))
    # The first look ahead says no at most places, before the many words are tried.
    return lazy_pattern(
        rf"(?=[,\s;；—–:，])(?<=[\w\"')\]])(?:(?:,\s*|\s+[-–—]+\s*)(?={after_comma}\b)|\s+(?={_one_of(table[kind])}\b)|{_BREAKS[kind]})",
        re.IGNORECASE,
    )


def _one_of(phrases: list[str]) -> str:
    longest_first = sorted(phrases, key=len, reverse=True)
    written = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first)
    return f"(?:{written})"
