"""What the memory asks of an embedder. Knows none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors. Two embedders of one `name` give the same vector for the same text, bit for bit."""

    @property
    def name(self) -> str:
        """Model and version, such as `static-minilm/1`: stored with every vector, and never mixed with another."""
        ...

    def __hash__(self) -> int: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def vocabulary(self) -> int:
        """How many word pieces it knows."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text; a row of zeros for a text without a word."""
        ...

    def packed(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """For each text its vector, one signed byte a dimension, and its different word pieces, two bytes each."""
        ...

    def pieces(self, text: str) -> list[int]:
        """The different word pieces of a text, in the order in which they come first."""
        ...

    def closeness(self, wanted: Sequence[int], pieces: NDArray[np.integer]) -> NDArray[np.float32]:
        """How close each of the pieces is in meaning to each wanted one: cosines, a row for each wanted piece.

        Cosines below `directions.FAR` may be rough.
        """
        ...

    def spelled(self, piece: int) -> str:
        """The letters of a piece."""
        ...
