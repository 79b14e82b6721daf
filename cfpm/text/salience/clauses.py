"""Cuts sentences into clauses and counts, clause by clause, what the salience of a passage is made of.

Counts add up, so that a run of clauses costs a subtraction and not another look at its text.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.text.salience.cues import COUNTS, UNPARTED, cues
from cfpm.text.words import has_cjk, low_words

_AT = {name: position for position, name in enumerate(COUNTS)}
_FIRST_PERSON, _POINTING, _CONTENT = _AT["first_person"], _AT["pointing"], _AT["content"]

_WORD = lazy_pattern(r"[a-z0-9][a-z0-9_.-]*(?:['’][a-z]+)?|[\u3400-\u9fff]")
_NAME = lazy_pattern(r"(?<=[a-z0-9,;] )[A-Z][A-Za-z]+")
_CAPITALS = string.ascii_uppercase.encode("ascii")
_SYMBOLS = "`_/\\"
_EDGE = " \t\n,;:-–—，；："
_AFTER_THE_MARK = "\"'”’) "
_MIN_CLAUSE = 2
"""Content words; a shorter clause takes the next one along."""

_USUAL_LENGTH, _USUAL_LENGTH_CHINESE = 140, 60
"""Characters of a sentence that is told whole: of 2,234 messages of stories some 200 drafts began in the middle of what
was said ("in the old mill, ..." without what is there), now some 40."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause: the slice [start, end) of the message, with its words and its counts in the order of `COUNTS`."""

    start: int
    end: int
    counts: tuple[int, ...]
    words: tuple[str, ...]
    opens: bool
    """True at the start of a sentence."""
    closes: bool
    """True at the end of a sentence."""
    asks: bool = False
    """True for a part of a request."""

    @property
    def content(self) -> int:
        """Content words."""
        return self.counts[_CONTENT]

    @property
    def by_first_person(self) -> bool:
        """True when it begins with the speaker: 'I', 'my', 'we'."""
        return _FIRST_PERSON in self._first

    @property
    def by_pointing(self) -> bool:
        """True when it begins with a word that points to something before it: 'that', 'it'."""
        return _POINTING in self._first

    @property
    def _first(self) -> tuple[int, ...]:
        return cues().classes.get(self.words[0], ()) if self.words else ()


def clauses(text: str, start: int, kind: str, *, whole: bool = False) -> Iterator[Piece]:
    """The clauses of a sentence that begins at `start`, without greetings before it; `kind` is chat or assistant. With
    `whole` a sentence of usual length is parted only by semicolons, colons and dashes."""
    short = len(text) <= (_USUAL_LENGTH_CHINESE if has_cjk(text) else _USUAL_LENGTH)
    spans = _spans(text, UNPARTED if whole and short else kind)
    for place, (begin, end) in enumerate(spans):
        last = place == len(spans) - 1
        piece = _piece(text[begin:end] if last else text[begin:end].rstrip(_EDGE), start + begin, not place, last)
        if piece.content:
            yield piece


def bare(text: str) -> tuple[int, int]:
    """Where the matter itself begins and ends, without greetings before and thanks behind; all of it where that is
    nothing."""
    begin = cues().opener.match(text).end()  # type: ignore[union-attr]
    closer = cues().closer.search(text, begin)
    end = closer.start() if closer else len(text)
    return (begin, end) if _content_of(text[begin:end]) else (0, len(text))


def asserted(text: str, start: int, kind: str) -> list[Piece | None]:
    """The clauses of a question that say something, None in place of those that ask.

    Empty when none asks: then the question puts all of it in doubt.
    """
    found: list[Piece | None] = []
    stating = asking = False
    for piece in clauses(text, start, kind):
        said = text[piece.start - start : piece.end - start]
        lower = said.lower().replace("’", "'")
        if cues().asks.match(lower):
            stating, asking = False, True
        elif cues().states.search(lower):
            stating = True
        found.append(_piece(said.rstrip("?？ "), piece.start, piece.opens, piece.closes) if stating else None)
    return found if asking else []


@lru_cache(maxsize=256)
def _spans(text: str, kind: str) -> tuple[tuple[int, int], ...]:
    skipped = cues().opener.match(text).end()  # type: ignore[union-attr]
    begin = skipped
    spans: list[tuple[int, int]] = []
    for cut in cues().clause[kind].finditer(text, skipped):
        if cut.start() > skipped and _content_of(text[begin : cut.start()]) >= _MIN_CLAUSE:
            spans.append((begin, cut.start()))
            begin = cut.end()
    if spans and _content_of(text[begin:]) < _MIN_CLAUSE:
        begin, _ = spans.pop()
    return (*spans, (begin, len(text)))


def _content_of(text: str) -> int:
    low = low_words()
    return sum(word not in low for word in _WORD.findall(text.lower()))


@lru_cache(maxsize=1_024)
def _piece(text: str, start: int, opens: bool, closes: bool) -> Piece:
    lower = text.lower().replace("’", "'")
    words = _WORD.findall(lower)
    classes, low = cues().classes, low_words()
    counts = [0] * len(COUNTS)
    counts[_AT["words"]] = len(words)
    for word in words:
        counts[_CONTENT] += word not in low
        for position in classes.get(word, ()):
            counts[position] += 1
        if word[-2:] == "ed" and len(word) > 4:
            counts[_AT["past"]] += 1
        if word[0].isdigit():
            counts[_AT["numbers"]] += 1
    counts[_AT["symbols"]] = sum(map(text.count, _SYMBOLS))
    counts[_AT["capitals"]] = capitals = _capitals(text)
    counts[_AT["names"]] = len(_NAME.findall(text)) if capitals else 0
    counts[_AT["requests"]] = len(cues().requests.findall(lower))
    counts[_AT["frames"]] = cues().frame.match(lower) is not None
    mark = text.rstrip(_AFTER_THE_MARK)[-1:]
    counts[_AT["questions"]] = mark in ("?", "？")
    counts[_AT["exclamations"]] = mark in ("!", "！")
    return Piece(start, start + len(text), tuple(counts), tuple(words), opens, closes)


def _capitals(text: str) -> int:
    letters = text.encode("ascii", "replace")
    return len(letters) - len(letters.translate(None, _CAPITALS))
