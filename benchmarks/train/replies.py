"""Learns what becomes of a user's answer to an agent's question, and shows how it does on authors kept apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE, KEPT_APART
from benchmarks.train.newton import named, newton, thousandths
from cfpm.extractor.replies import given
from cfpm.model import Message, Role
from cfpm.text.heads.replies import values
from cfpm.text.heads.sentence import judge

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

LINES = (300, 400, 500, 600, 700)
"""Thousandths from which precision and recall are shown."""

DRAWN = 3.0
"""How strongly weights are drawn to nothing, as in `standing`."""


class Row(NamedTuple):
    """An exchange: what is weighed, and what is to be kept of it."""

    values: dict[str, float]
    keep: str


def learn(folder: Path | None) -> int:
    """Prints for each author, learnt from the others, how many rules and lasting facts are found, and of those taken
    for one how many are; writes the weights into a folder."""
    files = [path for path in sorted(HERE.glob("replies-*.jsonl")) if path.stem not in KEPT_APART]
    rows = {path.stem: _rows(path) for path in files}
    known = {of: [row for one in rows.values() for row in one if _counts(of, row)] for of in ("rule", "later")}
    for name, own in rows.items():
        for of in known:
            others = [row for author, one in rows.items() if author != name for row in one if _counts(of, row)]
            apart = [row for row in own if _counts(of, row)]
            sure = thousandths(_table(apart), *newton(_table(others), _wanted(of, others), DRAWN))
            right = _wanted(of, apart) > 0
            print(f"{name} {of:6} {'  '.join(f'{line}: {_found(sure >= line, right)}' for line in LINES)}")
    if folder is not None:
        lines = ["# Made by `python -m benchmarks train replies --write`: log odds of what becomes of an answer."]
        for of, own in known.items():
            weights = named(own[0].values, *newton(_table(own), _wanted(of, own), DRAWN))
            lines += [f"[{of}]", *(f'"{name}" = {value:.3f}' for name, value in weights.items())]
        (folder / "replies.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _rows(path: Path) -> list[Row]:
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        one = given(Message(Role.USER, row["reply"]), row["asked"])
        if one is None:
            continue
        texts = [f"{one.asked} {one.text}", one.order] if one.order else [f"{one.asked} {one.text}"]
        found.append(Row(values(one.asked, one.text, one.order, judge(texts)), row["keep"]))
    return found


def _counts(of: str, row: Row) -> bool:
    """Whether it teaches this: a rule is worth knowing later, too."""
    return of == "rule" or row.keep != "rule"


def _table(rows: list[Row]) -> NDArray[np.float64]:
    return np.array([list(row.values.values()) for row in rows])


def _wanted(of: str, rows: list[Row]) -> NDArray[np.float64]:
    return np.array([float(row.keep == of) for row in rows])


def _found(taken: NDArray[np.bool_], right: NDArray[np.bool_]) -> str:
    both = (taken & right).sum()
    return f"{both / right.sum():.2f}/{both / max(1, taken.sum()):.2f}"
