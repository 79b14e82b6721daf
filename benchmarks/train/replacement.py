"""Learns how surely a statement takes an older one's place, from labelled pairs and from long talk."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.train.labels import HERE, SETS_APART, STORIES_APART
from benchmarks.train.newton import named, newton, thousandths, write_weights
from benchmarks.train.pairs import in_sets
from benchmarks.train.talk import GONE, read_in_talk, reads
from cfpm.embedding import static_embedder
from cfpm.text.heads.odds import log_odds
from cfpm.text.heads.relation import judge
from cfpm.text.heads.replacement import CLEARLY, LEAST, NOT_AGAINST, REPLACES, values

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

LEARNT_FROM, APART = (
    ("pairs-f3", "pairs-f6", "pairs-f7", "worlds-w9"),
    ("pairs-f8", "pairs-f9", "pairs-c4", "worlds-w12", "sets-26", "sets-44"),
)
"""Authors from whom the relation head did not learn, since what it says of its own examples is too sure."""

TESTED = ("l1", "l2", "l3", "l4")
"""Of the stories that it did not learn from, those that it is tested on."""

Rows = list[tuple[dict[str, float], bool]]


def learn(talk: Path, folder: Path | None) -> int:
    """Prints how it does on authors kept apart and on the last conversation; with a folder, learns from all
    conversations and writes it there."""
    read = read_in_talk(talk)
    known: Rows = [row for name in LEARNT_FROM for row in _labelled(HERE / f"{name}.jsonl")]
    known += _read_in_stories(frozenset(STORIES_APART) - frozenset(TESTED))
    known += _of_excerpts(HERE / "changes-c1.jsonl")
    known += _in_sets([HERE / f"{name}.jsonl" for name in sorted(SETS_APART)])
    known += [(one, False) for each in (read if folder else read[:-1]) for one in each.updates]
    names = list(known[0][0])
    table = np.array([list(one.values()) for one, _ in known])
    constant, weights = newton(table, np.array([taken for _, taken in known], dtype=float))
    last: Rows = [(one, False) for one in read[-1].updates]
    apart = [(name, _labelled(HERE / f"{name}.jsonl")) for name in APART]
    stories = ("stories", _read_in_stories(frozenset(TESTED)))
    for name, rows in (one for one in (*apart, stories, (read[-1].name, last)) if one[1]):
        shares = thousandths(np.array([list(one.values()) for one, _ in rows]), constant, weights)
        clearly = np.array([one["update"] >= log_odds(CLEARLY) for one, _ in rows]) & (shares >= NOT_AGAINST)
        sure = ((shares >= REPLACES) | clearly) & np.array([_seems(one) for one, _ in rows])
        right = np.array([taken for _, taken in rows])
        found, wrong = (sure & right).sum(), (sure & ~right).sum()
        print(f"{name}: {found} of {right.sum()} updates found, {wrong} of {(~right).sum()} others taken for one")
    if folder is not None:
        about = "that a statement takes a place"
        write_weights(folder / "replacement.toml", "replacement", about, named(names, constant, weights))
    return 0


def _seems(one: dict[str, float]) -> bool:
    """Whether the relation head is sure enough for it to be weighed."""
    return one["update"] >= log_odds(LEAST)


def _labelled(path: Path) -> Rows:
    if path.stem.startswith("sets"):
        return _in_sets([path])
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    written = [(row.get("b", ""), row.get("a", ""), row.get("label") == "update") for row in rows]
    pairs = _of_worlds(rows) if "world" in rows[0] else written
    return [(values(newer, older, judge(newer, [older])[0]), taken) for newer, older, taken in pairs]


def _read_in_stories(names: AbstractSet[str]) -> Rows:
    """What a memory read in these stories, of which most only looks like a change."""
    pairs = [(row["newer"], row["older"], row["is"] in GONE) for row in reads() if row["story"] in names]
    return [(values(newer, older, judge(newer, [older])[0]), taken) for newer, older, taken in pairs]


def _in_sets(paths: Sequence[Path]) -> Rows:
    """Facts beside what is said later; of those that stand only what seems to be replaced."""
    told = [
        (one, place, values(one.newer, one.older[place], judged))
        for one in in_sets(paths)
        if one.kind == "facts"
        for place, judged in enumerate(judge(one.newer, one.older))
    ]
    return [(row, place in one.ends) for one, place, row in told if place in one.ends or _seems(row)]


def _of_excerpts(path: Path) -> Rows:
    """The odd ones of two messages, which the second one changes or only looks so."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    told = [([each["text"] for each in row["messages"]], row) for row in rows if int(row["id"][-1]) % 2]
    pairs = [(texts[1], texts[0], bool(row["gone"])) for texts, row in told if len(texts) > 1]
    return [(values(newer, older, judge(newer, [older])[0]), taken) for newer, older, taken in pairs]


def _of_worlds(rows: list[dict[str, object]]) -> list[tuple[str, str, bool]]:
    """Updates with what they replace, and new statements with the two nearest before them."""
    starts = [place for place, row in enumerate(rows) if not place or row["world"] != rows[place - 1]["world"]]
    found: list[tuple[str, str, bool]] = []
    for first, end in pairwise([*starts, len(rows)]):
        texts = {str(row["n"]): str(row["text"]) for row in rows[first:end]}
        for place, row in enumerate(rows[first:end]):
            newer, older = str(row["text"]), list(texts.values())[:place]
            if row["relation"] == "update":
                told = row["of"]
                assert isinstance(told, list)
                found += [(newer, texts[str(one)], True) for one in told]
            elif row["relation"] == "new" and older:
                vectors = static_embedder().embed([newer, *older])
                near = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")[:2]
                found += [(newer, older[one], False) for one in near.tolist()]
    return found
