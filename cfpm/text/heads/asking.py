"""The vector of a query, near to those of the sentences that answer it and of the rules that concern what it orders.

Sentences are read by a narrow encoder, since there are many (`answering`). A query is one, and is read by a wide one,
too: its lowest layer is that of the encoder of pairs, the upper three have learnt which of the narrow one's vectors a
query should be near to (`python -m benchmarks train asking`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.text.heads.answering import MAX_CHARS, MAX_PIECES, WIDTH, query_vector
from cfpm.text.heads.relation import encoder, stored

if TYPE_CHECKING:
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


# What is ordered is compared with sentences, and with rules.
@lru_cache(maxsize=64)
def wide_vector(text: str) -> Floats:
    """The same by the wide encoder alone."""
    import numpy as np

    ids = pieces_of(text)
    if not ids:
        return np.zeros(WIDTH, dtype=np.float32)
    reader, columns, bias = _reader()
    (rows,) = reader.read_marked([(ids, [0] * len(ids))])
    return of_length_1(rows.mean(axis=0) @ columns + bias)


def of_length_1(vector: Floats) -> Floats:
    """The vector as long as 1; 0 stays 0."""
    import numpy as np

    found: Floats = vector / np.float32(max(float(np.sqrt(vector @ vector)), 1e-9))
    return found


def pieces_of(text: str) -> list[int]:
    """The word pieces of a query that are read."""
    from cfpm.embedding import static_embedder

    return static_embedder().in_order(text[:MAX_CHARS])[:MAX_PIECES]


@cache
def _reader() -> tuple[Encoder, Floats, Floats]:
    """What reads word pieces, and what makes a vector of the mean of their rows."""
    weights = stored("asking")
    return encoder().topped(SHARED, weights), weights["map"].astype("f4"), weights["map.bias"].astype("f4")
