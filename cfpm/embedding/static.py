"""The static embedder: a text is the weighted mean of one vector per word piece. No model runs, and no order counts.

The table is made by `python -m benchmarks embedder` from the weights of all-MiniLM-L6-v2; see `data/NOTICE`.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib import resources
from itertools import chain
from typing import TYPE_CHECKING

from cfpm.embedding.wordpiece import WordPieces
from cfpm.errors import CFPMError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

MAX_CHARS = 2_000
"""Characters of a text that are embedded: the mean of more words says less, and the cost of a turn stays bounded."""


class StaticEmbedder:
    """A table of word pieces, loaded on first use; numpy is imported then and not before."""

    def __init__(self, name: str, table: NDArray[np.float32], vocabulary: Sequence[str]) -> None:
        """`table` has a row for each piece of the vocabulary, already multiplied by the weight of the piece."""
        if len(table) != len(vocabulary):
            raise ValueError(f"{len(table)} rows for {len(vocabulary)} pieces")
        self._name = name
        self._table = table
        self._vocabulary = vocabulary
        self._pieces = WordPieces(vocabulary)
        self._question = self._pieces.number("?")
        self._lengths: NDArray[np.float32] | None = None

    @property
    def name(self) -> str:
        """Name and version of the table."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Columns of the table."""
        return int(self._table.shape[1])

    @property
    def vocabulary(self) -> int:
        """Rows of the table."""
        return len(self._vocabulary)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text; zeros for a text without a known word."""
        return self._rows([self._pieces.of(text[:MAX_CHARS]) for text in texts])

    def _rows(self, pieces: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        import numpy as np

        rows = np.zeros((len(pieces), self.dimensions), dtype=np.float32)
        filled = [place for place, found in enumerate(pieces) if found]
        if not filled:
            return rows
        starts = np.cumsum([0, *(len(pieces[place]) for place in filled[:-1])])
        # One sum for all texts; each adds its rows in order, so a text has the same vector alone and among others.
        sums = np.add.reduceat(self._table[list(chain.from_iterable(pieces))], starts, axis=0)
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
            if self._question is not None and text.rstrip().endswith(("?", "？")):
                pieces.add(self._question)
            found.append((vector.tobytes(), np.array(sorted(pieces), dtype="<u2").tobytes()))
        return found

    def pieces(self, text: str) -> list[int]:
        """The different pieces of the text, in order."""
        return list(dict.fromkeys(self._pieces.of(text[:MAX_CHARS])))

    def closeness(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> NDArray[np.float32]:
        """Cosines of the rows of the table."""
        import numpy as np

        if self._lengths is None:
            self._lengths = np.maximum(np.sqrt((self._table * self._table).sum(axis=1)), np.float32(1e-6))
        asked = self._table[list(wanted)] / self._lengths[list(wanted)][:, None]
        # The long way round first: measured, twice as fast as the few rows times the many.
        cosines: NDArray[np.float32] = np.take(self._table, pieces, axis=0) @ asked.T
        cosines /= self._lengths[pieces][:, None]
        return cosines.T

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
    table = values.astype(np.float32)
    table *= scales[:, None]
    return StaticEmbedder(about["name"], table, pieces)


def _checked(data: bytes, about: dict[str, str]) -> bytes:
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise CFPMError(f"cfpm/embedding/data/{about['file']} is not the released file. Install cfpm again")
    return data
