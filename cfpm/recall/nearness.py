"""How near a passage is to a query, by the vector of its sentence that was made with its surroundings when its message
was stored."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cfpm.embedding.products import products
from cfpm.recall.question import last_message
from cfpm.recall.running import folded
from cfpm.text.heads.answering import WIDTH, spans
from cfpm.text.heads.asking import asking_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.recall.candidates import Values
    from cfpm.store.sentence_vectors import ReadMessage

_KEPT = 64
"""Queries whose vectors are kept: one is asked for with the messages found and with what stands."""


_TELLING = 6
"""Characters from which a part of a text tells which sentence it is of."""


class Nearness(NamedTuple):
    """For each passage its cosine, whether its sentence has none, and the vector of the sentence that is nearest."""

    cosines: Values
    unread: Values
    vectors: Values


def nearness(
    texts: Sequence[str], read: Sequence[ReadMessage | None], spoken: Sequence[bool], query: str
) -> Nearness | None:
    """Of passages, each with what was read of its message, and whether somebody speaks in it; None where most of these
    were not read, as after an import."""
    if not any(read) or 2 * sum(map(bool, read)) < sum(spoken):
        return None
    sound = {id(message): message.vectors for message in read if message and _is_sound(message)}
    firsts = dict(zip(sound, accumulate(map(len, sound.values()), initial=0), strict=False))
    vectors = _of_length_1(b"".join(sound.values()))
    every = products(vectors, asked_vector(query)).tolist()
    cosines, unread = np.zeros((2, len(texts)), dtype=np.float32)
    nearest = np.zeros((len(texts), WIDTH), dtype=np.float32)
    for place, (text, message) in enumerate(zip(texts, read, strict=True)):
        rows = _rows_of(message.text, text) if message and id(message) in sound else ()
        if rows:
            first = firsts[id(message)] // WIDTH
            best = max((first + row for row in rows), key=every.__getitem__)
            cosines[place], nearest[place] = every[best], vectors[best]
        else:
            unread[place] = 1
    return Nearness(cosines, unread, nearest)


@lru_cache(maxsize=_KEPT)
def asked_vector(query: str) -> Values:
    """The vector of a query, which is compared with those of sentences."""
    before, last = last_message(query)
    return asking_vector(last, before)


def _is_sound(message: ReadMessage) -> bool:
    """Whether there is a vector for each sentence; a torn row, or another way to cut sentences, has none to compare."""
    text, packed = message
    return isinstance(text, str) and isinstance(packed, bytes) and len(packed) == WIDTH * len(spans(text))


def _of_length_1(packed: bytes) -> Values:
    rows = np.frombuffer(packed, dtype=np.int8).astype(np.float32).reshape(-1, WIDTH)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    found: Values = rows / np.maximum(lengths, np.float32(1))[:, None]
    return found


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _rows_of(message: str, passage: str) -> tuple[int, ...]:
    """The numbers of the sentences of a message that a passage is, is a part of, or holds."""
    whole, every = folded(passage), _folded_sentences(message)
    same = tuple(number for number, one in enumerate(every) if one == whole)
    if same or len(whole) < _TELLING:
        return same
    return tuple(number for number, one in enumerate(every) if len(one) >= _TELLING and (whole in one or one in whole))


@lru_cache(maxsize=256)
def _folded_sentences(message: str) -> Sequence[str]:
    return [folded(message[start:end]) for start, end in spans(message)]
