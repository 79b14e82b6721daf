"""Fits a vector for each word piece so that the mean of a sentence's vectors is near to what the model says of it."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cfpm.embedding.onnx import onnx_embedder
from cfpm.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LABELS = Path(__file__).parents[1] / "labels"

DRAWN = {"beam": 30_000, "prefeval": 25_000, "transcripts": 25_000}
"""Sentences of each set of the data package; no other benchmark's texts, and no story, are among them."""

LEAST_CHARS, MOST_CHARS = 12, 240
SPOKEN = 0.6
"""Share of letters from which a line is language."""

POWER = 0.75
"""A row of a sentence of n pieces counts for 1 / n ** POWER."""

DRAWN_BACK = 0.2
"""How strongly each row is drawn to what the model says of the piece alone: pieces that no sentence has keep that."""

STEPS = 40
"""Of conjugate gradients. The cosines of sentences kept apart do not change in the third place after 30."""

KEPT_APART = 1_500

_WORD = re.compile(r"[A-Za-z]{2,}")


def drawn(data: Path) -> list[str]:
    """Different sentences of the data package and of the labels, shortest first; the same on every machine."""
    seen: set[str] = set()
    found: list[str] = []
    for name, most in DRAWN.items():
        of = sorted(_sentences(_texts(data / name), seen))
        found += random.Random(name).sample(of, min(most, len(of)))
    found += sorted(_sentences(_labelled(), seen))
    return sorted(found, key=lambda text: (len(text), text))


def taught(texts: Sequence[str]) -> Floats:
    """What the whole model says of each text, one row of length 1. Needs the extra `onnx`; 10 ms of a core each."""
    return onnx_embedder().embed(texts)


class Bags(NamedTuple):
    """Texts as counted rows of pieces: where each text begins, the pieces of all, and what each counts."""

    starts: NDArray[np.intp]
    pieces: NDArray[np.intp]
    counts: Floats

    @classmethod
    def of(cls, cut: Sequence[Sequence[int]]) -> Bags:
        """`cut` has the pieces of each text, of none without any."""
        sizes = np.array([len(own) for own in cut])
        pieces = np.array([piece for own in cut for piece in own], dtype=np.intp)
        counts = np.repeat(1 / sizes**POWER, sizes).astype(np.float32)
        return cls(np.concatenate(([0], np.cumsum(sizes)[:-1])), pieces, counts)

    def means(self, table: Floats) -> Floats:
        """A row for each text."""
        out = np.empty((len(self.starts), table.shape[1]), dtype=np.float32)
        ends = [*self.starts[1:].tolist(), len(self.pieces)]
        for row, (start, end) in enumerate(zip(self.starts.tolist(), ends, strict=True)):
            out[row] = self.counts[start:end] @ table[self.pieces[start:end]]
        return out

    def spread(self, rows: Floats, pieces: int) -> Floats:
        """What each piece gets of the rows of its texts."""
        texts = np.repeat(np.arange(len(self.starts)), np.diff([*self.starts, len(self.pieces)]))
        order = np.argsort(self.pieces, kind="stable")
        out = np.zeros((pieces, rows.shape[1]), dtype=np.float32)
        sorted_pieces = self.pieces[order]
        begins = [0, *(np.flatnonzero(np.diff(sorted_pieces)) + 1).tolist(), len(order)]
        for start, end in pairwise(begins):
            own = order[start:end]
            out[sorted_pieces[start]] = self.counts[own] @ rows[texts[own]]
        return out


def fitted(cut: Sequence[Sequence[int]], wanted: Floats, alone: Floats, dimensions: int) -> Floats:
    """The table. `wanted` is what the model says of each text, `alone` of each piece; the columns are the main axes of
    what is wanted. Ridge regression on what the pieces alone, turned to these axes, leave over."""
    centred = wanted - wanted.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    aim = np.ascontiguousarray(centred @ axes[:, ::-1][:, :dimensions])
    bags = Bags.of(cut)
    means = bags.means(alone)
    turned, *_ = np.linalg.lstsq(means, aim, rcond=None)
    table: Floats = (alone @ turned).astype(np.float32)
    left = bags.spread(aim - bags.means(table), len(table))
    change = np.zeros_like(table)
    way, sizes = left.copy(), np.square(left).sum(axis=0)
    for _ in range(STEPS):
        bent = bags.spread(bags.means(way), len(table)) + np.float32(DRAWN_BACK) * way
        step = sizes / ((way * bent).sum(axis=0) + np.float32(1e-12))
        change += step * way
        left -= step * bent
        new = np.square(left).sum(axis=0)
        way = left + new / (sizes + np.float32(1e-12)) * way
        sizes = new
    return table + change


def alike(table: Floats, cut: Sequence[Sequence[int]], wanted: Floats) -> float:
    """How the cosines of all pairs of these texts by the table and by the model correlate."""
    ours = Bags.of(cut).means(table)
    theirs = wanted - wanted.mean(axis=0)
    both = [rows @ rows.T for rows in (_of_length_1(ours), _of_length_1(theirs))]
    return float(np.corrcoef(both[0].ravel(), both[1].ravel())[0, 1])


def _of_length_1(rows: Floats) -> Floats:
    scaled: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(1e-9)
    return scaled


def _sentences(texts: Iterable[str], seen: set[str]) -> Iterator[str]:
    for text in texts:
        for line in text.split("\n"):
            for one in sentences(line.strip()[:3_000]):
                found = line.strip()[one.start : one.end]
                letters = _WORD.findall(found)
                if not LEAST_CHARS <= len(found) <= MOST_CHARS or sum(map(len, letters)) < SPOKEN * len(found):
                    continue
                if len(letters) > 2 and (folded := found.casefold()) not in seen:
                    seen.add(folded)
                    yield found


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text(encoding="utf-8", errors="ignore")
        for part in text.splitlines() if path.suffix == ".jsonl" else [text]:
            try:
                yield from _strings(json.loads(part))
            except ValueError:
                continue


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)


def _labelled() -> Iterator[str]:
    for path in sorted(LABELS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield from (row[name] for name in ("text", "a", "b") if isinstance(row.get(name), str))
