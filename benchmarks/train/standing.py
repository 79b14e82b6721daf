"""Learns which statements of users are standing rules, from stories, and shows how it does on stories kept apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE, RULES_APART
from benchmarks.train.newton import named, newton, of_others, write_weights
from benchmarks.train.sentence import labelled
from cfpm.text.heads.sentence import MOST_READ, judge
from cfpm.text.heads.standing import values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

LINES = (300, 350, 400, 450, 500, 600)
"""Thousandths from which precision and recall are shown."""

OF_ALL_KINDS = ("sentences-f2", "sentences-f8", "sentences-s12")
"""Authors from whom the encoder did not learn, all of whose sentences are labelled: of stories those were read first
that had once been taken for rules, few of them plain facts."""

PARTS = 10
"""Groups of stories, of which each is judged by what is learnt from the others."""

DRAWN = 3.0
"""How strongly weights are drawn to nothing: with 1 to 30 precision and recall are the same within a hundredth."""


class Row(NamedTuple):
    """A statement: the story that it is from, what is weighed, and whether a reader took it for a rule."""

    story: str
    values: dict[str, float]
    rule: bool


def learn(folder: Path | None) -> int:
    """Prints how many of the rules are found, and how many of those taken for one are, and writes the weights into a
    folder."""
    rows = _rows(sorted(HERE.glob("standing-*.jsonl")))
    rule = np.array([row.rule for row in rows])
    table = np.array([list(row.values.values()) for row in rows])
    stories = sorted({row.story for row in rows})
    part = [stories.index(row.story) % PARTS for row in rows]
    sure = of_others(table, rule.astype(float), part, DRAWN)
    print(f"{len(rows)} statements of {len(stories)} stories, {rule.sum()} rules; found/precision, learnt from others:")
    print("  ".join(f"{line}: {_found(sure >= line, rule)}" for line in LINES))
    if folder is not None:
        learnt = newton(table, rule.astype(float), DRAWN)
        about = "that a statement is a standing rule"
        write_weights(folder / "standing.toml", "standing", about, named(rows[0].values, *learnt))
    return 0


def _rows(files: Sequence[Path]) -> list[Row]:
    told = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    # Of what it has learnt from, the encoder is too sure.
    told = [row for row in told if row["story"] in RULES_APART]
    told += [row for name in OF_ALL_KINDS for row in _of_kinds(name)]
    texts = [row["text"] for row in told]
    read = [one for at in range(0, len(texts), MOST_READ) for one in judge(texts[at : at + MOST_READ])]
    return [
        Row(
            row["story"],
            values(row["text"], one, by_pattern=row["by"] == "pattern", asked=row["by"] == "request"),
            row["rule"],
        )
        for row, one in zip(told, read, strict=True)
    ]


def _of_kinds(name: str) -> Iterator[dict[str, Any]]:
    for one in labelled(HERE / f"{name}.jsonl", None):
        if one.kind and not one.by_agent:
            asked = "request" if one.kind == "goal" else ""
            yield {"story": name, "text": one.text, "by": asked, "rule": one.kind == "instruction"}


def _found(taken: NDArray[np.bool_], rule: NDArray[np.bool_]) -> str:
    both = (taken & rule).sum()
    return f"{both / rule.sum():.2f}/{both / max(1, taken.sum()):.2f}"
