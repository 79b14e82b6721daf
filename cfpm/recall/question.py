"""What a question says, read once: its words, word pieces and vector, whom and when it names, and what it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.store.search import content_text
from cfpm.text.dates import TimeKind, find_times
from cfpm.text.heads.requests import asks_to_act, only_tells
from cfpm.text.modality import is_question

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding import Embedder

MAX_PIECES = 24
"""Word pieces of a question that are compared one by one; a longer one is a text, and its words and vector do."""

MAX_CHARS = 4_000
"""Characters of a question that are read: of a longer one half from its beginning, half from its end."""

KEY_WORDS = 4
"""Words up to which what does not ask is taken for what somebody types into a search: an order has a verb besides what
it is about."""

MOSTLY = 2 / 3
"""Share of the parts of a text that end as sentences do in a chat; lines of code and lists do not."""

_HAN = lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_EMPTY_LINES = lazy_pattern(r"\n\s*\n")
_SENTENCE_ENDS = lazy_pattern(r"[.!?…。！？～~][\"'”’)\]）」』*]*\s*$")
_LABEL = lazy_pattern(r"\s*[^\s:：]{1,24}(?: [^\s:：]{1,24})?[:：]\s*(?=\S)")
"""Who speaks, at the beginning of a line."""


TELLING = ("when", "number", "who", "where", "how")
"""What is asked for that an answer can be seen to hold: names of `asks` and `tells` in `cues.toml`."""


ACTS = 500
"""Thousandths from which a question asks for something to be done or advised."""

TELLS = 600
"""Thousandths from which a text only tells something, and orders nothing: of an author who had seen nothing 38 of 80
such messages reach it, and 4 of 80 orders; from 500 on 50 and 8 (`train tells`)."""


class Shape(StrEnum):
    """What form a query has. It says how much of it is wanted, and which weights fit."""

    QUESTION = "question"
    CHAT = "chat"
    """The last messages of a chat: what is needed is mostly said by few of their words."""
    TEXT = "text"
    """What asks nothing: an order, a statement, key words."""


@dataclass(frozen=True, slots=True)
class Question:
    """`words` is the question without the names of speakers; `speakers` are the numbers of those it is about.

    `times` are the stretches of time that it names, in seconds. `asks` are names of `cues.toml`. Of a chat they are
    those of its last message; the words of all its messages count the same, without who speaks. `subject` is the
    vector of the words that say what it is about, `vector` that of the whole of a question, and else the same.
    """

    words: str
    speakers: tuple[int, ...]
    times: tuple[tuple[float, float], ...]
    asks: frozenset[str]
    pieces: tuple[int, ...] = ()
    vector: NDArray[np.float32] | None = None
    subject: NDArray[np.float32] | None = None
    shape: Shape = Shape.QUESTION
    cjk: bool = False
    """Whether it is written in Chinese characters for the most part."""
    acts: bool = False
    """Whether it asks for something to be done or advised, which rules concern as they concern an order."""
    tells: bool = False
    """Whether it asks and orders nothing."""


def read_question(text: str, speakers: Sequence[str], embedder: Embedder | None, now: datetime | None) -> Question:
    """Reads it; `now` is what "last week" counts from."""
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
    before, last = last_message(text)
    named, words = _named(f"{last}\n{before}" if before else last, speakers)
    spans = [span for span in find_times(last, now) if span.kind is TimeKind.MOMENT]
    pieces: tuple[int, ...] = ()
    vector = subject = None
    shape = Shape.CHAT if before else Shape.QUESTION if is_question(last.lower()) else Shape.TEXT
    if embedder is not None:
        told = content_text(words)
        vector, subject = embedder.embed([words if shape is Shape.QUESTION else told, told])
        pieces = tuple(embedder.pieces(told))[:MAX_PIECES]
    return Question(
        words=words if words.strip() else text,
        speakers=tuple(named),
        times=tuple((s.begins.timestamp(), s.ends.timestamp()) for s in spans if s.begins and s.ends),
        asks=frozenset(name for name, pattern in _asks().items() if pattern.search(last)),
        pieces=pieces,
        vector=vector,
        subject=subject,
        shape=shape,
        cjk=2 * sum(map(len, _HAN.findall(words))) > len(words),
        acts=shape is Shape.QUESTION and asks_to_act(last) >= ACTS,
        tells=shape is Shape.TEXT and not _is_key_words(last) and only_tells(last) >= TELLS,
    )


def wants_an_answer(text: str) -> bool:
    """Whether it asks, or is a few key words; who gives an order is not served by a word that nothing answers it."""
    _, last = last_message(text)
    if is_question(last.lower()):
        return asks_to_act(last) < ACTS
    return _is_key_words(last)


def _is_key_words(text: str) -> bool:
    """Whether it is so short; a Chinese word has two characters."""
    return len(text.split()) + sum(map(len, _HAN.findall(text))) // 2 <= KEY_WORDS


def last_message(text: str) -> tuple[str, str]:
    """What was said before the last message of a chat, and that message, both without who speaks; of any other text
    nothing, and the text."""
    if "\n" not in (text := text.strip()):
        return "", text
    lines = [line for line in text.splitlines() if line.strip()]
    labels = [_LABEL.match(line) for line in lines]
    starts = [place for place, label in enumerate(labels) if label] if labels[0] else []
    if len(starts) > 1:
        said = [line[label.end() :] if label else line for line, label in zip(lines, labels, strict=True)]
        return "\n".join(said[: starts[-1]]), "\n".join(said[starts[-1] :])
    # Nobody is named: a message stands between empty lines, or in a line of its own, and ends as sentences end.
    parts = _EMPTY_LINES.split(text)
    parts = parts if len(parts) > 1 else lines
    if sum(_SENTENCE_ENDS.search(part) is not None for part in parts) < MOSTLY * len(parts):
        return "", text
    return "\n".join(parts[:-1]), parts[-1]


def _named(text: str, speakers: Sequence[str]) -> tuple[list[int], str]:
    """The speakers it is about, and the text without any names of speakers.

    It is about the first, with those joined to that one: "what did Ann and Bob give Carl" is about Ann and Bob.
    """
    found = []
    for number, name in enumerate(speakers):
        if not name:
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)
        if first := pattern.search(text):
            found.append((*first.span(), number))
            # As long as before, so that the places of other names hold.
            text = pattern.sub(lambda match: " " * len(match[0]), text)
    found.sort()
    about = found[:1]
    for (_, ended, _), other in pairwise(found):
        if not _joining().fullmatch(text, ended, other[0]):
            break
        about.append(other)
    return [number for _, _, number in about], text


@cache
def answers(embedder: Embedder) -> NDArray[np.uint8]:
    """For each word piece: 1 if it tells a time, 2 if it holds a digit, 4 if it is the mark of a question."""
    import numpy as np

    times = set(cues()["answers"]["time"])
    return np.array(
        [
            (piece in times) + 2 * (not piece.isalpha() and any(map(str.isdigit, piece))) + 4 * (piece == "?")
            for piece in map(embedder.spelled, range(embedder.vocabulary))
        ],
        dtype=np.uint8,
    )


@cache
def _asks() -> dict[str, re.Pattern[str]]:
    return {name: compiled("|".join(patterns), re.IGNORECASE) for name, patterns in cues()["asks"].items()}


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def tells(text: str) -> frozenset[str]:
    """What of TELLING a passage holds."""
    return frozenset(name for name, pattern in _tells().items() if pattern.search(text))


@lru_cache(maxsize=4_096)
def stands(text: str) -> bool:
    """Whether a passage is worded as what holds for good or for every time: "always", "only", 一律."""
    return _stands().search(text) is not None


@cache
def _tells() -> dict[str, re.Pattern[str]]:
    return {name: compiled("|".join(patterns), re.IGNORECASE) for name, patterns in cues()["tells"].items()}


@cache
def _stands() -> re.Pattern[str]:
    return compiled("|".join(cues()["orders"]["stands"]), re.IGNORECASE)


def asks_for_history(text: str) -> bool:
    """Whether the question is about what was so before, so that what is outdated answers it."""
    return _history().search(text[:MAX_CHARS]) is not None


@cache
def _history() -> re.Pattern[str]:
    return compiled("|".join(cues()["history"]["asked"]), re.IGNORECASE)


@cache
def _joining() -> re.Pattern[str]:
    return compiled("|".join(cues()["names"]["joining"]), re.IGNORECASE)


@cache
def cues() -> dict[str, dict[str, list[str]]]:
    """The tables of `cues.toml`."""
    return toml_table("cfpm.recall", "cues")
