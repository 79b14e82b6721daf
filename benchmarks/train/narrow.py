"""A narrow encoder that learns from a wide one what each piece says in its surroundings: a twelfth of the work.
Needs jax and optax."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.train.encoder import BETWEEN, OPEN, descent, dropping, layered, normed, stored_narrow
from cfpm.embedding.encoder import MAX_PIECES
from cfpm.embedding.static import piece_rows
from cfpm.text.heads.answering import WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cfpm.text.heads.answering import Window

    Tree = dict[str, Any]

COLUMNS, LAYERS = 192, 4
"""Of the narrow encoder."""

EPOCHS, RATE = 3, 1.5e-3
AT_ONCE = 32
WIDTHS = (12, 16, 24, 32, 48, 64, MAX_PIECES)
"""Word pieces to which the windows of a batch are filled up."""

MOST = 12
"""Sentences of a window that are learnt from."""

LIKENESS = 5.0
"""What it counts that sentences are as near to one another as the wide encoder has them."""


@dataclass(frozen=True)
class Told:
    """Windows as word pieces, where their sentences stand, and what the wide encoder makes of each piece."""

    ids: NDArray[np.int32]
    sides: NDArray[np.int32]
    places: Sequence[Sequence[tuple[int, int]]]
    rows: NDArray[np.float16]
    """None while it has made nothing of them."""

    @classmethod
    def of(cls, windows: Sequence[Window]) -> Told:
        """Only the windows."""
        ids = np.zeros((len(windows), MAX_PIECES), np.int32)
        sides = np.zeros_like(ids)
        places = []
        for row, one in enumerate(windows):
            pieces = [OPEN, *one.before, BETWEEN, *one.row, BETWEEN]
            first = len(one.before) + 2
            ids[row, : len(pieces)], sides[row, first : len(pieces)] = pieces, 1
            places.append([(first + begin, first + end) for _, begin, end in one.places][:MOST])
        return cls(ids, sides, places, np.zeros((0, MAX_PIECES, WIDTH), np.float16))

    @classmethod
    def by(cls, windows: Sequence[Window], read: Callable[[Any, Any], Any]) -> Told:
        """`read` gives the rows of some windows, by their pieces and sides."""
        told = cls.of(windows)
        rows = np.zeros((len(windows), MAX_PIECES, WIDTH), np.float16)
        for chunk, batch in told.filled():
            rows[chunk, : batch["ids"].shape[1]] = np.asarray(read(batch["ids"], batch["sides"]))[: len(chunk)]
        return cls(told.ids, told.sides, told.places, rows)

    def filled(self) -> Iterator[tuple[list[int], dict[str, NDArray[Any]]]]:
        """All windows by their length, each batch with their numbers."""
        for chunk in _chunks(np.argsort(self.lengths, kind="stable").tolist()):
            yield chunk, self.batch(chunk)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Word pieces of each window."""
        found: NDArray[np.int64] = (self.ids > 0).sum(axis=1)
        return found

    @cached_property
    def size(self) -> float:
        """About the length of a row."""
        return float(np.sqrt(np.square(self.rows[:2_000, :8].astype(np.float32)).sum(axis=-1).mean()))

    def batch(self, chunk: Sequence[int]) -> dict[str, NDArray[Any]]:
        """Some windows, filled up to one width."""
        longest = int(self.lengths[list(chunk)].max())
        width = next(width for width in WIDTHS if width >= longest)
        ids = np.zeros((AT_ONCE, width), np.int32)
        ids[:, 0] = OPEN
        rows = np.zeros((AT_ONCE, width, WIDTH), np.float32)
        sides, places = np.zeros_like(ids), np.zeros((AT_ONCE, MOST, width), np.float32)
        there = np.zeros((AT_ONCE, MOST), np.float32)
        for row, place in enumerate(chunk):
            ids[row], sides[row] = self.ids[place, :width], self.sides[place, :width]
            if len(self.rows):
                rows[row] = self.rows[place, :width]
            for number, (begin, end) in enumerate(self.places[place]):
                places[row, number, begin:end] = 1 / (end - begin)
                there[row, number] = 1
        return {"ids": ids, "sides": sides, "places": places, "there": there, "rows": rows}

    def epoch(self, chance: random.Random) -> Iterator[dict[str, NDArray[Any]]]:
        """The windows in random order, those of about one length together."""
        order = chance.sample(range(len(self.ids)), len(self.ids))
        some = [
            chunk
            for start in range(0, len(order), 32 * AT_ONCE)
            for chunk in _chunks(sorted(order[start : start + 32 * AT_ONCE], key=lambda at: int(self.lengths[at])))
        ]
        chance.shuffle(some)
        return map(self.batch, some)


