"""What was said later on the subject of what recall shows: a change that nobody linked costs a line then, and no truth.

Asks no encoder: vectors and word pieces, as they are stored. Decides nothing, and changes no fact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from cfpm.embedding.products import products
from cfpm.model import Role
from cfpm.store.namespace_arrays import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from cfpm.recall.candidates import Rows
    from cfpm.store.namespace_arrays import TurnArrays
    from cfpm.store.store import Store

NEWEST = 1_000
"""Messages of a namespace among which a later one is looked for, so that it costs the same in any memory."""

NEAREST = 3
"""Of the messages after one, those by whose words it is told whether they change it."""

FAR = 0.3
"""Cosine below which no message changes another."""

LIKELY = 1.0
"""Log odds from which a later message is shown beside an older one. From -1.6 on three in five statements of the worlds
of `benchmarks queries` that were replaced or denied have the newer one beside them, but one in five of the others
another, which in short blocks takes the place of what was asked for."""

_CONSTANT = -7.02
_COSINE, _FIRST, _RANK = 5.031, 0.932, -0.303
_SHARED, _OF_OLDER, _OF_NEWER = 0.509, 10.067, -10.966
"""Logistic regression on the six worlds w1 to w5 and w7 of `benchmarks/labels`, tested on w6, w8 and another."""

_AT_ONCE = 32
"""Columns of one product."""

_USER = ROLES.index(Role.USER)


class _Known:
    """What is known of the messages of a namespace, as long as no other message comes."""

    def __init__(self) -> None:
        self.size = 0
        self.later: dict[int, int] = {}


_known: WeakKeyDictionary[TurnArrays, _Known] = WeakKeyDictionary()


def later(store: Store, namespaces: Iterable[str], seqs: Iterable[int]) -> dict[int, int]:
    """By the `seq` of a message, that of a later one of a user that likely changes what it says, if there is any."""
    wanted = np.array(sorted(set(seqs)), dtype=np.int64)
    found: dict[int, int] = {}
    for namespace in dict.fromkeys(namespaces):
        turns, _ = store.namespace_index.load(namespace)
        rows, here = turns.rows_of(wanted)
        if not here.any():
            continue
        known = _known.setdefault(turns, _Known())
        if known.size != len(turns):
            known.size, known.later = len(turns), {}
        asked = rows[here].tolist()
        new = [row for row in asked if row not in known.later]
        known.later |= dict(zip(new, _later(turns, new), strict=True))
        found |= {int(turns.seq[row]): int(turns.seq[known.later[row]]) for row in asked if known.later[row] >= 0}
    return found


def _later(turns: TurnArrays, rows: Sequence[int]) -> list[int]:
    """For each row that of the likeliest change, -1 for none."""
    first = max(0, len(turns) - NEWEST)
    recent = first + np.flatnonzero(turns.role[first:] == _USER)
    found: list[int] = []
    for start in range(0, len(rows), _AT_ONCE):
        part = np.array(rows[start : start + _AT_ONCE], dtype=np.int64)
        close = products(turns.vectors.take(recent, axis=0), np.ascontiguousarray(turns.vectors.take(part, axis=0).T))
        # Rounded, so that the order is the same on every processor.
        close = np.round(close, 4).T
        close[recent[None, :] <= part[:, None]] = 0
        found += [_likeliest(turns, row, recent, line) for row, line in zip(part.tolist(), close, strict=True)]
    return found


def _likeliest(turns: TurnArrays, row: int, recent: Rows, close: Rows) -> int:
    places = np.flatnonzero(close >= FAR)
    places = places[np.argsort(-close[places], kind="stable")[:NEAREST]]
    if not len(places):
        return -1
    older = _pieces(turns, row)
    scored = [
        (_score(float(close[place]), rank, _pieces(turns, int(recent[place])), older), int(recent[place]))
        for rank, place in enumerate(places.tolist())
    ]
    best, newer = max(scored)
    return newer if best >= LIKELY else -1


def _score(cosine: float, rank: int, newer: AbstractSet[int], older: AbstractSet[int]) -> float:
    """The log odds that a newer message repeats, replaces or denies an older one, by the word pieces of both, their
    cosine, and how many messages are nearer."""
    shared = len(newer & older)
    found = _CONSTANT + _COSINE * cosine + _FIRST * (rank == 0) + _RANK * rank + _SHARED * shared
    return round(found + _OF_OLDER * shared / max(1, len(older)) + _OF_NEWER * shared / max(1, len(newer)), 3)


def _pieces(turns: TurnArrays, row: int) -> set[int]:
    flat, _ = turns.pieces.of(np.array([row]))
    return set(flat.tolist())
