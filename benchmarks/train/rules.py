"""Learns which standing rules a statement ends, from dialogues of mentors, talk and stories, and shows how it does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.train.labels import DIALOGUES_READ, HERE, SETS_APART
from benchmarks.train.newton import named, newton, write_weights
from benchmarks.train.pairs import InASet, alone, in_sets
from benchmarks.train.talk import read_in_dialogues, read_in_stories, read_in_talk
from cfpm.text.heads.rule_change import ENDS, Signals, likelihood, signals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from cfpm.text.heads.nearness import Closeness

LINES = (250, 300, 350, 400, 500, 600)
"""Thousandths from which precision and recall are shown."""


def learn(apart: Sequence[str], talk: Path, folder: Path | None) -> int:
    """Learns from what is read in the dialogues that the encoder did not learn from, but those kept apart, in talk of
    the data package, where no rule ends, in stories, and of sets; prints how it does on these, and writes it into a
    folder."""
    names = sorted(DIALOGUES_READ.union(name for name in apart if name.startswith("mentor")))
    dialogues = dict(zip(names, read_in_dialogues([HERE / f"{name}.jsonl" for name in names]), strict=True))
    read = read_in_talk(talk)
    last = read[-1].rules
    others = [(one, False) for each in (read if folder else read[:-1]) for one in each.rules]
    others += [row for story in read_in_stories().values() for row in story.rules]
    others += _in_sets(_rules_of(sorted(SETS_APART)))
    known = [name for name in names if name not in apart]
    own = {name: [*dialogues[name].rows, *_each_alone(dialogues[name].rows)] for name in known}
    weights = _learnt([*others, *(row for name in known for row in own[name])])
    for name in () if folder else known:
        rest = [row for other in known if other != name for row in own[other]]
        _show(f"{name}, by the others", *dialogues[name], _learnt([*others, *rest]))
    for name in apart:
        if name in dialogues:
            _show(name, *dialogues[name], weights)
        elif name.startswith("sets"):
            kept = _rules_of([name])
            _show(name, _in_sets(kept), sum(len(one.ends) for one in kept), weights)
    if folder is None:
        wrong = sum(likelihood(one, weights) >= ENDS for one in last)
        print(f"talk of {read[-1].name}, where no rule ends: {wrong} of {len(last)} that were read")
    else:
        about = "that a statement ends a standing rule"
        write_weights(folder / "rule_change.toml", "rules", about, weights)
    return 0


def _each_alone(rows: Iterable[tuple[Signals, bool]]) -> list[tuple[Signals, bool]]:
    """The same as if no other rule stood: in dialogues most changes come when many do, so that their number alone would
    tell of them."""
    return [
        (replace(one, words=_alone(one.words), meaning=_alone(one.meaning), many=1, others=0), ends)
        for one, ends in rows
    ]


def _alone(one: Closeness) -> Closeness:
    return one._replace(rank=0, gap=one.cosine)


def _rules_of(names: Iterable[str]) -> list[InASet]:
    return [one for one in in_sets(HERE / f"{name}.jsonl" for name in names) if one.kind == "rules"]


def _in_sets(sets: Iterable[InASet]) -> list[tuple[Signals, bool]]:
    return [
        (told, place in one.ends)
        for one in sets
        for place, told in signals(one.newer, alone(one.newer, one.older)).items()
    ]


def _learnt(rows: Sequence[tuple[Signals, bool]]) -> dict[str, float]:
    values = np.array([list(one.values().values()) for one, _ in rows])
    constant, weights = newton(values, np.array([ends for _, ends in rows], dtype=float))
    return named(rows[0][0].values(), constant, weights)


def _show(name: str, rows: Sequence[tuple[Signals, bool]], changes: int, weights: dict[str, float]) -> None:
    shares = [(likelihood(one, weights), ends) for one, ends in rows]
    shown = []
    for line in LINES:
        taken = [ends for share, ends in shares if share >= line]
        shown.append(f"{sum(taken) / max(1, changes):.2f}/{sum(taken) / len(taken) if taken else 1:.2f}")
    print(f"{name}: {changes} changes of rules; found/precision from {', '.join(map(str, LINES))}: {'  '.join(shown)}")
