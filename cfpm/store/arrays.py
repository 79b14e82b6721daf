"""Arrays that grow at their end without copying what they hold, and columns of rows as arrays. Knows no table."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

SPARE = 64
"""Rows for which a new array has room."""

_WHOLE = 2**31

_DAY_AND_TIME = 26
"""Characters of a stored time without its zone, which is always UTC."""


class GrowingArray:
    """An array of rows with room behind them, doubled when it is full."""

    def __init__(self, kind: str, width: int | None = None) -> None:
        """`kind` is a numpy type; with a width, each row has so many columns."""
        import numpy as np

        self._held: NDArray[Any] = np.empty(SPARE if width is None else (SPARE, width), dtype=kind)
        self._size = 0

    def extend(self, rows: NDArray[Any]) -> None:
        """Adds rows at the end."""
        import numpy as np

        size = self._size + len(rows)
        if size > len(self._held):
            room = np.empty((max(size, 2 * len(self._held)), *self._held.shape[1:]), dtype=self._held.dtype)
            room[: self._size] = self._held[: self._size]
            self._held = room
        self._held[self._size : size] = rows
        self._size = size

    @property
    def rows(self) -> NDArray[Any]:
        """The rows, not copied: as they are until the next `extend`."""
        return self._held[: self._size]


class Pieces:
    """The word pieces of all rows in one array; those of row n begin at `starts[n]` and end where the next begin."""

    def __init__(self) -> None:
        self._flat = GrowingArray("<u2")
        self._starts = GrowingArray("i8")
        self._starts.extend(numbers((0,)))

    @property
    def flat(self) -> NDArray[np.uint16]:
        return self._flat.rows

    @property
    def starts(self) -> Numbers:
        return self._starts.rows

    def extend(self, blobs: Sequence[bytes | None]) -> NDArray[np.uint16]:
        """Adds rows, and returns their pieces."""
        import numpy as np

        sound = [blob if isinstance(blob, bytes) and len(blob) % 2 == 0 else b"" for blob in blobs]
        new = np.frombuffer(b"".join(sound), dtype="<u2")
        sizes = numbers(len(blob) // 2 for blob in sound)
        self._starts.extend(self.starts[-1] + np.cumsum(sizes))
        self._flat.extend(new)
        return new

    def sizes(self, rows: Numbers) -> Numbers:
        """How many pieces some rows have."""
        return self.starts[rows + 1] - self.starts[rows]

    def of(self, rows: Numbers) -> tuple[NDArray[np.uint16], Numbers]:
        """The pieces of some rows, and where those of each begin."""
        import numpy as np

        begins, sizes = self.starts[rows], self.sizes(rows)
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(sizes, out=starts[1:])
        places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], sizes)
        return self.flat.take(places), starts


def numbers(values: Iterable[int]) -> Numbers:
    """Whole numbers as an array."""
    import numpy as np

    return np.fromiter(values, dtype=np.int64)


def whole(value: object) -> int:
    """A stored whole number of at most 31 bits, 0 for anything else."""
    return value if isinstance(value, int) and -_WHOLE <= value < _WHOLE else 0


def coded(values: Iterable[str], names: dict[str, int]) -> Numbers:
    """The number of each value in `names`, to which new ones are added."""
    return numbers([names.setdefault(value, len(names)) for value in values])


def seconds(texts: Iterable[str | None]) -> NDArray[np.float64]:
    """Stored times in seconds, NaN where there is none."""
    import numpy as np

    wanted = [text[:_DAY_AND_TIME] if text and isinstance(text, str) else "NaT" for text in texts]
    try:
        times = np.array(wanted, dtype="datetime64[us]")
    except ValueError:
        times = np.array([text if is_sound_time(text) else "NaT" for text in wanted], dtype="datetime64[us]")
    found: NDArray[np.float64] = times.astype(np.int64) / 1e6
    found[np.isnat(times)] = np.nan
    return found


def is_sound_time(text: str) -> bool:
    """Whether the text is a time at all."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def unpacked(blobs: Sequence[bytes | None], width: int) -> Floats:
    """Vectors of signed bytes as rows of length 1; zeros where there is none of this width."""
    import numpy as np

    nothing = bytes(width)
    whole = [blob if isinstance(blob, bytes) and len(blob) == width else nothing for blob in blobs]
    rows = np.frombuffer(b"".join(whole), dtype=np.int8).astype(np.float32)
    rows = rows.reshape(-1, width)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows /= np.maximum(lengths, 1)[:, None]
    return rows
