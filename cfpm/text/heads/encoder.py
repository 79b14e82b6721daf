"""A small transformer that reads two statements together, in numpy.

All sums of products are of whole numbers below 2**24, which floats hold exactly in any order. What is left (roots,
powers, means of a row) may differ in its last bits from processor to processor; answers are rounded before they decide.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cfpm.embedding.products import in_blocks, multiplied

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


class _Linear(NamedTuple):
    """Whole numbers in blocks of columns, the scale of each column, and what is added."""

    weights: Floats
    scale: Floats
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        whole, size = _whole(rows)
        summed = multiplied(whole[:, :_PART], self.weights[:, :_PART])
        for start in range(_PART, whole.shape[1], _PART):
            summed += multiplied(whole[:, start : start + _PART], self.weights[:, start : start + _PART])
        answer: Floats = summed * (size * self.scale) + self.bias
        return answer


class _Norm(NamedTuple):
    gain: Floats
    bias: Floats

    def __call__(self, rows: Floats) -> Floats:
        import numpy as np

        centred = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        normed: Floats = centred / spread * self.gain + self.bias
        return normed


@dataclass(frozen=True, slots=True)
class _Layer:
    asked: _Linear
    """Query, key and value side by side."""
    out: _Linear
    after: _Norm
    wide: _Linear
    narrow: _Linear
    last: _Norm

    def __call__(self, rows: Floats, ends: Sequence[int]) -> Floats:
        rows = self.after(rows + self.out(self._attended(rows, ends)))
        return self.last(rows + self.narrow(_gelu(self.wide(rows))))

    def _attended(self, rows: Floats, ends: Sequence[int]) -> Floats:
        import numpy as np

        query, key, value = np.split(self.asked(rows), 3, axis=1)
        out = np.empty_like(rows)
        begin = 0
        for end in ends:
            out[begin:end] = _attend(query[begin:end], key[begin:end], value[begin:end])
            begin = end
        return out


class Encoder:
    """The tuned layers and the answer's layer on top of them."""

    def __init__(self, stored: Mapping[str, NDArray[np.generic]]) -> None:
        """`stored` is what `benchmarks/train` writes: matrices of signed bytes with a scale for each column."""
        self._pieces = stored["pieces"]
        self._piece_scale = stored["pieces.scale"].astype("f4")
        self._places = stored["places"].astype("f4")
        self._sides = stored["sides"].astype("f4")
        self._first = _norm(stored, "first")
        self._layers = _layers(stored)
        self._joined, self._answer = _linear(stored, "joined"), _linear(stored, "answer")
        self._open, self._between = (int(one) for one in stored["marks"])

    def topped(self, shared: int, stored: Mapping[str, NDArray[np.generic]]) -> Encoder:
        """Another encoder: the first `shared` layers of this one, and on them the layers and answers of `stored`."""
        other = copy(self)
        other._layers = [*self._layers[:shared], *_layers(stored)]
        other._joined, other._answer = _linear(stored, "joined"), _linear(stored, "answer")
        return other

    def answers(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Floats:
        """For each pair of statements, given as word pieces, a row of logits."""
        import numpy as np

        ids: list[int] = []
        sides: list[int] = []
        places: list[int] = []
        ends: list[int] = []
        for first, second in pairs:
            one, other = fitted(first, second)
            ids += [self._open, *one, self._between, *other, self._between]
            sides += [0] * (len(one) + 2) + [1] * (len(other) + 1)
            places += range(len(one) + len(other) + 3)
            ends.append(len(ids))
        known = np.array(ids, dtype=np.intp)
        scales = self._piece_scale.take(known)[:, None]
        rows = self._pieces.take(known, axis=0).astype("f4") * scales
        rows = self._first(rows + self._places.take(places, axis=0) + self._sides.take(sides, axis=0))
        for layer in self._layers:
            rows = layer(rows, ends)
        begins = [0, *ends[:-1]]
        heads = [np.concatenate((rows[a], rows[a:z].mean(axis=0))) for a, z in zip(begins, ends, strict=True)]
        return self._answer(np.tanh(self._joined(np.array(heads, dtype="f4"))))


def _attend(query: Floats, key: Floats, value: Floats) -> Floats:
    """Each row becomes a mixture of the values, by how its query meets their keys; head by head."""
    import numpy as np

    count, width = query.shape
    shape = (count, _HEADS, width // _HEADS)
    asked, asked_size = _whole(query.reshape(shape).transpose(1, 0, 2))
    found, found_size = _whole(key.reshape(shape).transpose(1, 0, 2))
    told, told_size = _whole(value.reshape(shape).transpose(1, 2, 0))
    met = (asked @ found.transpose(0, 2, 1)) * (asked_size * found_size.transpose(0, 2, 1))
    met = met / np.float32(np.sqrt(width // _HEADS))
    share = np.exp((met - met.max(axis=-1, keepdims=True)).astype("f8"))
    share = np.rint(share / share.sum(axis=-1, keepdims=True) * _SHARES).astype("f4")
    mixed = (share @ told.transpose(0, 2, 1)) * (told_size.transpose(0, 2, 1) / np.float32(_SHARES))
    joined: Floats = mixed.transpose(1, 0, 2).reshape(count, width)
    return joined


def _gelu(rows: Floats) -> Floats:
    import numpy as np

    inner = np.float32(0.7978845608) * (rows + np.float32(0.044715) * rows * rows * rows)
    return np.asarray(np.float32(0.5) * rows * (np.float32(1) + np.tanh(inner)), dtype="f4")


def _whole(rows: Floats) -> tuple[Floats, Floats]:
    """The numbers of the last axis as whole steps, and the size of a step."""
    import numpy as np

    size = np.maximum(np.abs(rows).max(axis=-1, keepdims=True), np.float32(1e-9)) / np.float32(_FINE)
    return np.rint(rows / size), size


def fitted(first: Sequence[int], second: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Both, cut at the end of the longer one until they fit."""
    room = MAX_PIECES - 3
    most = max(room - min(len(first), len(second)), room // 2)
    first, second = first[:most], second[:most]
    return first, second[: room - len(first)]


def _linear(stored: Mapping[str, NDArray[np.generic]], *names: str) -> _Linear:
    """Layers of these names side by side."""
    import numpy as np

    weights, scale, bias = (np.hstack([stored[name + part] for name in names]) for part in ("", ".scale", ".bias"))
    return _Linear(in_blocks(weights), scale.astype("f4"), bias.astype("f4"))


def _norm(stored: Mapping[str, NDArray[np.generic]], name: str) -> _Norm:
    return _Norm(stored[f"{name}.gain"].astype("f4"), stored[f"{name}.bias"].astype("f4"))


def _layers(stored: Mapping[str, NDArray[np.generic]]) -> list[_Layer]:
    return [_layer(stored, f"layer{number}") for number in range(int(stored["layers"]))]


def _layer(stored: Mapping[str, NDArray[np.generic]], name: str) -> _Layer:
    return _Layer(
        asked=_linear(stored, *(f"{name}.{part}" for part in ("query", "key", "value"))),
        out=_linear(stored, f"{name}.out"),
        after=_norm(stored, f"{name}.after"),
        wide=_linear(stored, f"{name}.wide"),
        narrow=_linear(stored, f"{name}.narrow"),
        last=_norm(stored, f"{name}.last"),
    )
