"""What a question says, read once: its words, word pieces and vector, whom and when it names, and what it asks for."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

from cfpm.store.search import content_words
from cfpm.text.dates import TimeKind, find_times

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding import Embedder

MAX_PIECES = 24
"""Word pieces of a question that are compared one by one; a longer one is a text, and its words and vector do."""

MAX_CHARS = 4_000
"""Characters of a question that are read."""


@dataclass(frozen=True, slots=True)
class Question:
    """`words` is the question without the names of speakers; `speakers` are the numbers of those it is about.

    `times` are the stretches of time that it names, in seconds. `asks` are names of `cues.toml`.
    """

    words: str
    speakers: tuple[int, ...]
    times: tuple[tuple[float, float], ...]
    asks: frozenset[str]
    pieces: tuple[int, ...] = ()
    vector: NDArray[np.float32] | None = None


def read_question(text: str, speakers: Sequence[str], embedder: Embedder | None, now: datetime | None) -> Question:
    """Reads it; `now` is what "last week" counts from."""
    text = text[:MAX_CHARS]
    named, words = _named(text, speakers)
    spans = [span for span in find_times(text, now) if span.kind is TimeKind.MOMENT]
    pieces: tuple[int, ...] = ()
    vector = None
    if embedder is not None:
        vector = embedder.embed([words])[0]
        pieces = tuple(embedder.pieces(" ".join(content_words(words))))[:MAX_PIECES]
    return Question(
        words=words if words.strip() else text,
        speakers=tuple(named),
        times=tuple((s.begins.timestamp(), s.ends.timestamp()) for s in spans if s.begins and s.ends),
        asks=frozenset(name for name, pattern in _asks().items() if pattern.search(text)),
        pieces=pieces,
        vector=vector,
    )


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
    return {name: re.compile("|".join(patterns), re.IGNORECASE) for name, patterns in cues()["asks"].items()}


def asks_for_history(text: str) -> bool:
    """Whether the question is about what was so before, so that what is outdated answers it."""
    return _history().search(text[:MAX_CHARS]) is not None


@cache
def _history() -> re.Pattern[str]:
    return re.compile("|".join(cues()["history"]["asked"]), re.IGNORECASE)


@cache
def _joining() -> re.Pattern[str]:
    return re.compile("|".join(cues()["names"]["joining"]), re.IGNORECASE)


@cache
def cues() -> dict[str, dict[str, list[str]]]:
    """The tables of `cues.toml`."""
    return tomllib.loads(resources.files("cfpm.recall").joinpath("cues.toml").read_text(encoding="utf-8"))
