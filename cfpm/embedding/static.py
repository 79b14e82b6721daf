"""The static embedder: a text is the weighted mean of one vector per word piece. No model runs, and no order counts.

The table is made by `python -m benchmarks embedder` from the weights of all-MiniLM-L6-v2; see `data/NOTICE`.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib import resources
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING

from cfpm.embedding.wordpiece import WordPieces
from cfpm.errors import CFPMError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
        finer: Callable[[], NDArray[np.int8]] | None = None,
    ) -> None:
        """`values` has a row for each piece of the vocabulary; times its scale it is the vector of the piece, already
        multiplied by the piece's weight. `finer` reads further columns, by which single pieces are compared.
        """
        if not len(values) == len(scales) == len(vocabulary):
            raise ValueError(f"{len(values)} rows and {len(scales)} scales for {len(vocabulary)} pieces")
        if len(vocabulary) > 1 << _BITS:
            raise ValueError(f"{len(vocabulary)} pieces, at most {1 << _BITS}")
        self._name = name
        self._values = values
        self._scales = scales
        self._vocabulary = vocabulary
        self._pieces = WordPieces(vocabulary)
        self._question = self._pieces.number("?")
        self._finer = finer
        self._directions: Directions | None = None

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
        return self._rows(*self._cut(texts))

    def _cut(self, texts: Sequence[str]) -> tuple[NDArray[np.intp], list[int]]:
        """The pieces of all texts one after another, and how many each text has."""
        import numpy as np

        cut = [self._pieces.of(text[:MAX_CHARS]) for text in texts]
        return np.fromiter(chain.from_iterable(cut), np.intp), list(map(len, cut))

    def _of(self, pieces: NDArray[np.integer]) -> Floats:
        """The vectors of some pieces. The whole table as floats takes four times its memory, and out of the cache."""
        import numpy as np

        rows = self._values.take(pieces, axis=0).astype(np.float32)
        rows *= self._scales.take(pieces)[:, None]
        return rows

    def _rows(self, pieces: NDArray[np.intp], counts: Sequence[int]) -> Floats:
        import numpy as np

        rows = np.zeros((len(counts), self.dimensions), dtype=np.float32)
        vectors = self._of(pieces)
        # Row by row, so a text has the same vector alone and among others. `reduceat` takes twice as long.
        for row, end, count in zip(rows, accumulate(counts), counts, strict=True):
            vectors[end - count : end].sum(axis=0, out=row)
        lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        rows /= np.maximum(lengths, np.float32(1e-12))
        return rows

    def packed(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Vectors as bytes, and different pieces; the piece `?` stands in those of a text that ends with it."""
        import numpy as np

        pieces, counts = self._cut(texts)
        rows = self._rows(pieces, counts)
        peaks = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12)
        vectors = np.rint(rows * (127 / peaks)).astype(np.int8)
        packed, size = vectors.tobytes(), self.dimensions
        return [
            (packed[place * size : (place + 1) * size], different)
            for place, different in enumerate(self._different(texts, pieces, counts))
        ]

    def _different(self, texts: Sequence[str], pieces: NDArray[np.intp], counts: Sequence[int]) -> Iterator[bytes]:
        """For each text its different pieces as 16-bit numbers, in order. All at once: text by text takes twice as
        long."""
        import numpy as np

        places = np.arange(len(texts) + 1) << _BITS
        found = places[:-1].repeat(counts) | pieces
        if self._question is not None:
            asking = [place << _BITS | self._question for place, text in enumerate(texts) if _asks(text)]
            found = np.concatenate((found, np.array(asking, np.intp)))
        found.sort()
        found = np.concatenate((found[:1], found[1:][found[1:] != found[:-1]]))
        ends = (found.searchsorted(places) * 2).tolist()
        packed = found.astype("<u2").tobytes()
        return (packed[start:end] for start, end in pairwise(ends))

    def pieces(self, text: str) -> list[int]:
        """The different pieces of the text, in order."""
        return list(dict.fromkeys(self._pieces.of(text[:MAX_CHARS])))

    def closeness(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> Floats:
        """Cosines of word pieces, by all columns that are known of them."""
        if self._directions is None:
            from cfpm.embedding.directions import Directions

            # The scale of a row does not change its direction.
            self._directions = Directions(self._values, *([self._finer()] if self._finer else []))
        return self._directions.cosines(wanted, pieces)

    def spelled(self, piece: int) -> str:
        """As it stands in the vocabulary."""
        return self._vocabulary[piece]


@cache
def static_embedder() -> StaticEmbedder:
    """The one that ships with the package. Raises CFPMError if its files are not those that were released."""
    import numpy as np

    about = tomllib.loads(_data("static.toml").decode("utf-8"))
    pieces = _checked(about["vocabulary"]).decode("utf-8").splitlines()
    packed = _checked(about["table"])
    # A scale for each row, then the rows.
    scales = np.frombuffer(packed, dtype="<f4", count=len(pieces))
    values = np.frombuffer(packed, dtype=np.int8, offset=scales.nbytes).reshape(len(pieces), int(about["dimensions"]))

    def finer() -> NDArray[np.int8]:
        return np.frombuffer(_checked(about["finer"]), dtype=np.int8).reshape(len(pieces), -1)

    return StaticEmbedder(about["name"], values, scales, pieces, finer)


def _asks(text: str) -> bool:
    # Most texts end without white space, and then nothing is copied.
    return (text.rstrip() if text[-1:].isspace() else text).endswith(("?", "？"))


def _data(name: str) -> bytes:
    return resources.files("cfpm.embedding").joinpath("data", name).read_bytes()


def _checked(about: dict[str, str]) -> bytes:
    data = _data(about["file"])
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise CFPMError(f"cfpm/embedding/data/{about['file']} is not the released file. Install cfpm again")
    return data
