"""Learns what users do not mean as they say it, from sentences of stories that readers judged in their messages, and
from messages that authors wrote with what is not meant in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE, MEANT_APART, TONES_APART
from benchmarks.train.newton import named, newton, of_others, write_weights
from benchmarks.train.sentence import COLOURFUL, tones
from cfpm.text.heads.meant import ONE_SENTENCE, values
from cfpm.text.heads.sentence import MOST_READ, judge

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.train.newton import Floats
    from benchmarks.train.sentence import Labelled
    from cfpm.text.heads.sentence import Judged

LINES = (150, 200, 250, 300, 400, 500)
"""Thousandths from which precision and recall are shown."""

PARTS = 8
"""Groups of stories, of which each is judged by what is learnt from the others."""

DRAWN = 10.0
"""How strongly weights are drawn to nothing: with 10 and 50 the figures are the same."""


_IS_MEANT = ("meant", COLOURFUL)
_ASKS = set("?？")


class Row(NamedTuple):
    """A sentence: its story or file, what is weighed, how it is meant, and for how many of the stories' it stands."""

    story: str
    values: dict[str, float]
    told: str
    stands_for: float


def learn(folder: Path | None) -> int:
    """Prints how many of the sentences that are not meant are found, and how many of those taken for such are, and
    writes the weights into a folder."""
    rows = _rows()
    wanted, weigh = _told_and_weigh(rows)
    more = _of_authors(float((wanted * weigh).sum() / weigh.sum()))
    every = [*rows, *more]
    table = np.array([list(row.values.values()) for row in every])
    told, counts = _told_and_weigh(every)
    stories = sorted({row.story for row in rows})
    part = [*(stories.index(row.story) % PARTS for row in rows), *(row.story for row in more)]
    counts[: len(rows)] **= 0.5
    sure = of_others(table, told, part, DRAWN, counts)[: len(rows)]
    print(f"{len(rows)} sentences of stories, {int(wanted.sum())} not meant; found/precision, learnt from all others:")
    for line in LINES:
        taken = sure >= line
        found = (wanted * weigh)[taken].sum()
        print(f"  from {line}: {found / (wanted * weigh).sum():.2f}/{found / weigh[taken].sum():.2f}")
    if folder is not None:
        learnt = newton(table, told, DRAWN, counts)
        about = "that a sentence is not meant as it stands"
        write_weights(folder / "meant.toml", "meant", about, named(rows[0].values, *learnt))
    return 0


def _told_and_weigh(rows: Sequence[Row]) -> tuple[Floats, Floats]:
    """Of each row 1 if it is not meant, else 0; and what it counts."""
    return (
        np.array([row.told != "meant" for row in rows], dtype=float),
        np.array([row.stands_for for row in rows], dtype=float),
    )


def _of_authors(unmeant: float) -> list[Row]:
    """What the files of `MEANT_APART` label, each so weighed that this share of it is not meant, as in stories."""
    found: list[Row] = []
    for name in sorted(MEANT_APART):
        labelled = [
            one for one in tones(HERE / f"{name}.jsonl") if one.meant != "question" and not _ASKS & set(one.text)
        ]
        read = [
            (one, told)
            for start in range(0, len(labelled), MOST_READ)
            for one, told in _judged(labelled[start : start + MOST_READ])
            if told.meant
        ]
        share = sum(one.meant not in _IS_MEANT for one, _ in read) / len(read)
        for one, told in read:
            line = one.message if len(one.message) <= ONE_SENTENCE else one.text
            is_meant = one.meant in _IS_MEANT
            counts = (1 - unmeant) / (1 - share) if is_meant else unmeant / share
            found.append(Row(name, values(one.text, line, told), "meant" if is_meant else one.meant, counts))
    return found


def _judged(some: Sequence[Labelled]) -> list[tuple[Labelled, Judged]]:
    return list(zip(some, judge([one.text for one in some]), strict=True))


def _rows() -> list[Row]:
    every = map(json.loads, (HERE / "meant-t1.jsonl").read_text(encoding="utf-8").splitlines())
    # What asks is nothing to believe in any case.
    judged = [row for row in every if row["is"] != "nothing" and not _ASKS & set(row["text"])]
    read = [row for row in judged if row["story"] in TONES_APART]
    found: list[Row] = []
    for start in range(0, len(read), MOST_READ):
        some = read[start : start + MOST_READ]
        for row, told in zip(some, judge([row["text"] for row in some]), strict=True):
            known = values(row["text"], row["line"], told)
            found.append(Row(row["story"], known, row["is"], row["stands_for"]))
    return found
