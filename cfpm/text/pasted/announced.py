"""Texts of others in a message that their sender announces, or that open and end like a letter. Knows no meaning.

What is found is quoted up to where the sender comes back: behind the end of a letter, in a last line or paragraph that
asks about it, or where the words say so. The phrases are data (announcements.toml).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from cfpm.model.patterns import lazy_pattern
from cfpm.text.machine_lines import by_machine

_MIN_LETTER = 40
"""Characters of a letter that nobody announces."""
_SENTENCE_END = lazy_pattern(r"[.!?…][\"'”’)]*\s+|[。！？]\s*|\n\s*|\s--+\s")
_BLANK = lazy_pattern(r"\n[ \t]*\n\s*")
_ASKED = ("?", "？")
_NAME = r"[(]?[A-Z\u00c0-\u00dd\u3400-\u9fff][\w.'’)-]*"
_POSTSCRIPT = lazy_pattern(r"\s*P\.? ?S\.?\b[^\n]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Phrases:
    announced: re.Pattern[str]
    line: re.Pattern[str]
    sentence: re.Pattern[str]
    own: re.Pattern[str]
    letter: re.Pattern[str]
    formal: re.Pattern[str]
    structured: re.Pattern[str]
    closing: re.Pattern[str]
    asks: re.Pattern[str]
    again: re.Pattern[str]


@cache
def _phrases() -> _Phrases:
    data = tomllib.loads(files("cfpm.text.pasted").joinpath("announcements.toml").read_text(encoding="utf-8"))
    announced, line = "|".join(data["announced"]), "|".join(data["announced_line"])
    flags = re.IGNORECASE
    named = r"(?:[ ]?[\w.'’-]+){0,4}"
    return _Phrases(
        announced=re.compile(rf"(?:{announced})[ ]?(?:\((?:[^()\n]{{0,60}})\))?[ ]?[:：](?=\s|[^\s/\\\d])", flags),
        line=re.compile(rf"(?:{line})[.!]?[ \t]*(?=\n)", flags),
        sentence=re.compile(rf"(?:{'|'.join(data['announced_sentence'])})\s+(?=\S)", flags),
        own=re.compile(rf"{data['own']}(?:\b|(?=[^\x00-\x7f]))[^\n:：]{{0,40}}[:：]", flags),
        letter=re.compile(
            rf"(?:{data['salutations']}\b{named}[,!:.]|{data['chinese_salutations']}[^\s，。！：:]{{0,8}}[，,！!：:])",
            flags,
        ),
        formal=re.compile(rf"{data['formal']}(?:\b|(?=[^\x00-\x7f]))", flags),
        structured=re.compile(rf"(?:{data['structured']})[ ]?[:：](?=[ \t]*(?:\n|[-\[<({{\d\"'*#|]))", flags),
        closing=re.compile(
            rf"(?:(?<=[.!?…。！？\n])|(?<=[.!?…。！？] ))[ \t]*[-–—]?[ \t]*(?i:{data['closings']})[,.!，。！]?"
            rf"(?:[ \t]*\n?[ \t]*[-–—]?[ \t]*{_NAME}(?: {_NAME}){{0,3}}|(?=\s*(?:\n|\Z)))[.!]?|"
            rf"(?<=[.!?…\n])[ \t]*\n?[ \t]*[-–—][ \t]?{_NAME}(?: {_NAME}){{0,3}}(?=\s*(?:\n|\Z))"
        ),
        asks=re.compile(data["asks"], flags),
        again=re.compile(data["own_again"], flags),
    )


def announced_texts(text: str) -> Iterator[tuple[int, int]]:
    """The texts of others, as [start, end), none inside another."""
    at = 0
    for start in _openings(text):
        if start >= at:
            at = end_of_paste(text, start)
            yield start, at


def _openings(text: str) -> Iterator[int]:
    """Where what is announced begins, and where letters do, ascending."""
    phrases = _phrases()
    for begin in _sentence_starts(text):
        if phrases.own.match(text, begin):
            continue
        found = _announcement(phrases, text, begin)
        if found is not None:
            rest = text[found.end() :].lstrip()
            # What a machine wrote ends by its form, see documents.py.
            if rest and not by_machine(rest.partition("\n")[0]):
                yield len(text) - len(rest)
        elif phrases.letter.match(text, begin) and _is_letter(text, begin):
            yield begin


def _announcement(phrases: _Phrases, text: str, begin: int) -> re.Match[str] | None:
    for kind in (phrases.announced, phrases.line, phrases.sentence, phrases.structured):
        if (found := kind.match(text, begin)) is not None:
            return found
    return None


def _sentence_starts(text: str) -> Iterator[int]:
    begin = len(text) - len(text.lstrip())
    yield begin
    for found in _SENTENCE_END.finditer(text, begin):
        if found.end() < len(text):
            yield found.end()


def _is_letter(text: str, begin: int) -> bool:
    """Whether a salutation opens a letter to somebody else: formal, behind other words, or ended like one."""
    rest = text[begin:]
    if len(rest) < _MIN_LETTER:
        return False
    phrases = _phrases()
    return phrases.formal.match(rest) is not None or bool(text[:begin].strip()) or _closing(text, begin) is not None


def _closing(text: str, begin: int) -> re.Match[str] | None:
    """The last words that end a letter."""
    found = list(_phrases().closing.finditer(text, begin + 1))
    return found[-1] if found else None


def end_of_paste(text: str, start: int) -> int:
    """Where the sender comes back to own words: behind a letter's end, else in the last words that ask about it."""
    if (closing := _closing(text, start)) is not None:
        postscript = _POSTSCRIPT.match(text, closing.end())
        return postscript.end() if postscript else closing.end()
    paragraph = start
    for blank in _BLANK.finditer(text, start):
        paragraph = blank.end()
    line = text.rstrip().rfind("\n", start) + 1
    sentence = start
    for end in _SENTENCE_END.finditer(text.rstrip(), start):
        sentence = end.end()
    for at in (paragraph, line, sentence):
        if at > start and _is_own(text[at:]):
            return at
    return len(text)


def _is_own(tail: str) -> bool:
    phrases = _phrases()
    bare = tail.strip()
    return bare.endswith(_ASKED) or phrases.asks.match(bare) is not None or phrases.again.match(bare) is not None
