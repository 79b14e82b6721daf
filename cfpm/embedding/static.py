"""The static embedders: a text is the mean of one vector per word piece. No model runs, and no order counts.

Chinese words stand for the pieces of their glosses, so that texts of both languages lie in one space.

Both tables are made by `python -m benchmarks embedder` with all-MiniLM-L6-v2, see `data/NOTICE`. That of words has what
the model says of each piece alone; that of sentences was fitted so that the mean of a sentence's rows is near to what
the model says of the sentence.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from cfpm.embedding.glosses import glossed
from cfpm.embedding.wordpiece import WordPieces
from cfpm.errors import CFPMError
from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding.directions import Directions

    Floats = NDArray[np.float32]

MAX_CHARS = 2_000
"""Characters of a text that are embedded: the mean of more words says less, and the cost of a turn stays bounded."""

_BITS = 16
"""Of the number of a piece, as it is stored."""


class StaticEmbedder:
    """A table of word pieces, loaded on first use; numpy is imported then and not before."""

    def __init__(
        self,
        name: str,
        values: NDArray[np.int8],
        scales: Floats,
        vocabulary: Sequence[str],
        directions: Callable[[], Directions] | None = None,
        pieces: WordPieces | None = None,
    ) -> None:
        """`values` has a row for each piece of the vocabulary; times its scale it is the vector of the piece, already
        multiplied by the piece's weight. By `directions` single pieces are compared, without them by their rows.
        `pieces` cuts texts, where there is a cutter of this vocabulary already.
        """
        if not len(values) == len(scales) == len(vocabulary):
            raise ValueError(f"{len(values)} rows and {len(scales)} scales for {len(vocabulary)} pieces")
        if len(vocabulary) > 1 << _BITS:
            raise ValueError(f"{len(vocabulary)} pieces, at most {1 << _BITS}")
        self._name = name
        self._values = values
        self._scales = scales
        self._vocabulary = vocabulary
        self._pieces = pieces or WordPieces(vocabulary)
        self._question = self._pieces.number("?")
        self._directions = directions or cache(lambda: _by_rows(values))

    @property
    def name(self) -> str:
        """Name and version of the table."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Columns of the table."""
        return int(self._values.shape[1])

    @property
    def vocabulary(self) -> int:
        """Rows of the table."""
        return len(self._vocabulary)

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of length 1 for each text; zeros for a text without a known word."""
        return self.of_pieces([self.cut(text) for text in texts])

    def packed(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Vectors as bytes, and different pieces; the piece `?` stands in those of a text that ends with it."""
        cut = [self.cut(text) for text in texts]
        vectors = as_bytes(self.of_pieces(cut))
        return [
            (vector, self._different(text, pieces)) for vector, text, pieces in zip(vectors, texts, cut, strict=True)
        ]

    def cut(self, text: str) -> list[int]:
        """The pieces whose mean the vector is."""
        return self._pieces.of(glossed(text[:MAX_CHARS]))

    def of_pieces(self, cut: Sequence[Sequence[int]]) -> Floats:
        """As `embed`, of texts that are word pieces already."""
        import numpy as np

        rows = np.zeros((len(cut), self.dimensions), dtype=np.float32)
        for row, pieces in zip(rows, cut, strict=True):
            places = np.array(pieces, dtype=np.intp)
            # Only what is needed: the whole table as floats takes four times its memory, and out of the cache.
            vectors = self._values.take(places, axis=0).astype(np.float32)
            vectors *= self._scales.take(places)[:, None]
            vectors.sum(axis=0, out=row)
        lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        rows /= np.maximum(lengths, np.float32(1e-12))
        return rows

    def _different(self, text: str, pieces: Sequence[int]) -> bytes:
        """The different pieces as 16-bit numbers, in order."""
        import numpy as np

        found = set(pieces)
        if self._question is not None and text.rstrip().endswith(("?", "？")):
            found.add(self._question)
        return np.array(sorted(found), dtype="<u2").tobytes()

    def in_order(self, text: str) -> list[int]:
        """All pieces of the text in order, punctuation among them."""
        return self._pieces.with_signs(glossed(text[:MAX_CHARS]))

    def pieces(self, text: str) -> list[int]:
        """The different pieces of the text, in order."""
        return list(dict.fromkeys(self.cut(text)))

    def closeness(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> Floats:
        """Cosines of word pieces, by all columns that are known of them."""
        return self._directions().cosines(wanted, pieces)

    def spelled(self, piece: int) -> str:
        """As it stands in the vocabulary."""
        return self._vocabulary[piece]


@cache
def static_embedder() -> StaticEmbedder:
    """The one of a memory, by the table of words. Raises CFPMError if its files are not those that were released."""
    return _embedder("words")


@cache
def sentence_embedder() -> StaticEmbedder:
    """The one by the table of sentences: it tells what answers a question, and no vector of it is stored. Alone it has
    an answer of `benchmarks stories` among the nearest ten sentences for 61 questions in 100, that of words for 37."""
    return _embedder("sentences")


def _embedder(table: str) -> StaticEmbedder:
    about, pieces = _about(), _vocabulary()
    scales, values = _rows(table)
    return StaticEmbedder(about[table]["name"], values, scales, pieces, _directions, _word_pieces())


def _about() -> dict[str, dict[str, str]]:
    return toml_table("cfpm.embedding", "data/static")


@cache
def _vocabulary() -> list[str]:
    return _checked(_about()["vocabulary"]).decode("utf-8").splitlines()


@cache
def _word_pieces() -> WordPieces:
    return WordPieces(_vocabulary())


def _rows(table: str) -> tuple[Floats, NDArray[np.int8]]:
    """A scale for each row, and the rows."""
    import numpy as np

    packed, count = _checked(_about()[table]), len(_vocabulary())
    scales = np.frombuffer(packed, dtype="<f4", count=count)
    return scales, np.frombuffer(packed, dtype=np.int8, offset=scales.nbytes).reshape(count, -1)


def piece_rows() -> Floats:
    """All columns that are known of each single piece, times its weight."""
    import numpy as np

    scales, first = _rows("words")
    return np.hstack((first, _finer())).astype(np.float32) * scales[:, None]


def piece_directions(pieces: NDArray[np.intp]) -> Floats:
    """The same columns of some pieces, as rows of length 1."""
    import numpy as np

    first, finer = _columns()
    rows: Floats = np.hstack((first.take(pieces, axis=0), finer.take(pieces, axis=0))).astype(np.float32)
    rows /= np.maximum(np.sqrt(np.square(rows).sum(axis=1, keepdims=True)), np.float32(1))
    return rows


@cache
def _columns() -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    return _rows("words")[1], _finer()


def _by_rows(values: NDArray[np.int8]) -> Directions:
    from cfpm.embedding.directions import Directions

    return Directions(values)


def _finer() -> NDArray[np.int8]:
    import numpy as np

    return np.frombuffer(_checked(_about()["finer"]), dtype=np.int8).reshape(len(_vocabulary()), -1)


@cache
def _directions() -> Directions:
    from cfpm.embedding.directions import Directions

    # The scale of a row does not change its direction.
    return Directions(*_columns())


def as_bytes(rows: Floats) -> list[bytes]:
    """Each row at one signed byte a dimension, of which the greatest is 127."""
    import numpy as np

    peaks = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12)
    return [row.tobytes() for row in np.rint(rows * (127 / peaks)).astype(np.int8)]


def _data(name: str) -> bytes:
    return resources.files("cfpm.embedding").joinpath("data", name).read_bytes()


def _checked(about: dict[str, str]) -> bytes:
    data = _data(about["file"])
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise CFPMError(f"cfpm/embedding/data/{about['file']} is not the released file. Install cfpm again")
    return data
