"""What speaks for a message whatever is asked: that it says something new, and of a kind that is asked for later.

Chat that says nothing stands beside what answers, and fits a question as well by its words and surroundings.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from cfpm.embedding.products import products
from cfpm.model.tables import toml_table
from cfpm.store.arrays import GrowingArray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfpm.embedding import Embedder
    from cfpm.recall.candidates import Rows, Values
    from cfpm.store.namespace_arrays import TurnArrays

WITHIN = 500
"""Messages back in which nobody has used a word piece that is new. A bound, so that a memory of any age has new things:
measured on LoCoMo, 60 to 500 brought nearly the same, and who is only early in the memory gains nothing."""

MANY = 300
"""New word pieces of a message that could not say more."""

COLUMNS = 32
"""Columns of a message's vector that a direction is of. Measured: 8 brought half as much, 128 no more."""

_AT_ONCE = 4_096
"""Messages that are read at once: their pieces stay in the cache."""

_PIECES = 1 << 16


class _News:
    """How many word pieces of each message are new in it; follows the messages as they come."""

    def __init__(self) -> None:
        self._counts = GrowingArray("<u2")
        self._last = np.full(_PIECES, -WITHIN - 1, dtype=np.int64)
        """The last row with each piece."""

    def of(self, turns: TurnArrays, rows: Rows) -> Rows:
        while (known := len(self._counts.rows)) < len(turns):
            self._read(turns, np.arange(known, min(known + _AT_ONCE, len(turns))))
        found: Rows = self._counts.rows[rows]
        return found

    def _read(self, turns: TurnArrays, rows: Rows) -> None:
        flat, starts = turns.pieces.of(rows)
        at = np.repeat(rows, np.diff(starts))
        # By piece, and in order within each: the row before is where it stood last.
        order = np.argsort(flat, kind="stable")
        pieces, at = flat[order], at[order]
        first = np.ones(len(pieces), dtype=np.bool_)
        first[1:] = pieces[1:] != pieces[:-1]
        before = np.empty_like(at)
        before[1:] = at[:-1]
        before[first] = self._last[pieces[first]]
        self._last[pieces] = at  # of several, the last one stays
        new = at[at - before > WITHIN] - rows[0]
        self._counts.extend(np.bincount(new, minlength=len(rows)))


_news: WeakKeyDictionary[TurnArrays, _News] = WeakKeyDictionary()
"""Of each namespace that is kept, as long as its messages are."""


def fresh(turns: TurnArrays, rows: Rows) -> Values:
    """How much of each message nobody had said lately, from 0 for nothing to 1."""
    counts = _news.setdefault(turns, _News()).of(turns, rows)
    shares: Values = (np.log1p(counts) / np.log1p(MANY)).clip(max=1).astype(np.float32)
    return shares


def telling(turns: TurnArrays, rows: Rows, embedder: Embedder, *, chat: bool) -> Values:
    """How much each message is of a kind that is asked for later, from -1 to 1; 0 by vectors of another embedder."""
    space, directions = load_directions()
    if embedder.name != space:
        return np.zeros(len(rows), dtype=np.float32)
    direction = np.array(directions["chat" if chat else "agent"], dtype=np.float32)
    return products(turns.vectors[rows, :COLUMNS], direction)


@cache
def load_directions() -> tuple[str, Mapping[str, tuple[float, ...]]]:
    """The embedder of whose columns they are, and the direction for each table of weights, from `priors.toml`."""
    table = toml_table("cfpm.recall", "priors")
    return str(table["space"]), {name: tuple(table[name]) for name in ("chat", "agent")}
