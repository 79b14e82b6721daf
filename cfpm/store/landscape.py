"""All messages and facts of a namespace as arrays: where they stand, who spoke, and their vectors. Scores nothing.

Read once, kept, and brought up to date at each call by what was written since, by this process or another. An array of
a million messages is a gigabyte; the texts stay in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.models import Category, Role, Status
from cfpm.store.rows import moment
from cfpm.store.search import match_expression
from cfpm.store.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.store.connection import Row

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]

ROLES = tuple(Role)
CATEGORIES = tuple(Category)

# The `+` keeps the index of the namespace out: what is new is found by its number.
_TURNS = (
    "SELECT t.seq, t.session, t.turn, t.position, t.role, t.name, t.created_at, v.vector, v.pieces"
    " FROM memory_turns t LEFT JOIN turn_vectors v ON v.seq = t.seq AND v.space = ?"
    " WHERE +t.namespace = ? AND t.seq > ? ORDER BY t.seq"
)
_FACTS = (
    "SELECT f.seq, f.category, f.status, f.event_time, t.seq, v.vector, v.pieces FROM memory_facts f"
    " LEFT JOIN memory_turns t ON t.namespace = f.namespace AND t.session = f.session AND t.message_id = f.message_id"
    " LEFT JOIN fact_vectors v ON v.seq = f.seq AND v.space = ? WHERE f.namespace = ? ORDER BY f.seq"
)
_LAST_EVENT = "SELECT max(number) FROM memory_events WHERE namespace = ?"
_TURN_WORDS = "SELECT rowid, -bm25(turns_text) FROM turns_text WHERE turns_text MATCH ?"
_FACT_WORDS = "SELECT rowid, -bm25(facts_text) FROM facts_text WHERE facts_text MATCH ?"


@dataclass(slots=True)
class Pieces:
    """The word pieces of all rows in one array; those of row n begin at `starts[n]` and end where the next begin."""

    flat: NDArray[np.uint16]
    starts: Numbers

    def of(self, rows: Numbers) -> tuple[NDArray[np.uint16], Numbers]:
        """The pieces of some rows, and where those of each begin."""
        import numpy as np

        begins = self.starts[rows]
        sizes = self.starts[rows + 1] - begins
        starts = np.concatenate(([0], np.cumsum(sizes)))
        places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], sizes)
        return self.flat[places], starts


@dataclass(slots=True)
class Turns:
    """The messages of a namespace in the order in which they were stored.

    `before` and `after` are the rows of the neighbours in the same session, -1 at its ends. `at` is in seconds, NaN
    without a time. `vectors` have length 1, or 0 where there is none.
    """

    seq: Numbers
    session: Numbers
    place: Numbers
    """Turn and position in the session, as one number."""
    before: Numbers
    after: Numbers
    role: Numbers
    speaker: Numbers
    at: NDArray[np.float64]
    vectors: Floats
    pieces: Pieces
    frequency: Numbers
    """For each word piece the messages that have it."""
    speakers: list[str]
    sessions: list[str]

    def __len__(self) -> int:
        return len(self.seq)


@dataclass(slots=True)
class Facts:
    """The facts of a namespace. `turn` is the row of the message it was learnt from, -1 if that is not in the log."""

    seq: Numbers
    category: Numbers
    active: NDArray[np.bool_]
    event: NDArray[np.float64]
    turn: Numbers
    vectors: Floats
    pieces: Pieces

    def __len__(self) -> int:
        return len(self.seq)


@dataclass(slots=True)
class _Known:
    """What was read of a namespace so far, and by which embedder's vectors."""

    space: tuple[int | None, int]
    turns: Turns
    facts: Facts
    events: int = -1


class Landscapes(Vectors):
    """The part of the store that keeps arrays of what it holds."""

    _landscapes: dict[str, _Known]

    def landscape(self, namespace: str) -> tuple[Turns, Facts]:
        """The messages and facts as they are now."""
        space, events = (self.space(), self.revision()), self._db.number(_LAST_EVENT, (namespace,))
        width = self.embedder.dimensions if self.embedder else 1
        known = self._landscapes.get(namespace)
        if known is None or known.space != space:
            known = _Known(space, _turns(None, [], width), _facts([], None, width))
        last = int(known.turns.seq[-1]) if len(known.turns) else -1
        new = self._db.rows(_TURNS, (space[0], namespace, last))
        if new:
            known.turns = _turns(known.turns, new, width)
        if new or events != known.events:
            known.facts = _facts(self._db.rows(_FACTS, (space[0], namespace)), known.turns, width)
            known.events = events
        # What a transaction sees may be rolled back, and its numbers given away again.
        if self._db.in_transaction:
            self._landscapes.pop(namespace, None)
        else:
            self._landscapes[namespace] = known
        return known.turns, known.facts

    def turn_words(self, query: str) -> list[tuple[int, float]]:
        """`seq` and BM25 of every message that has a word of the query, of all namespaces."""
        expression = match_expression(query)
        return self._db.rows(_TURN_WORDS, (expression,)) if expression else []

    def fact_words(self, query: str) -> list[tuple[int, float]]:
        """The same of facts, of all statuses."""
        expression = match_expression(query)
        return self._db.rows(_FACT_WORDS, (expression,)) if expression else []