def _chunks(order: Sequence[int]) -> list[list[int]]:
    return [list(order[start : start + AT_ONCE]) for start in range(0, len(order), AT_ONCE)]


@cache
def directions() -> NDArray[np.float32]:
    """What the encoder reads of each word piece, as `piece_directions` gives it."""
    rows = piece_rows()
    found: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return found


def fresh(told: Told) -> Tree:
    """Parameters to begin with: of the columns of word pieces those in which the ones that occur differ most."""
    chance = np.random.default_rng(0)
    rows = directions()
    counts = np.bincount(told.ids[told.ids > 0], minlength=len(rows)).astype(np.float64)
    shares = (counts / counts.sum())[:, None]
    _, _, axes = np.linalg.svd((rows - (shares * rows).sum(axis=0)) * np.sqrt(shares), full_matrices=False)

    def linear(rows: int, columns: int, spread: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return chance.normal(0, spread, (rows, columns)).astype(np.float32), np.zeros(columns, np.float32)

    def norm() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return np.ones(COLUMNS, np.float32), np.zeros(COLUMNS, np.float32)

    def layer() -> Tree:
        return {
            **{name: linear(COLUMNS, COLUMNS, 0.06) for name in ("query", "key", "value")},
            "out": linear(COLUMNS, COLUMNS, 0.04),
            "after": norm(),
            "wide": linear(COLUMNS, 4 * COLUMNS, 0.05),
            "narrow": linear(4 * COLUMNS, COLUMNS, 0.03),
            "last": norm(),
        }

    return {
        "narrow": (axes[:COLUMNS].T.astype(np.float32), np.zeros(COLUMNS, np.float32)),
        "places": chance.normal(0, 0.02, (MAX_PIECES, COLUMNS)).astype(np.float32),
        "sides": chance.normal(0, 0.02, (2, COLUMNS)).astype(np.float32),
        "first": norm(),
        "layers": [layer() for _ in range(LAYERS)],
        "map": told.size * chance.normal(0, 0.035, (COLUMNS, WIDTH)).astype(np.float32),
    }


def rows(learnt: Tree, ids: Any, sides: Any, key: Any = None) -> Any:
    """What the narrow encoder makes of word pieces, in `WIDTH` columns; with a key, parts are left out at random."""
    import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]

    drop = dropping(key, learnt["layers"])
    matrix, bias = learnt["narrow"]
    read = jnp.asarray(directions())[ids] @ matrix + bias
    read += learnt["places"][: ids.shape[1]] + jnp.asarray(learnt["sides"])[sides]
    return layered(learnt["layers"], drop(normed(read, learnt["first"])), ids > 0, drop) @ learnt["map"]


def of_length_1(found: Any) -> Any:
    """Vectors with the same directions."""
    import jax.numpy as jnp

    return found / jnp.sqrt((found * found).sum(-1, keepdims=True) + 1e-9)


def apart(learnt: Tree, batch: Mapping[str, Any], size: float) -> Any:
    """How far the narrow encoder is from the wide one: in each row, in the sentences' directions, and in how near these
    are to one another."""
    own, wanted = rows(learnt, batch["ids"], batch["sides"]) / size, batch["rows"] / size
    read = (batch["ids"] > 0).astype(np.float32)
    of_rows = (((own - wanted) ** 2).sum(-1) * read).sum() / read.sum()
    told, taught = (of_length_1(batch["places"] @ one).reshape(-1, WIDTH) for one in (own, wanted))
    there = batch["there"].reshape(-1)
    near = ((told * taught).sum(-1) * there).sum() / there.sum()
    beside = (told @ told.T - taught @ taught.T) ** 2 * there[:, None] * there
    return 1 - near + LIKENESS * beside.sum() / there.sum() ** 2 + of_rows


def taught(told: Told) -> Tree:
    """The narrow encoder after all epochs; prints how far it is from the wide one."""
    chance = random.Random(0)
    found = fresh(told)
    steps = EPOCHS * (len(told.ids) // AT_ONCE + 1)

    def loss(learnt: Tree, batch: Mapping[str, Any], _key: Any) -> Any:
        return apart(learnt, batch, told.size)

    epochs = (told.epoch(chance) for _ in range(EPOCHS))
    for found, lost in descent(found, loss, steps, epochs, RATE):  # noqa: B007, B020 (the last is kept)
        print(f"taught: mean loss {lost:.4f}", flush=True)
    return found


def stored(learnt: Tree) -> dict[str, NDArray[Any]]:
    """The narrow encoder as the package keeps it."""
    return stored_narrow(learnt) | {"map": np.asarray(learnt["map"]).astype(np.float16)}
