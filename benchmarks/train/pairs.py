"""Pairs of statements to learn the relation from: those that authors wrote, and those that labelled worlds hold."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.train.dialogues import told
from cfpm.embedding import static_embedder
from cfpm.text.heads.answering import WIDTH, sentence_vectors
from cfpm.text.heads.nearness import Older
from cfpm.text.heads.relation import Relation, judge
from cfpm.text.heads.wide import of_length_1

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

NEAR_IN_WORLD = 3
"""Earlier statements of a world that a later one is learnt to differ from: the nearest ones, which are the hardest."""

OF_A_NEAR_ONE, OF_ANOTHER_PAIR, TURNED_ROUND = 0.6, 0.7, 0.7
"""How much an example counts that nobody labelled as a pair."""

BESIDE, BESIDE_IN_A_LIST = 2, 4
"""Rules that a statement is learnt to leave as they are, the nearest to it; in a list somebody chose them for that."""

OF_AN_END, OF_A_NEAR_RULE = 1.5, 0.8
"""How much the end of a rule counts, and a rule that stands beside it."""

OF_A_SET, STANDS_BESIDE = 1.6, 4
"""How much the end of a statement of a set counts, and of how many that stand a later one is learnt to differ: those
that the head takes for ended most."""

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
    """Rules of dialogues with those that they end, and with the nearest of those that stand beside them."""
    for path in paths:
        for one in told(path):
            yield from _beside(one.newer, one.rules, one.ends, BESIDE)


def of_endings(paths: Iterable[Path]) -> Iterator[Pair]:
    """The same of messages beside a list of rules, of which they end one or none."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield from _beside(row["newer"], row["rules"], row["ends"], BESIDE_IN_A_LIST)


def of_rules(paths: Iterable[Path]) -> Iterator[Pair]:
    """Pairs of a rule and what its user says later."""
    is_ended = dict.fromkeys(("replaces", "part", "ends"), Relation.UPDATE)
    becomes = {**is_ended, "stands": Relation.DIFFERENT, "again": Relation.SAME}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield Pair(row["rule"], row["later"], becomes[row["label"]])


class InASet(NamedTuple):
    """What is said later beside the earlier statements of its set, by their places: what it ends, whole or in part, and
    what it says again."""

    kind: str
    newer: str
    older: Sequence[str]
    ends: frozenset[int]
    same: frozenset[int]


def in_sets(paths: Iterable[Path]) -> Iterator[InASet]:
    """All that is said later in the sets of these files, in order; `kind` is rules or facts."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for one in row["newer"]:
                ends = frozenset((*one["ends"], *one["part"]))
                yield InASet(row["kind"], one["text"], row["older"], ends, frozenset(one.get("same", ())))


def alone(newer: str, older: Sequence[str]) -> list[Older]:
    """These statements beside a newer one, each said by itself, in the order in which they were said."""
    words, vectors = static_embedder().embed([newer, *older]), [_direction(text) for text in (newer, *older)]
    return [
        Older(text, round(float(words[0] @ word), 4), round(float(vectors[0] @ vector), 3), place)
        for place, (text, word, vector) in enumerate(zip(older, words[1:], vectors[1:], strict=True))
    ]


def _direction(text: str) -> NDArray[np.float32]:
    vectors = np.frombuffer(sentence_vectors("", text), dtype=np.int8).reshape(-1, WIDTH).astype(np.float32)
    return of_length_1(vectors.sum(axis=0))


def of_sets(paths: Iterable[Path]) -> Iterator[Pair]:
    """What is said later with what it ends or says again, and with what stands and the head takes most for ended."""
    for one in in_sets(paths):
        yield from (Pair(one.older[place], one.newer, Relation.UPDATE, OF_A_SET) for place in sorted(one.ends))
        yield from (Pair(one.older[place], one.newer, Relation.SAME) for place in sorted(one.same))
        stands = [text for place, text in enumerate(one.older) if place not in one.ends | one.same]
        told = judge(one.newer, stands)
        surest = sorted(zip(told, stands, strict=True), key=lambda each: -(each[0].update + each[0].contradict))
        yield from (Pair(text, one.newer, Relation.DIFFERENT) for _, text in surest[:STANDS_BESIDE])


def _beside(newer: str, rules: Sequence[str], ends: int, most: int) -> Iterator[Pair]:
    if ends >= 0:
        yield Pair(rules[ends], newer, Relation.UPDATE, OF_AN_END)
    vectors = static_embedder().embed([newer, *rules])
    nearest = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable").tolist()
    for place in [one for one in nearest if one != ends][:most]:
        yield Pair(rules[place], newer, Relation.DIFFERENT, OF_A_NEAR_RULE)


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
