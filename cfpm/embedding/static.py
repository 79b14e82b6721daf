"""The static embedder: a text is the weighted mean of one vector per word piece. No model runs, and no order counts.

The table is made by `python -m benchmarks embedder` from the weights of all-MiniLM-L6-v2; see `data/NOTICE`.
"""

from __future__ import annotations

import hashlib
import struct
import tomllib
from functools import cache
from importlib import resources
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from cfpm.embedding.products import products
from cfpm.embedding.wordpiece import WordPieces
from cfpm.errors import CFPMError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAX_CHARS = 2_000
"""Characters of a text that are embedded: the mean of more words says less, and the cost of a turn stays bounded."""


_AT_ONCE = 1_024
"""Rows of the table that are compared at once: half a megabyte, which stays in the cache."""


class StaticEmbedder:
    """A table of word pieces, loaded on first use; numpy is imported then and not before."""

    def __init__(self, name: str, values: NDArray[np.int8], scales: Floats, vocabulary: Sequence[str]) -> None:
        """`values` has a row for each piece of the vocabulary; times its scale it is the vector of the piece, already

        multiplied by the piece's weight.
        """
        if not len(values) == len(scales) == len(vocabulary):
            raise ValueError(f"{len(values)} rows and {len(scales)} scales for {len(vocabulary)} pieces")
        self._name = name
        self._values = values
        self._scales = scales
        self._vocabulary = vocabulary
        self._pieces = WordPieces(vocabulary)
        self._question = self._pieces.number("?")
        self._lengths: Floats | None = None

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
        return self._rows([self._pieces.of(text[:MAX_CHARS]) for text in texts])

    def _of(self, pieces: NDArray[np.integer]) -> Floats:
        """The vectors of some pieces. The whole table as floats takes four times its memory, and out of the cache."""
        import numpy as np

        rows = self._values.take(pieces, axis=0).astype(np.float32)
        rows *= self._scales.take(pieces)[:, None]
        return rows

    def _rows(self, pieces: Sequence[Sequence[int]]) -> Floats:
        import numpy as np

        rows = np.zeros((len(pieces), self.dimensions), dtype=np.float32)
        filled = [place for place, found in enumerate(pieces) if found]
        if not filled:
            return rows
        starts = [0, *accumulate(len(pieces[place]) for place in filled[:-1])]
        # One sum for all texts; each adds its rows in order, so a text has the same vector alone and among others.
        sums = np.add.reduceat(self._of(np.fromiter(chain.from_iterable(pieces), np.intp)), starts, axis=0)
        lengths = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))
        rows[filled] = sums / np.maximum(lengths, np.float32(1e-12))
        return rows

    def packed(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Vectors as bytes, and different pieces; the piece `?` stands in those of a text that ends with it."""
        import numpy as np

        cut = [self._pieces.of(text[:MAX_CHARS]) for text in texts]
        rows = self._rows(cut)
        peaks = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-12)
        vectors = np.rint(rows * (127 / peaks)).astype(np.int8)
        found = []
        for text, vector, numbers in zip(texts, vectors, cut, strict=True):
            pieces = set(numbers)
            if self._question is not None and _asks(text):
                pieces.add(self._question)
            found.append((vector.tobytes(), struct.pack(f"<{len(pieces)}H", *sorted(pieces))))
        return found

    def pieces(self, text: str) -> list[int]:
        """The different pieces of the text, in order."""
        return list(dict.fromkeys(self._pieces.of(text[:MAX_CHARS])))

    def closeness(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> Floats:
        """Cosines of the rows of the table."""
        import numpy as np

        asked = self._of(np.array(wanted, dtype=np.intp))
        asked /= np.maximum(np.sqrt(np.square(asked).sum(axis=1, keepdims=True)), np.float32(1e-6))
        cosines = np.empty((len(pieces), len(wanted)), dtype=np.float32)
        # The long way round: measured, twice as fast as the few rows times the many. The scale of a row does not
        # change its direction.
        for start in range(0, len(pieces), _AT_ONCE):
            rows = self._values.take(pieces[start : start + _AT_ONCE], axis=0).astype(np.float32)
            cosines[start : start + _AT_ONCE] = products(rows, asked.T)
        cosines /= self._own_lengths().take(pieces)[:, None]
        return cosines.T

    def _own_lengths(self) -> Floats:
        """The length of every row of the table without its scale; 1 for a row of zeros."""
        import numpy as np

        if self._lengths is None:
            squares = np.einsum("ij,ij->i", self._values, self._values, dtype=np.int32)
            self._lengths = np.sqrt(np.maximum(squares, 1)).astype(np.float32)
        return self._lengths

    def spelled(self, piece: int) -> str:
        """As it stands in the vocabulary."""
        return self._vocabulary[piece]


@cache
def static_embedder() -> StaticEmbedder:
    """The one that ships with the package. Raises CFPMError if its files are not those that were released."""
    import numpy as np

    folder = resources.files("cfpm.embedding").joinpath("data")
    about = tomllib.loads(folder.joinpath("static.toml").read_text(encoding="utf-8"))
    vocabulary = _checked(folder.joinpath("vocabulary.txt").read_bytes(), about["vocabulary"])
    packed = _checked(folder.joinpath("static.bin").read_bytes(), about["table"])
    pieces = vocabulary.decode("utf-8").splitlines()
    rows, columns = len(pieces), int(about["dimensions"])
    # A scale for each row, then the rows.
    scales = np.frombuffer(packed, dtype="<f4", count=rows)
    values = np.frombuffer(packed, dtype=np.int8, offset=scales.nbytes).reshape(rows, columns)
    return StaticEmbedder(about["name"], values, scales, pieces)


def _asks(text: str) -> bool:
    # Most texts end without white space, and then nothing is copied.
    return (text.rstrip() if text[-1:].isspace() else text).endswith(("?", "？"))


def _checked(data: bytes, about: dict[str, str]) -> bytes:
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise CFPMError(f"cfpm/embedding/data/{about['file']} is not the released file. Install cfpm again")
    return data
