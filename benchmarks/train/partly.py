"""Learns whether an older statement still holds in part beside what changes something in it, and shows how that does on
each file of labels by what is learnt of the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE
from benchmarks.train.newton import named, newton, of_others, write_weights
from cfpm.text.heads.partly import values

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINES = (300, 400, 500, 600, 700)
"""Thousandths from which it is shown what is found, and how much of it rightly."""

DRAWN = 3.0
"""How strongly weights are drawn to nothing: with 10 the same within a hundredth."""

NOT_YET = "reads-t8"
"""Labels from which it has not learnt: they came after the weights that ship."""

_PARTLY = {"partly": True, "part": True, "replaced": False, "replaces": False, "ends": False}
"""What readers and authors say of a pair whose newer statement changes something."""


class Row(NamedTuple):
    """A pair: its file, what is weighed, and whether something of the older statement still holds."""

    file: str
    values: dict[str, float]
    partly: bool


def learn(folder: Path | None) -> int:
    """Prints what is found of each file and how much of what is taken for it rightly; with a folder, writes the weights
    of all."""
    rows = [*_rows()]
    table = np.array([list(row.values.values()) for row in rows])
    partly = np.array([row.partly for row in rows], dtype=float)
    sure = of_others(table, partly, [row.file for row in rows], DRAWN)
    print(f"{len(rows)} pairs, {partly.sum():.0f} hold in part; found/precision, learnt from other files:")
    for line in LINES:
        taken = sure >= line
        both = partly[taken].sum()
        print(f"  {line}: {both / partly.sum():.2f}/{both / max(1, taken.sum()):.2f}")
    if folder is not None:
        learnt = newton(table, partly, DRAWN)
        about = "that an older statement holds in part"
        write_weights(folder / "partly.toml", "partly", about, named(rows[0].values, *learnt))
    return 0


def _rows() -> Iterator[Row]:
    reads = (path for path in sorted(HERE.glob("reads-*.jsonl")) if path.stem != NOT_YET)
    for path in (*reads, *sorted(HERE.glob("rules-*.jsonl"))):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            partly = _PARTLY.get(row.get("is") or row.get("label"))
            if partly is not None:
                older, newer = row.get("older") or row["rule"], row.get("newer") or row["later"]
                yield Row(path.stem, values(newer, older), partly)
