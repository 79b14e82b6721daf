"""Learns which standing rules a statement ends, from dialogues of mentors, talk and stories, and shows how it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.train.dialogues import told
from benchmarks.train.labels import DIALOGUES_APART, HERE, SETS_APART
from benchmarks.train.newton import named, newton, write_weights
from benchmarks.train.pairs import InASet, in_sets
from benchmarks.train.talk import read_in_stories, read_in_talk
from cfpm.text.heads.rule_change import ENDS, Signals, likelihood, signals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

LINES = (500, 600, 700, 800, 900)
"""Thousandths from which precision and recall are shown."""

FEW = (1, 2, 4, 6)
"""As how few rules the nearest ones are read besides, while it learns."""

OF_TALK = 2
"""How many times each rule read in long talk counts: of 986 some 27 are taken for ended, with one time 46."""


def learn(apart: Sequence[str], talk: Path, folder: Path | None) -> int:
    """Learns from the dialogues that the encoder did not learn from, but those kept apart, from what is read in talk of
    the data package, where no rule ends, and from what is read in stories; prints how it does on these, and writes it
    into a folder."""
    files = sorted(HERE.glob("mentor-*.jsonl"))
    known = [path for path in files if path.stem not in apart and path.stem in DIALOGUES_APART]
    read = read_in_talk(talk)
    last = read[-1].rules
    rows = [row for path in known for row in _rows(path, FEW)]
    rows += [(one, False) for each in (read if folder else read[:-1]) for one in each.rules] * OF_TALK
    rows += read_in_stories()
    rows += _in_sets(_rules_of(sorted(SETS_APART)))
    weights = _learnt(rows)
    for path in files:
        if path.stem in apart:
            _show(path.stem, _rows(path), sum(one.ends >= 0 for one in told(path)), weights)
    for name in (name for name in apart if name.startswith("sets")):
        kept = _rules_of([name])
        _show(name, _in_sets(kept), sum(len(one.ends) for one in kept), weights)
    if folder is None:
        wrong = sum(likelihood(one, weights) >= ENDS for one in last)
        print(f"talk of {read[-1].name}, where no rule ends: {wrong} of {len(last)} that were read")
    else:
        about = "that a statement ends a standing rule"
        write_weights(folder / "rule_change.toml", "rules", about, weights)
    return 0


def _rows(path: Path, few: Sequence[int] = ()) -> list[tuple[Signals, bool]]:
    """What is read of each statement and its rules; with `few` also as if only so many of the nearest stood: in
    dialogues most changes come when many rules stand, so that their number alone would tell of them."""
    found = []
    for newer, rules, ends in told(path):
        read = signals(newer, rules)
        found += [(one, place == ends) for place, one in read.items()]
        for many in (many for many in few if many < len(rules)):
            nearest = list(read)[:many]
            left = signals(newer, [rules[place] for place in nearest])
            found += [(one, nearest[place] == ends) for place, one in left.items()]
    return found


def _rules_of(names: Iterable[str]) -> list[InASet]:
    return [one for one in in_sets(HERE / f"{name}.jsonl" for name in names) if one.kind == "rules"]


def _in_sets(sets: Iterable[InASet]) -> list[tuple[Signals, bool]]:
    return [(told, place in one.ends) for one in sets for place, told in signals(one.newer, one.older).items()]


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
