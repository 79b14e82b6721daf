"""Learns what users do not mean as they say it, from sentences of stories that readers judged in their messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE, TONES_APART
from benchmarks.train.newton import named, newton, of_others, write_weights
from cfpm.text.heads.meant import values
from cfpm.text.heads.sentence import MOST_READ, judge

if TYPE_CHECKING:
    from pathlib import Path

LINES = (150, 200, 250, 300, 400, 500)
"""Thousandths from which precision and recall are shown."""

PARTS = 8
"""Groups of stories, of which each is judged by what is learnt from the others."""

DRAWN = 10.0
"""How strongly weights are drawn to nothing: with 10 and 50 the figures are the same."""


class Row(NamedTuple):
    """A sentence: its story, what is weighed, how a reader took it, and for how many of the stories' it stands."""

    story: str
    values: dict[str, float]
    told: str
    stands_for: float


def learn(folder: Path | None) -> int:
    """Prints how many of the sentences that are not meant are found, and how many of those taken for such are, and
    writes the weights into a folder."""
    rows = _rows()
    table = np.array([list(row.values.values()) for row in rows])
    wanted = np.array([row.told != "meant" for row in rows], dtype=float)
    weigh = np.array([row.stands_for for row in rows])
    stories = sorted({row.story for row in rows})
    part = [stories.index(row.story) % PARTS for row in rows]
    sure = of_others(table, wanted, part, DRAWN, weigh**0.5)
    print(f"{len(rows)} sentences, {int(wanted.sum())} not meant; found/precision, learnt from other stories:")
    for line in LINES:
        taken = sure >= line
        found = (wanted * weigh)[taken].sum()
        print(f"  from {line}: {found / (wanted * weigh).sum():.2f}/{found / weigh[taken].sum():.2f}")
    if folder is not None:
        learnt = newton(table, wanted, DRAWN, weigh**0.5)
        about = "that a sentence is not meant as it stands"
        write_weights(folder / "meant.toml", "meant", about, named(rows[0].values, *learnt))
    return 0


def _rows() -> list[Row]:
    every = map(json.loads, (HERE / "meant-t1.jsonl").read_text(encoding="utf-8").splitlines())
    # What asks is nothing to believe in any case.
    judged = [row for row in every if row["is"] != "nothing" and not set("?？") & set(row["text"])]
    read = [row for row in judged if row["story"] in TONES_APART]
    found: list[Row] = []
    for start in range(0, len(read), MOST_READ):
        some = read[start : start + MOST_READ]
        for row, told in zip(some, judge([row["text"] for row in some]), strict=True):
            known = values(row["text"], row["line"], told)
            found.append(Row(row["story"], known, row["is"], row["stands_for"]))
    return found
