"""The facts of a namespace as arrays, of which rows are added and replaced. Reads no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.model import Category, Status
from cfpm.store.growing import Growing, numbers, seconds, unpacked
from cfpm.store.turn_arrays import rows_of, sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.store.growing import Floats, Numbers
    from cfpm.store.statements import Row
    from cfpm.store.turn_arrays import Turns

CATEGORIES = tuple(Category)

_NUMBER = {category.value: number for number, category in enumerate(CATEGORIES)}


class Facts:
    """The facts of a namespace. `turn` is the row of the message it was learnt from, -1 if that is not in the log."""

    def __init__(self, width: int) -> None:
        """Without facts; `width` is the length of a vector."""
        self._width = width
        self._columns = {name: Growing("i8") for name in ("seq", "category", "turn", "sizes")}
        self._columns |= {"active": Growing("?"), "event": Growing("f8"), "vectors": Growing("f4", width)}
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
        self.sizes: Numbers = of["sizes"].rows
        self.vectors: Floats = of["vectors"].rows

    @property
    def waits(self) -> bool:
        """True when a message that comes may be one that a fact was learnt from."""
        return bool(self._waiting)

    def rows_of(self, seqs: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
        """As `Turns.rows_of`."""
        return rows_of(self.seq, seqs)

    def put(self, rows: Sequence[Row], turns: Turns) -> None:
        """Adds or replaces rows of seq, category, status, event_time, session, message, its seq, size, vector, by seq.

        What is added lies behind all that is known.
        """
        if not rows:
            return
        seq, category, status, event, session, message, source, size, vector = zip(*rows, strict=True)
        row, here = turns.rows_of(numbers([-1 if one is None else one for one in source]))
        row[~here] = -1
        values: dict[str, NDArray[np.generic]] = {
            "seq": numbers(seq),
            "category": numbers([_NUMBER[one] for one in category]),
            "active": numbers([one == Status.ACTIVE.value for one in status]),
            "event": seconds(event),
            "turn": row,
            "sizes": sizes(size),
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

    def arrived(self, messages: Iterable[tuple[str, str, int]], turns: Turns) -> None:
        """Joins facts that waited with their messages, given by session, id and `seq`."""
        for session, message, source in messages:
            if facts := self._waiting.pop((session, message), None):
                rows, _ = self.rows_of(numbers(facts))
                self.turn[rows] = turns.rows_of(numbers((source,)))[0]
