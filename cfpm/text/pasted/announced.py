"""Texts of others in a message that their sender announces, or that open and end like a letter. Knows no meaning.

What is found is quoted up to where the sender comes back: behind the end of a letter, in a last line or paragraph that
asks about it, or where the words say so. The phrases are data (announcements.toml).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.machine_lines import by_machine

_LONGEST = 240
"""Characters of an announcement."""
_HEAD = 2
"""Characters by which a salutation is recognised first."""
_QUOTES = "\"“„'«"
_TELLS = (
    *("This", "this", "That", "that", "It ", "it ", "I ", "i ", "Just", "just", "Got", "got", "Rec", "rec"),
    *("Some", "some", "Is ", "is ", "Are ", "are "),
)
"""How a sentence begins that tells of what follows (`announced_sentence`)."""
_MIN_LETTER = 40
"""Characters of a letter that nobody announces."""
_SENTENCE_END = lazy_pattern(r"[.!?…][\"'”’)]*\s+|[。！？]\s*|\n\s*|\s--+\s")
_LINE_END = lazy_pattern(r"\n")
_BLANK = lazy_pattern(r"\n[ \t]*\n\s*")
_ASKED = ("?", "？")
_ENCLOSED = (
    (lazy_pattern(r"(-{3,}|={3,}|\*{3,}|_{3,}|#{3,})[ \t]*(?=\n)"), "\n{}"),
    (lazy_pattern(r"(```+|~~~+)"), "\n{}"),
    (lazy_pattern(r"<([A-Za-z][\w:-]{0,40})(?:\s[^<>\n]{0,200})?>"), "</{}>"),
    (lazy_pattern(r"\""), '"'),
    (lazy_pattern("“"), "”"),
    (lazy_pattern("「"), "」"),
    (lazy_pattern("«"), "»"),
    (lazy_pattern("„"), "“"),
)
"""What opens an enclosed text, and what closes it."""
_QUOTED_LINES = lazy_pattern(r"(?:[ \t]{0,8}>[^\n]*(?:\n\s{0,9}(?=>)|(?=\n|\Z)))+")
_NAME = r"[(]?[A-Z\u00c0-\u00dd\u3400-\u9fff][\w.'’)-]*"
_POSTSCRIPT = lazy_pattern(r"\s*P\.? ?S\.?\b[^\n]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Phrases:
    heads: tuple[str, ...]
    """How letters begin: asked first, since few sentences begin so."""
    announced: re.Pattern[str]
    line: re.Pattern[str]
    above: re.Pattern[str]
    own_below: re.Pattern[str]
    sentence: re.Pattern[str]
    own: re.Pattern[str]
    own_rules: re.Pattern[str]
    letter: re.Pattern[str]
    formal: re.Pattern[str]
    named: re.Pattern[str]
    structured: re.Pattern[str]
    closing: re.Pattern[str]
    asks: re.Pattern[str]
    again: re.Pattern[str]


@cache
def _phrases() -> _Phrases:
    data = toml_table("cfpm.text.pasted", "announcements")
    announced, line = "|".join(data["announced"]), "|".join(data["announced_line"])
    salutations, chinese, formal = (
        f"(?:{'|'.join(map(re.escape, data[name]))})" for name in ("salutations", "chinese_salutations", "formal")
    )
    flags = re.IGNORECASE
    named = r"(?:[ ]?[\w.'’-]+){0,4}"
    return _Phrases(
        heads=tuple(sorted({head[:_HEAD] for name in ("salutations", "chinese_salutations") for head in data[name]})),
        announced=lazy_pattern(rf"(?:{announced})[ ]?(?:\((?:[^()\n]{{0,60}})\))?[ ]?[:：](?=\s|[^\s/\\\d])", flags),
        line=lazy_pattern(rf"(?:{line})[.!]?[ \t]*(?=\n)", flags),
        above=lazy_pattern(rf"(?:{'|'.join(data['announced_above'])})[ \t]*(?=\n[ \t]*\n)", flags),
        own_below=lazy_pattern(data["own_below"], flags),
        sentence=lazy_pattern(rf"(?:{'|'.join(data['announced_sentence'])})\s+(?=\S)", flags),
        own=lazy_pattern(
            rf"{data['topics']}[:：][^\S\n]*[^\W_]|{data['own']}(?:\b|(?=[^\x00-\x7f]))[^\n:：]{{0,40}}[:：]", flags
        ),
        own_rules=lazy_pattern(rf"\W{{0,8}}{data['own_rules']}[^\n:：]{{0,40}}[:：][ \t]*\n", flags),
        letter=lazy_pattern(
            rf"(?:{salutations}\b{named}[,!:.]|{chinese}[^\s，。！：:]{{0,8}}[，,！!：:])",
            flags,
        ),
        formal=lazy_pattern(rf"{formal}(?:\b|(?=[^\x00-\x7f]))", flags),
        named=lazy_pattern(rf"[{_QUOTES}]?{salutations} (?!{data['agents']}\b)(?-i:[A-Z\u00c0-\u00dd])", flags),
        structured=lazy_pattern(rf"(?:{data['structured']})[ ]?[:：](?=[ \t]*(?:\n|[-\[<({{\d\"'*#|]))", flags),
        closing=lazy_pattern(
            rf"(?:(?<=[.!?…。！？\n])|(?<=[.!?…。！？] ))[ \t]*[-–—]?[ \t]*(?i:{data['closings']})[,.!，。！]?"
            rf"(?:[ \t]*\n?[ \t]*[-–—]?[ \t]*{_NAME}(?: {_NAME}){{0,3}}|(?=\s*(?:\n|\Z)))[.!]?|"
            rf"(?<=[.!?…\n])[ \t]*\n?[ \t]*[-–—][ \t]?{_NAME}(?: {_NAME}){{0,3}}(?=\s*(?:\n|\Z))"
        ),
        asks=lazy_pattern(data["asks"], flags),
        again=lazy_pattern(data["own_again"], flags),
    )


def announced_texts(text: str) -> Iterator[tuple[int, int]]:
    """The texts of others, as [start, end), none inside another."""
    at = 0
    for start, _ in _openings(text):
        if start >= at:
            at = end_of_paste(text, start)
            yield start, at


def opens_own_rules(text: str) -> bool:
    """Whether a message opens with its sender's own rules; what is below is taken for a paste by its form alone."""
    return _phrases().own_rules.match(text) is not None


