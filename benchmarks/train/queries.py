"""Learns what a query asks for, and shows how that does on each author by what is learnt of the others, and on the
questions and orders of stories, which ask for single things."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.stories.stories import Story
from benchmarks.train.labels import HERE
from benchmarks.train.newton import newton, thousandths
from cfpm.recall.question import ACTS, TELLS
from cfpm.recall.whole import ASKED
from cfpm.text.heads import recap, requests, wholes
from cfpm.text.heads.queries import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Labelled = tuple[list[str], Floats]

LINES = (400, 500, 600, 700, 800)
"""Thousandths from which it is shown what is found, and what is taken for it."""

DRAWN = 1.0
"""How strongly weights are drawn to nothing."""

LEAST = 3
"""Queries that must have a word, or two together, for it to be weighed by itself."""


@dataclass(frozen=True, slots=True)
class Head:
    """A head of queries: the names of its files of labels, what these call a query that asks so, what is weighed of a
    query and the words that such queries have, its answer, from which share it is believed, and what a query of a
    story, which asks otherwise, counts beside one of the labels."""

    files: str
    label: str
    values: Callable[[str, Collection[str]], dict[str, float]]
    share: Callable[[str], int]
    surely: int
    of_stories: float
    orders: bool = True
    """Whether orders of stories ask otherwise, too."""


HEADS = {
    "recap": Head("recap", "R", recap.values, recap.asks_for_sessions, recap.SURELY, 0.5),
    "requests": Head(
        "requests", "do", lambda query, _: requests.values(query), requests.asks_to_act, ACTS, 0.1, orders=False
    ),
    "tells": Head("tells", "tell", lambda query, _: requests.values(query), requests.only_tells, TELLS, 0.1),
    **{
        wholes.table_of(whole): Head("about", whole, wholes.values, partial(wholes.asks_for, whole), ASKED, 0.5)
        for whole in wholes.WHOLES
    },
}


def learn(name: str, folder: Path | None) -> int:
    """Prints what is found of each author, what is taken for it of their look-alikes and of stories; with a folder,
    writes the weights of all."""
    head = HEADS[name]
    authors = [_read(path, head) for path in sorted(HERE.glob(f"{head.files}-*.jsonl"))]
    told = [*_of_stories(head)]
    for place, (texts, asks) in enumerate(authors):
        others = [one for at, one in enumerate(authors) if at != place]
        known, weights = _learnt(head, others, told[::2])
        own, rest = (_sure(head, some, known, weights) for some in (texts, told[1::2]))
        if not asks.any():
            continue
        print(f"{len(texts)} queries, {asks.sum():.0f} that ask so: found; others taken; of stories taken")
        for line in LINES:
            taken = own >= line
            print(f"  {line}: {taken[asks > 0].mean():.2f} {taken[asks == 0].mean():.3f} {(rest >= line).mean():.4f}")
    for path in sorted(HERE.glob(f"fresh-{head.files}-*.jsonl")):
        texts, asks = _read(path, head)
        taken = np.array([head.share(text) >= head.surely for text in texts])
        print(
            f"{path.name}, from which nothing has learnt, by the weights that ship: found {taken[asks > 0].mean():.2f}"
        )
        print(f"  of {asks.sum():.0f}, others taken {taken[asks == 0].mean():.2f} of {(1 - asks).sum():.0f}")
    if folder is not None:
        known, weights = _learnt(head, authors, told)
        lines = [f"# Made by `python -m benchmarks train {name} --write`: log odds that a query asks so."]
        lines += [" ".join(sorted(known)), *(f"{sign}\t{value:.3f}" for sign, value in weights.items())]
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _read(path: Path, head: Head) -> Labelled:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["text"] for row in rows], np.array([row["label"] == head.label for row in rows], dtype=float)


def _of_stories(head: Head) -> list[str]:
    stories = [Story.read(path) for path in sorted((HERE.parent / "stories").glob("*/*.json"))]
    return [one.asked for story in stories for one in (*story.questions, *(story.orders if head.orders else ()))]


def _learnt(head: Head, authors: Sequence[Labelled], told: Sequence[str]) -> tuple[frozenset[str], dict[str, float]]:
    """The words that such queries have, and the weights. A query that is learnt from does not know its own words."""
    pairs = [(text, bool(ask)) for texts, asks in authors for text, ask in zip(texts, asks, strict=True)]
    counts = Counter(word for text, ask in pairs if ask for word in set(words(text)))
    rows = []
    for text, ask in pairs:
        own = set(words(text)) if ask else set()
        rows.append(head.values(text, {word for word in words(text) if counts[word] > (word in own)}))
    often = Counter(name for row in rows for name in row)
    names = [name for name, count in often.items() if count >= LEAST]
    rows += [head.values(text, counts) for text in told]
    table = _table(rows, names)
    asks = np.array([ask for _, ask in pairs] + [False] * len(told), dtype=float)
    even = np.array([1.0] * len(pairs) + [head.of_stories] * len(told))
    constant, weights = newton(table, asks, DRAWN, even, same_spread=False)
    return frozenset(counts), {"constant": constant, **dict(zip(names, weights.tolist(), strict=True))}


def _table(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> Floats:
    return np.array([[row.get(name, 0.0) for name in names] for row in rows])


def _sure(head: Head, texts: Sequence[str], known: Collection[str], weights: Mapping[str, float]) -> Floats:
    constant, *others = weights.values()
    table = _table([head.values(text, known) for text in texts], [*weights][1:])
    return thousandths(table, constant, np.array(others))
