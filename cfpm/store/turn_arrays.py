"""The messages of a namespace as arrays that grow: where they stand, who spoke, their vectors. Reads no table."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cfpm.model import Role
from cfpm.store.growing import Growing, Pieces, coded, numbers, seconds, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.store.growing import Floats, Numbers
    from cfpm.store.statements import Row

ROLES = tuple(Role)

_NUMBER = {role.value: number for number, role in enumerate(ROLES)}
_VOCABULARY = 1 << 16


class Turns:
    """The messages of a namespace in the order in which they were stored.

    `before` and `after` are the rows of the neighbours in the same session, -1 at its ends. `at` is in seconds, NaN
    without a time. `vectors` have length 1, or 0 where there is none. `sizes` are words as the full-text index counts
    them. The arrays are those of this moment; `extend` makes new ones.
    """

    def __init__(self, width: int) -> None:
        """Without messages; `width` is the length of a vector."""
        import numpy as np

        self._width = width
        self._columns = {name: Growing("i8") for name in ("seq", "session", "place", "role", "speaker", "sizes")}
        self._columns |= {"at": Growing("f8"), "vectors": Growing("f4", width)}
        self._columns |= {"before": Growing("i8"), "after": Growing("i8")}
        self._last = numbers(())
        self._sessions: dict[str, int] = {}
        self._speakers: dict[str, int] = {}
        self.pieces = Pieces()
        self.frequency: Numbers = np.zeros(_VOCABULARY, dtype=np.int64)
        """For each word piece the messages that have it."""
        self.speakers: list[str] = []
        self.named = 0
        """Messages of a speaker with a name."""
        self.newest: datetime | None = None
        self._expose()

    def __len__(self) -> int:
        return len(self.seq)

    def _expose(self) -> None:
        of = self._columns
        self.seq: Numbers = of["seq"].rows
        self.session: Numbers = of["session"].rows
        self.place: Numbers = of["place"].rows
        """Turn and position in the session, as one number."""
        self.before: Numbers = of["before"].rows
        self.after: Numbers = of["after"].rows
        self.role: Numbers = of["role"].rows
        self.speaker: Numbers = of["speaker"].rows
        self.sizes: Numbers = of["sizes"].rows
        self.at: NDArray[np.float64] = of["at"].rows
        self.vectors: Floats = of["vectors"].rows

    @property
    def sessions(self) -> int:
        """How many there are."""
        return len(self._sessions)

    def rows_of(self, seqs: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """The row of each `seq`, and whether it is here; a row that is not means nothing."""
        return rows_of(self.seq, seqs)

    def extend(self, rows: Sequence[Row]) -> None:
        """Adds rows of seq, session, turn, position, role, name, created_at, size, vector, pieces, by seq."""
        import numpy as np

        first = len(self)
        seq, session, turn, position, role, name, created_at, size, vector, pieces = zip(*rows, strict=True)
        new: dict[str, NDArray[np.generic]] = {
            "seq": numbers(seq),
            "session": coded(session, self._sessions),
            "place": (numbers(turn) << 32) + numbers(position),
            "role": numbers([_NUMBER[one] for one in role]),
            "speaker": coded(name, self._speakers),
            "sizes": sizes(size),
            "at": seconds(created_at),
            "vectors": unpacked(vector, self._width),
            "before": np.full(len(rows), -1),
            "after": np.full(len(rows), -1),
        }
        for column, values in new.items():
            self._columns[column].extend(values)
        self.frequency += np.bincount(self.pieces.extend(pieces), minlength=_VOCABULARY)
        self.speakers = list(self._speakers)
        self.named += len(name) - name.count("")
        self._expose()
        self._link(first)
        self.newest = _later(self.newest, self.at[first:])

    def _link(self, first: int) -> None:
        """Neighbours of the rows from `first`; those of all rows when one came late into the middle of its session."""
        import numpy as np

        self._last = np.concatenate((self._last, np.full(self.sessions - len(self._last), -1)))
        rows = first + np.lexsort((self.place[first:], self.session[first:]))
        session = self.session[rows]
        same = session[1:] == session[:-1]
        begins = rows[np.concatenate(([True], ~same))]
        known = self._last[self.session[begins]]
        begins, known = begins[known >= 0], known[known >= 0]
        if first and (self.place[begins] <= self.place[known]).any():
            self.before[:], self.after[:], self._last[:] = -1, -1, -1
            self._link(0)
            return
        self.before[begins], self.after[known] = known, begins
        self.before[rows[1:][same]] = rows[:-1][same]
        self.after[rows[:-1][same]] = rows[1:][same]
        ends = rows[np.concatenate((~same, [True]))]
        self._last[self.session[ends]] = ends


def rows_of(known: Numbers, seqs: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """The place of each `seq` among the known ones, which ascend, and whether it is there."""
    import numpy as np

    if not len(known):
        return np.zeros(len(seqs), dtype=np.int64), np.zeros(len(seqs), dtype=np.bool_)
    if known[-1] - known[0] + 1 == len(known):
        # Of one namespace without a gap: no search.
        rows = seqs - known[0]
        here = (rows >= 0) & (rows < len(known))
        return np.where(here, rows, 0), here
    rows = np.searchsorted(known, seqs).clip(max=len(known) - 1)
    return rows, known[rows] == seqs


def sizes(blobs: Sequence[bytes | None]) -> Numbers:
    """Sizes of rows as the full-text index stores them for one column: a number in groups of seven bits."""
    found = {blob: _size(blob) for blob in set(blobs)}
    return numbers([found[blob] for blob in blobs])


def _size(blob: bytes | None) -> int:
    size = 0
    for byte in blob or b"":
        size = (size << 7) | (byte & 0x7F)
    return size


def _later(newest: datetime | None, at: NDArray[np.float64]) -> datetime | None:
    import numpy as np

    dated = at[~np.isnan(at)]
    if not len(dated):
        return newest
    last = datetime.fromtimestamp(float(dated.max()), UTC)
    return last if newest is None else max(newest, last)
