"""A walk over the stored paths, a few rows a turn, so that what older rules let in is judged again. Judges nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.store.facts import LEARNT
from cfpm.store.rows import fact_from
from cfpm.store.schema import FACT_COLUMNS, listed

if TYPE_CHECKING:
    from cfpm.model import Fact
    from cfpm.store.connection import Connection

_ROWS = (
    f"SELECT {listed(FACT_COLUMNS)} FROM memory_facts WHERE seq > ? AND seq <= ? AND +namespace = ?"
    f" AND +category IN ('artifact', 'invalid_path') AND {LEARNT} ORDER BY seq"
)
_ENDS = "SELECT (SELECT max(seq) FROM memory_facts), (SELECT max(seq) FROM memory_turns)"


class PathWalk:
    """Once over all facts of a namespace in the life of a process. Where it begins follows from the log, so that
    processes of one turn each come round, too."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._walks: dict[str, tuple[int, int, int]] = {}

    def next(self, namespace: str, rows: int) -> list[Fact]:
        """The learnt paths among the next so many rows of facts; empty once the walk is over."""
        at, left, last = self._walks.get(namespace) or self._begun(rows)
        if left <= 0:
            self._walks[namespace] = (at, 0, last)
            return []
        self._walks[namespace] = (at + rows if at + rows < last else 0, left - 1, last)
        return [fact_from(row) for row in self._db.rows(_ROWS, (at, at + rows, namespace))]

    def all(self, namespace: str) -> list[Fact]:
        """The learnt paths of a namespace."""
        last = self._begun(1)[2]
        return [fact_from(row) for row in self._db.rows(_ROWS, (0, last, namespace))]

    def restart(self) -> None:
        """Walks again: rows came from elsewhere."""
        self._walks.clear()

    def _begun(self, rows: int) -> tuple[int, int, int]:
        """Where a walk begins, how many steps it has, and the last row."""
        last, said = (int(value or 0) for value in self._db.row(_ENDS) or (0, 0))
        steps = -(-last // rows)
        return (said % steps * rows if steps else 0, steps, last)
