"""Sentences as vectors, each read in its surroundings.

A sentence such as "No, the second one." says what it says only behind the message that it answers. What was said is
read once, by an encoder that has learnt together with that of queries (`asking`) from questions and their answers
(`python -m benchmarks train asking`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.text.heads.relation import encoder, stored
from cfpm.text.heads.wide import SHARED, Reader, end_of, pieces_of, reader_of
from cfpm.text.sentences import Kind, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

NAME = "sentences-in-context/3"
"""Of the space of these vectors, with its version."""

WIDTH = 128
"""Columns of a vector."""

MAX_TEXT = 8_000
"""Characters of a message that are cut into sentences."""

MOST_SENTENCES = 16
"""Sentences of a message that are read; of longer ones the first."""

BEFORE = 30
"""Word pieces of what a message answers that are read with it, where its first sentence says little by itself, and of
what was said before the last message of a chat."""

LITTLE = 12
"""Word pieces of a sentence that says little by itself."""

GOING_ON = 12
"""Word pieces before a further window of a message that are read with it."""

_WINDOW = 91
"""Word pieces that the encoder reads at once, beside its own marks."""

_NOT_READ = (Kind.CODE, Kind.TABLE)


class Window(NamedTuple):
    """Word pieces that are read at once: what stands before, some sentences in a row, and where each of these stands
    in the row, by its number in the message."""

    before: Sequence[int]
    row: Sequence[int]
    places: Sequence[tuple[int, int, int]]


# The sentences of a message are asked for when it is stored, and at each recall that finds it.
@lru_cache(maxsize=256)
def spans(text: str) -> Sequence[tuple[int, int]]:
    """Where the sentences of a message stand that have a vector, in the order of their vectors."""
    every = (one for one in sentences(text[:MAX_TEXT]) if one.kind not in _NOT_READ)
    return [(one.start, one.end) for one, _ in zip(every, range(MOST_SENTENCES), strict=False)]


def windows(before: str, text: str) -> list[Window]:
    """The sentences of a message in windows; `before` is the message that it answers."""
    ahead: list[int] = []
    found: list[Window] = []
    row: list[int] = []
    places: list[tuple[int, int, int]] = []
    for number, (start, end) in enumerate(spans(text)):
        pieces = pieces_of(text[start:end])
        if not pieces:
            continue
        if number == 0 and before and len(pieces) < LITTLE:
            ahead = end_of(before, BEFORE)
        if row and len(ahead) + len(row) + len(pieces) > _WINDOW:
            found.append(Window(ahead, row, places))
            ahead, row, places = row[-GOING_ON:], [], []
        places.append((number, len(row), len(row) + len(pieces)))
        row = [*row, *pieces]
    return [*found, Window(ahead, row, places)] if row else found


# Agents say the same again and again, and hosts hand over a session twice.
@lru_cache(maxsize=256)
def sentence_vectors(before: str, text: str) -> bytes:
    """For each of `spans(text)` a vector of `WIDTH` signed bytes, one behind the other; zeros for one without a word.

    Takes about half a millisecond a word piece.
    """
    import numpy as np

    reader = _wide()
    read = windows(before, text)
    rows = np.zeros((len(spans(text)), WIDTH), dtype=np.float32)
    told = reader.encoder.read([(one.before, one.row) for one in read])
    for window, own in zip(read, told, strict=True):
        first = len(window.before) + 2
        for number, begin, end in window.places:
            rows[number] = reader.vector(own[first + begin : first + end])
    size = np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.float32(1e-9))
    # Rounded first, since the last bits differ by processor.
    steps: NDArray[np.int8] = np.rint((rows / size).round(4) * 127).astype(np.int8)
    return steps.tobytes()


@cache
def _wide() -> Reader:
    return reader_of(stored("answers"), encoder(), SHARED)
