"""Learns which earlier statements are worth reading beside a newer one: from worlds of statements, and from chat logs
in which their authors labelled every change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE, KEPT_APART
from benchmarks.train.later import Said, beside, later, said
from benchmarks.train.newton import named, newton, write_weights
from cfpm.pruner.candidates import LEAST_NEAR, NEAREST
from cfpm.text.heads.nearness import LEAST, nearest, values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

LOGS = Path(__file__).parents[1] / "stories" / "data"
APART = ("n4", "n7", "n10")
"""Logs on which it is tested, one of them Chinese."""

AFTER_TALKS = ("later-h",)
"""What users say after talks, on which it is tested."""

FEW = (1, 2, 3, 4)
"""Of how many statements that are read one is to be the right one."""


class Change(NamedTuple):
    """The statements that are near to a newer one, and the places of those that it touches; `lost` when none of these
    is near."""

    values: list[dict[str, float]]
    right: frozenset[int]
    lost: bool


def learn(folder: Path | None) -> int:
    """Prints how often one of the few likeliest is the right one, in what is kept apart, and what is not worth reading;
    with a folder, learns from all and writes it there."""
    worlds = {path.stem: list(_of_world_file(path)) for path in sorted(HERE.glob("worlds-*.jsonl"))}
    logs = {path.stem: list(_of_log(path)) for path in sorted(LOGS.glob("n*.json"))}
    apart = {name: of for name, of in {**worlds, **logs}.items() if name in APART or name in KEPT_APART}
    known = [one for name, of in {**worlds, **logs}.items() for one in of if folder or name not in apart]
    apart |= {name: list(_after_talks(HERE / f"{name}.jsonl")) for name in AFTER_TALKS}
    names = list(next(one for one in known if one.values).values[0])
    table = np.array([list(each.values()) for one in known for each in one.values])
    right = np.array([float(place in one.right) for one in known for place in range(len(one.values))])
    constant, weights = newton(table, right)
    for name, of in apart.items():
        _show(name, of, constant, weights)
    if folder is not None:
        about = "that a statement touches another"
        write_weights(folder / "nearness.toml", "nearness", about, named(names, constant, weights))
    return 0


def _show(name: str, of: list[Change], constant: float, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    touching = [one for one in of if one.right or one.lost]
    hits, kept, read, worth = dict.fromkeys(FEW, 0), 0, 0, 0
    for one in of:
        if not one.values:
            continue
        scores = np.array([list(each.values()) for each in one.values]) @ weights + constant
        order = np.argsort(-scores, kind="stable")
        for few in FEW:
            hits[few] += bool(one.right.intersection(order[:few].tolist()))
        read += len(order[:2])
        worth += int((scores[order[:2]] >= LEAST).sum())
        kept += any(scores[place] >= LEAST for place in one.right.intersection(order[:2].tolist()))
    shown = ", ".join(f"{few}: {hits[few] / len(touching):.2f}" for few in FEW)
    print(f"{name}: {len(touching)} that touch an older one; it is among the likeliest {shown}")
    print(f"  of {read} pairs of the likeliest two {worth} are worth reading, with {kept} of {hits[2]} right ones")


def _of_world_file(path: Path) -> Iterator[Change]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for world in dict.fromkeys(row["world"] for row in rows):
        told = [row for row in rows if row["world"] == world]
        sentences = [said("", row["text"], place)[0] for place, row in enumerate(told)]
        places = {str(row["n"]): place for place, row in enumerate(told)}
        for place, row in enumerate(told):
            touched = row["of"] if row["relation"] != "new" else []
            yield _change(sentences[place], sentences[:place], {places[str(one)] for one in touched})


def _of_log(path: Path) -> Iterator[Change]:
    log = json.loads(path.read_text(encoding="utf-8"))
    sentences: list[Said] = []
    before, number = "", 0
    for session in log["sessions"]:
        for message in session["messages"]:
            number += 1
            if message["role"] == "user":
                sentences += said(before, message["content"], number)
            before = message["content"]
    for change in log["changes"]:
        newer = next((one for one in sentences if change["new"] in one.text), None)
        older = [one for one in sentences if newer is not None and one.message < newer.message]
        right = {place for place, one in enumerate(older) if change["old"] in one.text}
        if newer is not None and right:
            yield _change(newer, older, right)


def _after_talks(path: Path) -> Iterator[Change]:
    for one in later([path]):
        yield _change(one.newer, one.older, one.ends)


def _change(newer: Said, older: Sequence[Said], right: AbstractSet[int]) -> Change:
    if not older:
        return Change([], frozenset(), lost=False)
    told = beside(newer, older)
    near = nearest([one.cosine for one in told], [one.meant for one in told], NEAREST, LEAST_NEAR)
    found = frozenset(at for at, place in enumerate(near) if place in right)
    return Change(values(newer.text, [told[place] for place in near]), found, bool(right) and not found)