def _turns(known: Turns | None, rows: Sequence[Row], width: int) -> Turns:
    """The rows behind those that are known."""
    import numpy as np

    sessions = list(known.sessions) if known else []
    speakers = list(known.speakers) if known else []
    new = Turns(
        seq=_numbers(row[0] for row in rows),
        session=_coded([row[1] for row in rows], sessions),
        place=_numbers((row[2] << 32) + row[3] for row in rows),
        before=_numbers(()),
        after=_numbers(()),
        role=_numbers(_ROLES[row[4]] for row in rows),
        speaker=_coded([row[5] for row in rows], speakers),
        at=np.array([_seconds(row[6]) for row in rows], dtype=np.float64),
        vectors=_unpacked([row[7] for row in rows], width),
        pieces=_pieces([row[8] for row in rows]),
        frequency=_numbers(()),
        speakers=speakers,
        sessions=sessions,
    )
    both = new if known is None or not len(known) else _joined(known, new)
    both.before, both.after = _neighbours(both.session, both.place)
    both.frequency = np.bincount(both.pieces.flat, minlength=1 << 16)
    return both


def _joined(known: Turns, new: Turns) -> Turns:
    import numpy as np

    names = ("seq", "session", "place", "role", "speaker", "at", "vectors")
    arrays = {name: np.concatenate((getattr(known, name), getattr(new, name))) for name in names}
    pieces = Pieces(
        np.concatenate((known.pieces.flat, new.pieces.flat)),
        np.concatenate((known.pieces.starts, new.pieces.starts[1:] + known.pieces.starts[-1])),
    )
    return Turns(
        **arrays,
        before=new.before,
        after=new.after,
        pieces=pieces,
        frequency=new.frequency,
        speakers=new.speakers,
        sessions=new.sessions,
    )


def _neighbours(session: Numbers, place: Numbers) -> tuple[Numbers, Numbers]:
    import numpy as np

    order = np.lexsort((place, session))
    before, after = np.full(len(order), -1), np.full(len(order), -1)
    same = session[order[1:]] == session[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


def _facts(rows: Sequence[Row], turns: Turns | None, width: int) -> Facts:
    import numpy as np

    known = turns.seq if turns is not None else _numbers(())
    source = _numbers(-1 if row[4] is None else row[4] for row in rows)
    row_of = np.searchsorted(known, source)
    found = (source >= 0) & (row_of < len(known))
    return Facts(
        seq=_numbers(row[0] for row in rows),
        category=_numbers(_CATEGORIES[row[1]] for row in rows),
        active=np.array([row[2] == Status.ACTIVE.value for row in rows], dtype=np.bool_),
        event=np.array([_seconds(row[3]) for row in rows], dtype=np.float64),
        turn=np.where(found, row_of, -1),
        vectors=_unpacked([row[5] for row in rows], width),
        pieces=_pieces([row[6] for row in rows]),
    )


_ROLES = {role.value: number for number, role in enumerate(ROLES)}
_CATEGORIES = {category.value: number for number, category in enumerate(CATEGORIES)}


def _numbers(values: Iterable[int]) -> Numbers:
    import numpy as np

    return np.fromiter(values, dtype=np.int64)


def _coded(values: Sequence[str], names: list[str]) -> Numbers:
    """The place of each value in `names`, to which new ones are added."""
    places = {name: place for place, name in enumerate(names)}
    found = [places.setdefault(value, len(places)) for value in values]
    names[:] = places
    return _numbers(found)


def _seconds(text: str | None) -> float:
    at = moment(text)
    return at.timestamp() if at else float("nan")


def _unpacked(blobs: Sequence[bytes | None], width: int) -> Floats:
    import numpy as np

    nothing = bytes(width)
    packed = np.frombuffer(b"".join(blob or nothing for blob in blobs), dtype=np.int8)
    rows = packed.reshape(-1, width).astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows /= np.maximum(lengths, 1)[:, None]
    return rows


def _pieces(blobs: Sequence[bytes | None]) -> Pieces:
    import numpy as np

    sizes = _numbers(len(blob) // 2 if blob else 0 for blob in blobs)
    flat = np.frombuffer(b"".join(blob for blob in blobs if blob), dtype="<u2")
    return Pieces(flat, np.concatenate((_numbers((0,)), np.cumsum(sizes))))
