"""Pairs of statements to learn the relation from: those that authors wrote, and those that labelled worlds hold."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.train.dialogues import told
from cfpm.embedding import static_embedder
from cfpm.text.heads.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

NEAR_IN_WORLD = 3
"""Earlier statements of a world that a later one is learnt to differ from: the nearest ones, which are the hardest."""

OF_A_NEAR_ONE, OF_ANOTHER_PAIR, TURNED_ROUND = 0.6, 0.7, 0.7
"""How much an example counts that nobody labelled as a pair."""

BESIDE = 5
"""Of so many rules that stand beside one that was said later, one is learnt from."""

_APART = 6
"""Pairs of an author before and behind a pair that may be about the same."""

_LEAST_NEAR, _MOST_NEAR = 0.15, 0.85


@dataclass(frozen=True, slots=True)
class Pair:
    """`newer` was said after `older`; `weight` is how much the example counts."""

    older: str
    newer: str
    relation: Relation
    weight: float = 1.0


def written(paths: Iterable[Path]) -> list[Pair]:
    """The pairs of these files, in order."""
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [Pair(row["a"], row["b"], Relation(row["label"])) for row in rows]


def of_mentors(paths: Iterable[Path]) -> Iterator[Pair]:
    """Rules with those that they end, and one in so many of those that stand beside them."""
    beside = 0
    for path in paths:
        for one in told(path):
            for place, rule in enumerate(one.rules):
                if place == one.ends:
                    yield Pair(rule, one.newer, Relation.UPDATE)
                elif (beside := beside + 1) % BESIDE == 0:
                    yield Pair(rule, one.newer, Relation.DIFFERENT)


def turned(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Pairs that mean the same the other way round."""
    for pair in pairs:
        if pair.relation in (Relation.SAME, Relation.CONTRADICT):
            yield Pair(pair.newer, pair.older, pair.relation, TURNED_ROUND)


def mixed(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The newer statement of each pair with the nearest older one of another pair of the same author."""
    embed = static_embedder().embed
    older = embed([pair.older for pair in pairs])
    near = embed([pair.newer for pair in pairs]) @ older.T
    for place, pair in enumerate(pairs):
        for other in np.argsort(-near[place], kind="stable")[:12].tolist():
            text = pairs[other].older
            beside = abs(other - place) <= _APART or text in (pair.older, pair.newer)
            if not beside and _LEAST_NEAR <= near[place, other] <= _MOST_NEAR:
                yield Pair(text, pair.newer, Relation.DIFFERENT, OF_ANOTHER_PAIR)
                break


def of_worlds(paths: Iterable[Path]) -> Iterator[Pair]:
    """What is tied in worlds of statements told one after another, and what is near and not tied."""
    for path in paths:
        worlds: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            worlds[row["world"]].append(row)
        for rows in worlds.values():
            yield from _of_world(rows)


def _of_world(rows: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    vectors = static_embedder().embed([row["text"] for row in rows])
    places = {row["n"]: place for place, row in enumerate(rows)}
    tied: dict[int, set[int]] = {}
    for place, row in enumerate(rows):
        number, of = row["n"], row["of"]
        tied[number] = set(of).union(*(tied[one] for one in of))
        for one in of:
            yield Pair(rows[places[one]]["text"], row["text"], Relation(row["relation"]))
        nearest = np.argsort(-(vectors[:place] @ vectors[place]), kind="stable").tolist()
        apart = [one for one in nearest if rows[one]["n"] not in tied[number]]
        for one in apart[:NEAR_IN_WORLD]:
            yield Pair(rows[one]["text"], row["text"], Relation.DIFFERENT, OF_A_NEAR_ONE)
