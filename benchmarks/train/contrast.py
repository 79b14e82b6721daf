"""Learns whether what sets one thing against another takes an older statement's place, and shows how that does on each
author by what is learnt of the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE
from benchmarks.train.newton import named, newton, of_others, write_weights
from cfpm.text.heads.contrast import contrast, values
from cfpm.text.heads.relation import judge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINES = (300, 400, 500, 600, 700)
"""Thousandths from which it is shown what is found, and how much of it rightly."""

DRAWN = 3.0
"""How strongly weights are drawn to nothing."""


class Row(NamedTuple):
    """A pair: who wrote it, what is weighed, and whether the older statement is over."""

    author: str
    values: dict[str, float]
    over: bool


def learn(folder: Path | None) -> int:
    """Prints how many older statements that are over are found, and how many of those taken for such are; with a
    folder, writes the weights of all."""
    rows = [*_rows()]
    table = np.array([list(row.values.values()) for row in rows])
    over = np.array([row.over for row in rows], dtype=float)
    authors = np.array([row.author for row in rows])
    sure = of_others(table, over, authors.tolist(), DRAWN)
    for author in dict.fromkeys(authors.tolist()):
        own = authors == author
        told = (f"{line}: {over[own & (sure >= line)].sum():.0f}/{(own & (sure >= line)).sum()}" for line in LINES)
        print(f"{author}: {own.sum()} pairs, {over[own].sum():.0f} over; right of those taken from {', '.join(told)}")
    if folder is not None:
        learnt = newton(table, over, DRAWN)
        about = "that an older statement is over"
        write_weights(folder / "contrast.toml", "contrast", about, named(rows[0].values, *learnt))
    return 0


def _rows() -> Iterator[Row]:
    for path in sorted(HERE.glob("contrasts-*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if sides := contrast(row["newer"]):
                (told,) = judge(row["newer"], [row["older"]])
                yield Row(path.stem, values(row["older"], sides, told), row["label"] == "replaces")
