"""The messages and the facts of a namespace as arrays that grow: where they stand, who spoke, their vectors. Reads no
table."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cfpm.model import Category, Role, Status
from cfpm.model.clock import FIRST_KEPT, LAST_KEPT
from cfpm.store.arrays import GrowingArray, Pieces, coded, numbers, seconds, unpacked, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.store.arrays import Floats, Numbers
    from cfpm.store.connection import Row

ROLES = tuple(Role)
CATEGORIES = tuple(Category)

_ROLE_NUMBERS = {role.value: number for number, role in enumerate(ROLES)}
_CATEGORY_NUMBERS = {category.value: number for number, category in enumerate(CATEGORIES)}
_OF_A_TOOL, _A_NOTE = _ROLE_NUMBERS[Role.TOOL.value], _CATEGORY_NUMBERS[Category.NOTE.value]
"""What stands for an unknown one, as in `mending`."""

_VOCABULARY = 1 << 16


class TurnArrays:
    """The messages of a namespace in the order in which they were stored.

    `before` and `after` are the rows of the neighbours in the same session, -1 at its ends. `at` is in seconds, NaN
    without a time. `vectors` have length 1, or 0 where there is none. The arrays are those of this moment; `extend`
    makes new ones.
    """

    def __init__(self, width: int) -> None:
        """Without messages; `width` is the length of a vector."""
        import numpy as np

        self._width = width
        self._columns = {name: GrowingArray("i8") for name in ("seq", "session", "place", "role", "speaker")}
        self._columns |= {"at": GrowingArray("f8"), "vectors": GrowingArray("f4", width)}
        self._columns |= {"before": GrowingArray("i8"), "after": GrowingArray("i8")}
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
        """Adds rows of seq, session, turn, position, role, name, created_at, vector, pieces, by seq."""
        import numpy as np

        first = len(self)
        seq, session, turn, position, role, name, created_at, vector, pieces = zip(*rows, strict=True)
        new: dict[str, NDArray[np.generic]] = {
            "seq": numbers(seq),
            "session": coded(session, self._sessions),
            "place": (numbers(map(whole, turn)) << 32) + numbers(map(whole, position)),
            "role": numbers([_ROLE_NUMBERS.get(one, _OF_A_TOOL) for one in role]),
            "speaker": coded(name, self._speakers),
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


class FactArrays:
    """The facts of a namespace. `turn` is the row of the message it was learnt from, -1 if that is not in the log."""

    def __init__(self, width: int) -> None:
        """Without facts; `width` is the length of a vector."""
        self._width = width
        self._columns = {name: GrowingArray("i8") for name in ("seq", "category", "turn")}
        self._columns |= {
            "active": GrowingArray("?"),
            "event": GrowingArray("f8"),
            "vectors": GrowingArray("f4", width),
        }
        self._waiting: dict[tuple[str, str], list[int]] = {}
        """Facts whose message has not come yet, by session and message."""
        self._expose()

    def __len__(self) -> int:
        return len(self.seq)

    def _expose(self) -> None:
        of = self._columns
        self.seq: Numbers = of["seq"].rows
        self.category: Numbers = of["category"].rows
        self.active: NDArray[np.bool_] = of["active"].rows
        self.event: NDArray[np.float64] = of["event"].rows
        self.turn: Numbers = of["turn"].rows
        self.vectors: Floats = of["vectors"].rows

    @property
    def waits(self) -> bool:
        """True when a message that comes may be one that a fact was learnt from."""
        return bool(self._waiting)

    def rows_of(self, seqs: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """As `TurnArrays.rows_of`."""
        return rows_of(self.seq, seqs)

    def put(self, rows: Sequence[Row], turns: TurnArrays) -> None:
        """Adds or replaces rows of seq, category, status, event_time, session, message, its seq, vector, by seq.

        What is added lies behind all that is known.
        """
        if not rows:
            return
        seq, category, status, event, session, message, source, vector = zip(*rows, strict=True)
        row, here = turns.rows_of(numbers([-1 if one is None else one for one in source]))
        row[~here] = -1
        values: dict[str, NDArray[np.generic]] = {
            "seq": numbers(seq),
            "category": numbers([_CATEGORY_NUMBERS.get(one, _A_NOTE) for one in category]),
            "active": numbers([one == Status.ACTIVE.value for one in status]),
            "event": seconds(event),
            "turn": row,
            "vectors": unpacked(vector, self._width),
        }
        places, known = self.rows_of(numbers(seq))
        for name, column in self._columns.items():
            column.rows[places[known]] = values[name][known]
            column.extend(values[name][~known])
        self._expose()
        for one, place, ident in zip(seq, zip(session, message, strict=True), row.tolist(), strict=True):
            if ident < 0 and place[1]:
                self._waiting.setdefault(place, []).append(one)

    def arrived(self, messages: Iterable[tuple[str, str, int]], turns: TurnArrays) -> None:
        """Joins facts that waited with their messages, given by session, id and `seq`."""
        for session, message, source in messages:
            if facts := self._waiting.pop((session, message), None):
                rows, _ = self.rows_of(numbers(facts))
                self.turn[rows] = turns.rows_of(numbers((source,)))[0]


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


def _later(newest: datetime | None, at: NDArray[np.float64]) -> datetime | None:

    # A time that nobody can reckon with is none, as in `rows`.
    dated = at[(at >= FIRST_KEPT.timestamp()) & (at < LAST_KEPT.timestamp())]
    if not len(dated):
        return newest
    last = datetime.fromtimestamp(float(dated.max()), UTC)
    return last if newest is None else max(newest, last)
