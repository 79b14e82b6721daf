"""Encoders of one text whose lowest layers are those of the encoder of pairs: of queries, of what answers them, of
rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding.encoder import Encoder

    Floats = NDArray[np.float32]

SHARED = 1
"""Layers of the encoder of pairs below the own ones."""

MAX_CHARS = 300
"""Characters of a sentence, a query or a rule that are read, and of the end of what stands before it."""

MAX_PIECES = 60
"""Word pieces of a sentence, a query or a rule that are read."""


class Reader(NamedTuple):
    """What reads word pieces, and what makes a vector of the mean of their rows."""

    encoder: Encoder
    columns: Floats
    bias: Floats

    def vectors(self, pieces: Sequence[Sequence[int]]) -> list[Floats]:
        """Of texts, given as word pieces: of length 1, or 0 without a piece. Read together, they take three fifths of
        the time."""
        import numpy as np

        rows = self.encoder.read_marked([(own, [0] * len(own)) for own in pieces if own])
        nothing = np.zeros(self.columns.shape[1], dtype=np.float32)
        return [of_length_1(self.vector(next(rows))) if own else nothing for own in pieces]

    def vector(self, rows: Floats) -> Floats:
        """The vector of word pieces whose rows these are."""
        found: Floats = rows.mean(axis=0) @ self.columns + self.bias
        return found


def reader_of(weights: Mapping[str, NDArray[np.generic]], below: Encoder, shared: int) -> Reader:
    """The reader with these upper layers over the first `shared` layers of another encoder."""
    return Reader(below.topped(shared, weights), weights["map"].astype("f4"), weights["map.bias"].astype("f4"))


def of_length_1(vector: Floats) -> Floats:
    """The vector as long as 1; 0 stays 0."""
    import numpy as np

    found: Floats = vector / np.float32(max(float(np.sqrt(vector @ vector)), 1e-9))
    return found


def pieces_of(text: str) -> list[int]:
    """The word pieces of a text that are read."""
    from cfpm.embedding import static_embedder

    return static_embedder().in_order(text[:MAX_CHARS])[:MAX_PIECES]


def end_of(text: str, most: int) -> list[int]:
    """The last word pieces of what stands before a text."""
    from cfpm.embedding import static_embedder

    return static_embedder().in_order(text[-MAX_CHARS:])[-most:] if text else []
