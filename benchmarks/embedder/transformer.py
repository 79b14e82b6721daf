"""Reads the weights of a small BERT from a safetensors file and runs it on single word pieces, with numpy alone."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.float32]

HEADS = 12
LAYERS = 6
BEGIN, END = 101, 102
"""The pieces that stand around every text."""

_AT_ONCE = 512


def read_weights(path: Path) -> dict[str, Array]:
    """The tensors of single precision by name."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    return {
        name: np.frombuffer(
            raw, dtype="<f4", count=int(np.prod(about["shape"])), offset=8 + size + about["data_offsets"][0]
        )
        .reshape(about["shape"])
        .copy()  # the file is not aligned to four bytes, and unaligned products are ten times as slow
        for name, about in header.items()
        if name != "__metadata__" and about["dtype"] == "F32"
    }


def piece_vectors(weights: dict[str, Array]) -> Array:
    """The mean of what the model makes of each piece of its vocabulary between begin and end."""
    count = len(weights["embeddings.word_embeddings.weight"])
    found = []
    for first in range(0, count, _AT_ONCE):
        numbers = np.array([[BEGIN, piece, END] for piece in range(first, min(first + _AT_ONCE, count))])
        found.append(_encoded(weights, numbers).mean(axis=1))
    return np.concatenate(found)


def _encoded(weights: dict[str, Array], numbers: NDArray[np.int64]) -> Array:
    length = numbers.shape[1]
    x = weights["embeddings.word_embeddings.weight"][numbers]
    x = x + weights["embeddings.position_embeddings.weight"][:length]
    x = _normed(weights, x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        x = _layer(weights, x, f"encoder.layer.{layer}.")
    return x


def _layer(weights: dict[str, Array], x: Array, prefix: str) -> Array:
    rows, length, width = x.shape
    query, key, value = (
        _linear(weights, x, f"{prefix}attention.self.{name}").reshape(rows, length, HEADS, -1).transpose(0, 2, 1, 3)
        for name in ("query", "key", "value")
    )
    attention = query @ key.transpose(0, 1, 3, 2) / np.float32((width / HEADS) ** 0.5)
    attention = np.exp(attention - attention.max(axis=-1, keepdims=True))
    attention /= attention.sum(axis=-1, keepdims=True)
    mixed = (attention @ value).transpose(0, 2, 1, 3).reshape(rows, length, width)
    x = _normed(
        weights, x + _linear(weights, mixed, f"{prefix}attention.output.dense"), f"{prefix}attention.output.LayerNorm"
    )
    inner = _gelu(_linear(weights, x, f"{prefix}intermediate.dense"))
    return _normed(weights, x + _linear(weights, inner, f"{prefix}output.dense"), f"{prefix}output.LayerNorm")


def _linear(weights: dict[str, Array], x: Array, name: str) -> Array:
    product: Array = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return product


def _normed(weights: dict[str, Array], x: Array, name: str) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-12))
    scaled: Array = centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return scaled


def _gelu(x: Array) -> Array:
    """x times the normal distribution function, by formula 7.1.26 of Abramowitz and Stegun: exact to 1.5e-7."""
    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    error = np.sign(x) * (1 - series * np.exp(-z * z))
    found: Array = x * np.float32(0.5) * (1 + error)
    return found