def first_announced(text: str) -> Iterator[tuple[int, int, bool]]:
    """As [start, end), and whether that is sure: the first sentences of texts that are announced, the first lines of
    those below their announcement, and letters to somebody by name, which are sure, as is what ends like a letter.

    "Notes: short ones only" announces nothing, though it looks so; nor is every letter without a name one.
    """
    for start, announced in _openings(text):
        if announced:
            gap = text[len(text[:start].rstrip()) : start]
            stop = (_LINE_END if "\n" in gap else _SENTENCE_END).search(text, start)
            end = end_of_paste(text, start)
            yield start, min(stop.end(), end) if stop else end, gap.count("\n") > 1 or _is_passed_on(text, start, end)
        elif _phrases().named.match(text, start):
            yield start, end_of_paste(text, start), True


def _is_passed_on(text: str, start: int, end: int) -> bool:
    """Whether what is announced ends before its sender comes back or asks about it, stands between marks, or ends like
    a letter."""
    asked = end < len(text.rstrip()) or text.rstrip().endswith(_ASKED)
    return asked or _marked_end(text, start) is not None or _closing(text, start) is not None


def _openings(text: str) -> Iterator[tuple[int, bool]]:
    """Where what is announced begins, and where letters do (False), ascending."""
    phrases = _phrases()
    marked = ":" in text or "：" in text or "\n" in text
    for begin in _sentence_starts(text):
        found = _announcement(phrases, text, begin) if marked or text.startswith(_TELLS, begin) else None
        if found is not None and not phrases.own.match(text, begin):
            rest = text[found.end() :].lstrip()
            # What a machine wrote ends by its form, see documents.py.
            if rest and not by_machine(rest.partition("\n")[0]):
                yield len(text) - len(rest), True
        elif (
            text[begin : begin + _HEAD + 1].lower().lstrip(_QUOTES).startswith(phrases.heads)
            and phrases.letter.match(text, begin)
            and _is_letter(text, begin)
        ):
            yield begin, False


def _announcement(phrases: _Phrases, text: str, begin: int) -> re.Match[str] | None:
    line_end = text.find("\n", begin, begin + _LONGEST)
    head = text[begin : line_end if line_end >= 0 else begin + _LONGEST]
    kinds = [phrases.announced, phrases.structured] if ":" in head or "：" in head else []
    if head.startswith(_TELLS):
        kinds.append(phrases.sentence)
    if line_end >= 0:
        kinds.extend(_above(phrases, text, begin, line_end))
    return next((found for kind in kinds if (found := kind.match(text, begin)) is not None), None)


def _above(phrases: _Phrases, text: str, begin: int, line_end: int) -> tuple[re.Pattern[str], ...]:
    """What announces what stands below a line; behind a blank one nothing where the sender goes on to speak there."""
    if _BLANK.match(text, line_end) is None:
        return (phrases.line,)
    if phrases.own_below.match(text[line_end : line_end + _LONGEST].lstrip()):
        return ()
    return (phrases.line, phrases.above) if begin == 0 or text[begin - 1] == "\n" else (phrases.line,)


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
    return (
        phrases.formal.match(rest.lstrip(_QUOTES)) is not None
        or bool(text[:begin].strip())
        or _closing(text, begin) is not None
    )


def _closing(text: str, begin: int) -> re.Match[str] | None:
    """The last words that end a letter."""
    found = list(_phrases().closing.finditer(text, begin + 1))
    return found[-1] if found else None


def end_of_paste(text: str, start: int) -> int:
    """Where the sender comes back to own words: where marks close the paste, behind a letter's end, else in the last
    words that ask about it."""
    if (marked := _marked_end(text, start)) is not None:
        return marked
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


def _marked_end(text: str, start: int) -> int | None:
    """The end of a fence, of quoted lines, a quotation or an element that begins here; None without such marks."""
    for opening, closing in _ENCLOSED:
        if (found := opening.match(text, start)) is None:
            continue
        ending = found[1] if found.re.groups else ""
        close = text.find(closing.format(ending), found.end())
        return close + len(closing.format(ending)) if close >= 0 else len(text)
    quoted = _QUOTED_LINES.match(text, start)
    return quoted.end() if quoted else None


def _is_own(tail: str) -> bool:
    phrases = _phrases()
    bare = tail.strip()
    return bare.endswith(_ASKED) or phrases.asks.match(bare) is not None or phrases.again.match(bare) is not None
