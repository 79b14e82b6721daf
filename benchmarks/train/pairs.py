"""Pairs of statements to learn the relation from: those that authors wrote, and those that labelled worlds hold."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.stories.stories import Story
from benchmarks.train.dialogues import told
from cfpm.embedding import sentence_embedder, static_embedder
from cfpm.text.heads.answering import spans
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
_LEAST_IN_TALK, _NEAREST_IN_TALK = 0.2, 0.9

OF_AN_AGENT = 0.6
"""How much an example counts of which the agent said one part."""


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


def of_talk(path: Path) -> Iterator[Pair]:
    """Of a story the sentences that hold no longer, each with those that took its place; what its author says looks so
    and holds; and what is near to a sentence of the user and neither."""
    story = Story.read(path)
    said = said_in(story)
    changed = changed_in(story, said)
    beside = {pair for one, other in story.beside for pair in _in_order(said, one, other)} - changed
    alike = [{at for words in one.found for at in _holding(said, words)} for one in story.questions]
    for older, newer in sorted(changed):
        ours = said[older].user and said[newer].user
        yield Pair(said[older].text, said[newer].text, Relation.UPDATE, 1.0 if ours else OF_AN_AGENT)
    for older, newer in sorted(beside):
        yield Pair(said[older].text, said[newer].text, Relation.DIFFERENT)
    for older, newer in _near(said):
        if (older, newer) not in changed | beside and not any({older, newer} <= same for same in alike):
            yield Pair(said[older].text, said[newer].text, Relation.DIFFERENT, OF_A_NEAR_ONE)


class Sentence(NamedTuple):
    """A sentence of a story: whose it is, and where it stands, by the number of its message."""

    text: str
    user: bool
    message: int
    start: int
    whole: str


def changed_in(story: Story, said: Sequence[Sentence]) -> set[tuple[int, int]]:
    """The places of what holds no longer, each with that of what took its place."""
    told = [(old, new) for one in story.questions for old in one.outdated for new in one.found]
    return {pair for older, newer in (*story.changes, *told) for pair in _in_order(said, older, newer)}


def said_in(story: Story) -> list[Sentence]:
    """The sentences of a story."""
    return [
        Sentence(text[start:end], message["role"] == "user", number, start, text.casefold())
        for number, message in enumerate(story.messages())
        for text in [str(message["content"])]
        for start, end in spans(text)
    ]


def _holding(said: Sequence[Sentence], words: str) -> list[int]:
    """The sentences that have at least half of these words of a message."""
    found = []
    for place, one in enumerate(said):
        at = one.whole.find(words.casefold())
        both = min(one.start + len(one.text), at + len(words)) - max(one.start, at)
        if at >= 0 and both * 2 >= len(words):
            found.append(place)
    return found


def _in_order(said: Sequence[Sentence], older: str, newer: str) -> Iterator[tuple[int, int]]:
    for one in _holding(said, older):
        for other in _holding(said, newer):
            if said[one].message < said[other].message:
                yield one, other


def _near(said: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
    """For each statement of the user the nearest ones that the user made before, but for those that say the same."""
    vectors = sentence_embedder().embed([one.text for one in said])
    vectors -= vectors.mean(axis=0)
    vectors /= np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-9)
    states = np.array([one.user and not one.text.rstrip().endswith(("?", "？")) for one in said])
    messages = np.array([one.message for one in said])
    for newer in np.flatnonzero(states).tolist():
        close = vectors @ vectors[newer]
        close[~states | (messages >= messages[newer]) | (close > _NEAREST_IN_TALK)] = -1
        for older in np.argsort(-close, kind="stable")[:NEAR_IN_WORLD].tolist():
            if close[older] >= _LEAST_IN_TALK:
                yield older, newer


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
