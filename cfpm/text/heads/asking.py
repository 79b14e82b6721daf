"""The vector of a query, near to those of the sentences that answer it and of the rules that concern what it orders.

Sentences are read by a narrow encoder, since there are many (`answering`). A query is one, and is read by a wide one,
too: its lowest layer is that of the encoder of pairs, the upper three have learnt which of the narrow one's vectors a
query should be near to (`python -m benchmarks train asking`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.text.heads.answering import MAX_CHARS, MAX_PIECES, query_vector
from cfpm.text.heads.relation import encoder, stored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding.encoder import Encoder

    Floats = NDArray[np.float32]

SHARED = 1
"""Layers of the encoder of pairs below the own ones; the two above it are what that encoder had there before."""


def asking_vector(text: str, before: str = "") -> Floats:
    """Of length 1, or 0 without a word; of a chat `text` is the last message. Takes about half a millisecond a word
    piece."""
    return of_length_1(query_vector(text, before) + wide_vector(text))


class Reader(NamedTuple):
    """What reads word pieces, and what makes a vector of the mean of their rows."""

    encoder: Encoder
    columns: Floats
    bias: Floats

    def vectors(self, texts: Sequence[str]) -> list[Floats]:
        """Of length 1, or 0 without a word. Read together, texts take three fifths of the time."""
        import numpy as np

        pieces = [pieces_of(text) for text in texts]
        rows = self.encoder.read_marked([(own, [0] * len(own)) for own in pieces if own])
        nothing = np.zeros(self.columns.shape[1], dtype=np.float32)
        return [of_length_1(next(rows).mean(axis=0) @ self.columns + self.bias) if own else nothing for own in pieces]


# What is ordered is compared with sentences, and with rules.
@lru_cache(maxsize=64)
def wide_vector(text: str) -> Floats:
    """The same by the wide encoder alone."""
    return _reader().vectors([text])[0]


def of_length_1(vector: Floats) -> Floats:
    """The vector as long as 1; 0 stays 0."""
    import numpy as np

    found: Floats = vector / np.float32(max(float(np.sqrt(vector @ vector)), 1e-9))
    return found


def pieces_of(text: str) -> list[int]:
    """The word pieces of a query or a rule that are read."""
    from cfpm.embedding import static_embedder

    return static_embedder().in_order(text[:MAX_CHARS])[:MAX_PIECES]


def reader_of(weights: Mapping[str, NDArray[np.generic]], below: Encoder, shared: int) -> Reader:
    """The reader with these upper layers over the first `shared` layers of another encoder."""
    return Reader(below.topped(shared, weights), weights["map"].astype("f4"), weights["map.bias"].astype("f4"))


@cache
def _reader() -> Reader:
    return reader_of(stored("asking"), encoder(), SHARED)
