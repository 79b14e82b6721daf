"""A small transformer that reads two statements together, in numpy.

All sums of products are of whole numbers below 2**24, which floats hold exactly in any order. What is left (roots,
powers, means of a row) may differ in its last bits from processor to processor; answers are rounded before they decide.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from cfpm.embedding.products import in_blocks, multiplied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MAX_PIECES = 94
"""Word pieces of a pair that are read, as while it was tuned; of the longer statement the end is left out."""

_HEADS = 12
_FINE = 127
"""Steps to each side of 0 in which a number is kept while it is multiplied."""
_SHARES = 1023
"""Steps of a share of attention: with `_FINE` and `MAX_PIECES` the sums stay below 2**24."""
_PART = 768
"""Columns that are summed at once: 768 * 127 * 127 is below 2**24."""


class Linear(NamedTuple):
    """Whole numbers in blocks of columns, the scale of each column, and what is added."""

    weights: Floats
    scale: Floats
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        whole, size = _whole(rows)
        summed = multiplied(whole[:, :_PART], self.weights[:, :_PART])
        for start in range(_PART, whole.shape[1], _PART):
            summed += multiplied(whole[:, start : start + _PART], self.weights[:, start : start + _PART])
        summed *= size * self.scale
        summed += self.bias
        return summed


class _Norm(NamedTuple):
    gain: Floats
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        import numpy as np

        centred: Floats = rows - rows.mean(axis=-1, keepdims=True)
        centred /= np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        centred *= self.gain
        centred += self.bias
        return centred


@dataclass(frozen=True, slots=True)
class _Layer:
    asked: Linear
    """Query, key and value side by side."""
    out: Linear
    after: _Norm
    wide: Linear
    narrow: Linear
    last: _Norm

    def __call__(self, rows: Floats, ends: Sequence[int]) -> Floats:
        rows = self.after(rows + self.out(self._attended(rows, ends)))
        return self.last(rows + self.narrow(_gelu(self.wide(rows))))

    def _attended(self, rows: Floats, ends: Sequence[int]) -> Floats:
        import numpy as np

        read = self.asked(rows).reshape(len(rows), 3, _HEADS, -1)
        whole, sizes = _whole(read[:, :2])
        out = np.empty_like(rows)
        for begin, end in pairwise((0, *ends)):
            out[begin:end] = _attend(whole[begin:end], sizes[begin:end], read[begin:end, 2])
        return out


class Encoder:
    """The tuned layers and the answer's layer on top of them, where it has one."""

    def __init__(
        self, stored: Mapping[str, NDArray[np.generic]], pieces: Callable[[NDArray[np.intp]], Floats] | None = None
    ) -> None:
        """`stored` is what `benchmarks/train` writes: matrices of signed bytes with a scale for each column. Rows for
        word pieces are its own, or those of `pieces` made as narrow as the layers are."""
        self._rows_of = _narrowed(stored, pieces) if pieces else _own_rows(stored)
        self._places = stored["places"].astype("f4")
        self._sides = stored["sides"].astype("f4")
        self._first = _norm(stored, "first")
        self._layers = _layers(stored)
        if "answer" in stored:
            self._joined, self._answer = linear(stored, "joined"), linear(stored, "answer")
        self._open, self._between = (int(one) for one in stored["marks"])

    def topped(self, shared: int, stored: Mapping[str, NDArray[np.generic]]) -> Encoder:
        """Another encoder: the first `shared` layers of this one, and on them the layers and answers, if any, of
        `stored`."""
        other = copy(self)
        other._layers = [*self._layers[:shared], *_layers(stored)]
        if "answer" in stored:
            other._joined, other._answer = linear(stored, "joined"), linear(stored, "answer")
        return other

    def answers(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Floats:
        """For each pair of statements, given as word pieces, a row of logits."""
        import numpy as np

        read = list(self.read([fitted(first, second) for first, second in pairs]))
        heads = [np.concatenate((rows[0], rows.mean(axis=0))) for rows in read]
        return self._answer(np.tanh(self._joined(np.array(heads, dtype="f4"))))

    def read(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Iterator[Floats]:
        """For each pair of texts that fits, given as word pieces, a row for each piece and for the marks: one before
        the first text, one behind each."""
        yield from self._read(
            (
                [self._open, *one, self._between, *other, self._between],
                [0] * (len(one) + 2) + [1] * (len(other) + 1),
            )
            for one, other in pairs
        )

    def read_marked(self, texts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Iterator[Floats]:
        """For each text of at most MAX_PIECES - 2 word pieces, each piece with its kind as while it was tuned, a row
        for each piece."""
        marked = (([self._open, *ids, self._between], [0, *kinds, 0]) for ids, kinds in texts)
        yield from (rows[1:-1] for rows in self._read(marked))

    def _read(self, texts: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Iterator[Floats]:
        import numpy as np

        ids: list[int] = []
        sides: list[int] = []
        places: list[int] = []
        ends: list[int] = []
        for own, kinds in texts:
            ids += own
            sides += kinds
            places += range(len(own))
            ends.append(len(ids))
        if not ends:
            return
        known = np.array(ids, dtype=np.intp)
        rows = self._first(self._rows_of(known) + self._places.take(places, axis=0) + self._sides.take(sides, axis=0))
        for layer in self._layers:
            rows = layer()(rows, ends)
        yield from (rows[begin:end] for begin, end in pairwise((0, *ends)))


def _own_rows(stored: Mapping[str, NDArray[np.generic]]) -> Callable[[NDArray[np.intp]], Floats]:
    pieces, scale = stored["pieces"], stored["pieces.scale"].astype("f4")
    return lambda known: pieces.take(known, axis=0).astype("f4") * scale.take(known)[:, None]


def _narrowed(
    stored: Mapping[str, NDArray[np.generic]], pieces: Callable[[NDArray[np.intp]], Floats]
) -> Callable[[NDArray[np.intp]], Floats]:
    narrow = linear(stored, "narrow")
    return lambda known: narrow(pieces(known))


def _attend(whole: Floats, sizes: Floats, value: Floats) -> Floats:
    """Each row becomes a mixture of the values, by how its query meets their keys, which are whole steps; head by
    head."""
    import numpy as np

    (asked, found), (asked_size, found_size) = whole.transpose(1, 2, 0, 3), sizes.transpose(1, 2, 0, 3)
    told, told_size = _whole(value.transpose(1, 2, 0))
    met = asked @ found.transpose(0, 2, 1)
    met *= asked_size * found_size.transpose(0, 2, 1)
    met /= np.float32(np.sqrt(value.shape[-1]))
    share = np.exp((met - met.max(axis=-1, keepdims=True)).astype("f8"))
    share /= share.sum(axis=-1, keepdims=True)
    share *= _SHARES
    mixed = np.rint(share).astype("f4") @ told.transpose(0, 2, 1)
    mixed *= told_size.transpose(0, 2, 1) / np.float32(_SHARES)
    joined: Floats = mixed.transpose(1, 0, 2).reshape(len(value), -1)
    return joined


def _gelu(rows: Floats) -> Floats:
    """In place of the rows: of fresh memory each step would cost as much as its sum."""
    import numpy as np

    inner = np.float32(0.044715) * rows
    inner *= rows
    inner *= rows
    inner += rows
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    rows *= np.float32(0.5)
    rows *= inner
    return rows


def _whole(rows: Floats) -> tuple[Floats, Floats]:
    """The numbers of the last axis as whole steps, and the size of a step."""
    import numpy as np

    size = np.maximum(np.abs(rows).max(axis=-1, keepdims=True), np.float32(1e-9)) / np.float32(_FINE)
    steps = rows / size
    return np.rint(steps, out=steps), size


def fitted(first: Sequence[int], second: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Both, cut at the end of the longer one until they fit."""
    room = MAX_PIECES - 3
    most = max(room - min(len(first), len(second)), room // 2)
    first, second = first[:most], second[:most]
    return first, second[: room - len(first)]


def linear(stored: Mapping[str, NDArray[np.generic]], *names: str) -> Linear:
    """Layers of these names side by side."""
    import numpy as np

    weights, scale, bias = (np.hstack([stored[name + part] for name in names]) for part in ("", ".scale", ".bias"))
    return Linear(in_blocks(weights), scale.astype("f4"), bias.astype("f4"))


def _norm(stored: Mapping[str, NDArray[np.generic]], name: str) -> _Norm:
    return _Norm(stored[f"{name}.gain"].astype("f4"), stored[f"{name}.bias"].astype("f4"))


def _layers(stored: Mapping[str, NDArray[np.generic]]) -> list[Callable[[], _Layer]]:
    """Each is made when it is first asked for: half of the layers that read pairs do not read sentences."""
    waiting, one_at_a_time = dict(stored), Lock()
    return [_Waiting(waiting, f"layer{number}", one_at_a_time) for number in range(int(stored["layers"]))]


class _Waiting:
    """Makes a layer once, for whichever thread asks for it first; the others wait for it."""

    def __init__(self, waiting: dict[str, NDArray[np.generic]], name: str, one_at_a_time: Lock) -> None:
        self._waiting, self._name, self._one_at_a_time = waiting, name, one_at_a_time
        self._made: _Layer | None = None

    def __call__(self) -> _Layer:
        if self._made is None:
            with self._one_at_a_time:
                if self._made is None:
                    self._made = _layer(self._waiting, self._name)
        return self._made


def _layer(waiting: dict[str, NDArray[np.generic]], name: str) -> _Layer:
    """The layer of this name, whose signed bytes are given up for it."""
    stored = {part: waiting.pop(part) for part in list(waiting) if part.startswith(f"{name}.")}
    return _Layer(
        asked=linear(stored, *(f"{name}.{part}" for part in ("query", "key", "value"))),
        out=linear(stored, f"{name}.out"),
        after=_norm(stored, f"{name}.after"),
        wide=linear(stored, f"{name}.wide"),
        narrow=linear(stored, f"{name}.narrow"),
        last=_norm(stored, f"{name}.last"),
    )
