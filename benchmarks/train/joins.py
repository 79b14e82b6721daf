"""Learns which two passages are about one point, so that a block shows them in one line, the newer first; shows how it
does on stories kept apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import cfpm
from benchmarks.train.labels import HERE
from benchmarks.train.newton import newton

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RECALLS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Shares of the right pairs at which precision is shown."""

RIGHT = ("change", "same")
"""Answers of readers for which "earlier: ..." behind the newer one is no noise."""

NEAR = "near"
"""The signal that a memory of an older version does not have."""


def learn(folder: Path | None) -> int:
    """Prints the precision, each story by what is learnt of the others; with a folder, writes the weights of all."""
    rows = [
        row
        for path in sorted(HERE.glob("joins-*.jsonl"))
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]
    right = np.array([row["is"] in RIGHT for row in rows])
    counts = np.array([1 / row["drawn"] for row in rows])
    stories = np.array([row["story"] for row in rows])
    told = ""
    for table, without in (("later", ""), ("later_unread", NEAR)):
        names = [name for name in rows[0]["signals"] if name != without]
        signals = np.array([[row["signals"][name] for name in names] for row in rows])
        odds = np.zeros(len(rows))
        for story in sorted(set(stories)):
            apart = stories == story
            constant, weights = newton(signals[~apart], right[~apart].astype(float))
            odds[apart] = constant + signals[apart] @ weights
        print(
            f"{table}: {len(rows)} pairs of {len(set(stories))} stories, {right.sum()} right;",
            _shown(odds, right, counts),
        )
        constant, weights = newton(signals, right.astype(float))
        values = {"constant": round(constant, 2)} | dict(zip(names, weights.round(2).tolist(), strict=True))
        told += f"[{table}]\n" + "".join(f"{name} = {value}\n" for name, value in values.items()) + "\n"
    print(told)
    if folder is not None:
        target = Path(cfpm.__file__).parent / "recall" / "joins.toml"
        about = (
            "# Made by `python -m benchmarks train joins --write`: log odds that two passages are about one point.\n\n"
        )
        target.write_text(about + told.rstrip() + "\n", encoding="utf-8")
    return 0


def _shown(odds: Floats, right: NDArray[np.bool_], counts: Floats) -> str:
    """The precision at some shares of the right pairs; a pair counts as often as such ones were not read."""
    order = np.argsort(-odds)
    hits = np.cumsum((right * counts)[order])
    taken = np.cumsum(counts[order])
    places = [int(np.searchsorted(hits / hits[-1], share)) for share in RECALLS]
    return ", ".join(
        f"{share}: {hits[place] / taken[place]:.2f} from {odds[order][place]:.2f}"
        for share, place in zip(RECALLS, places, strict=True)
    )
