"""Learns which words of talk are a secret that somebody tells, and shows how it does on authors kept apart."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import cfpm
from benchmarks.secrets.corpora import INNOCENT, innocent_texts
from benchmarks.stories.stories import Story
from benchmarks.train.labels import BLIND, HERE
from cfpm.secrets import told
from cfpm.secrets.matching import claims
from cfpm.secrets.patterns import load_patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

EPOCHS, RATE, SHRINK = 12, 0.15, 2e-5
LEAST = 2
"""Examples that a sign must have."""

OF_SECRETS = 3.0
"""How much one example of a secret counts beside one of another value: misses cost more."""

OF_COUNTER_EXAMPLES = 10
"""How many times each value counts of a text that other rules leave as it is."""

MOST_OF_A_CORPUS = 40_000
"""Values of a corpus without secrets that are learnt from."""

OF_STORIES = "told-p.jsonl"
"""The labels of what stories tell."""

FALSE = 0.1
"""Values wrongly taken in 10,000 words of innocent texts, up to which the line goes."""


class Example(NamedTuple):
    """What speaks for a value, and whether it is a secret."""

    signs: Sequence[str]
    secret: bool


def learn(apart: Sequence[str], data: Path, *, write: bool) -> int:
    """Learns from all authors but those kept apart and from texts without secrets; prints how it does on those apart
    and on the other half of the texts, and writes the weights of all."""
    files = sorted(HERE.glob("told-*.jsonl"))
    known = [one for path in files if path.stem not in apart for one in examples(path)] + _left() * OF_COUNTER_EXAMPLES
    innocent, unseen, words = _innocent(data)
    weights = learnt([*known, *innocent])
    scores = np.sort([_score(one.signs, weights) for one in unseen])[::-1]
    line = scores[min(len(scores) - 1, int(FALSE * words / 10_000))]
    print(f"{len(weights)} weights; line {line:.2f}: {(scores >= line).sum()} of {len(scores)} in {words} words")
    for path in files:
        rows = examples(path)
        right = [_score(one.signs, weights) >= line for one in rows if one.secret]
        wrong = [_score(one.signs, weights) >= line for one in rows if not one.secret]
        name = f"{path.stem}{', apart' if path.stem in apart else ''}"
        print(f"{name}: {sum(right)} of {len(right)} found, {sum(wrong)} of {len(wrong)} others taken")
    if write:
        weights[""] -= float(line)
        lines = [f"{name}\t{weight:.3f}" for name, weight in sorted(weights.items()) if abs(weight) >= 0.02 or not name]
        target = Path(cfpm.__file__).parent / "secrets" / "told.tsv"
        target.write_text("#! Made by `python -m benchmarks train told --write`.\n" + "\n".join(lines) + "\n", "utf-8")
    return 0


def examples(path: Path) -> list[Example]:
    """The values of an author's texts."""
    found = []
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        text, secret = row["text"], row.get("secret", "")
        at = text.find(secret) if secret else -1
        for start, end in told.values(text):
            hit = at >= 0 and start < at + len(secret) and end > at
            found.append(Example(told.signs(text, start, end), hit))
    return found


def _innocent(data: Path) -> tuple[list[Example], list[Example], int]:
    """Values of texts without secrets: some to learn from, some to choose the line by, and the words of the latter."""
    learnt: list[Example] = []
    unseen: list[Example] = []
    words = 0
    for every in (*(innocent_texts(data, corpus) for corpus in INNOCENT), said()):
        texts = [text for text in every if len(text) <= told.LONGEST]
        random.Random(0).shuffle(texts)
        half = len(texts) // 2
        own = list(_values_of(texts[:half]))
        learnt += random.Random(0).sample(own, min(len(own), MOST_OF_A_CORPUS))
        unseen += _values_of(texts[half:])
        words += sum(len(text.split()) for text in texts[half:])
    return learnt, unseen, words


def _left() -> list[Example]:
    """Values of texts that other rules leave as they are."""
    return list(_values_of(of_counter_examples()))


def of_counter_examples() -> Iterator[str]:
    """Texts that every other rule has to leave as they are."""
    return (text for pattern in load_patterns() for text in pattern.counter_examples)


def said() -> Iterator[str]:
    """What is said in stories and in labelled pairs, but for what is labelled as telling a secret."""
    telling = {json.loads(line)["text"] for line in (HERE / OF_STORIES).read_text(encoding="utf-8").splitlines()}
    for path in sorted((HERE.parent / "stories").glob("*/*.json")):
        if path.parent.name != BLIND:
            texts = (str(message["content"]) for message in Story.read(path).messages())
            yield from (text for text in texts if text not in telling)
    for path in sorted(HERE.glob("pairs-*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            yield from (row["a"], row["b"])


def _values_of(texts: Iterable[str]) -> Iterator[Example]:
    for text in texts:
        taken = claims(text)  # By other rules, rightly or not.
        for start, end in told.values(text):
            if not any(start < one.end and end > one.start for one in taken):
                yield Example(told.signs(text, start, end), False)


def learnt(
    rows: Sequence[tuple[Sequence[str], bool]], shrink: float = SHRINK, of_secrets: float = OF_SECRETS
) -> dict[str, float]:
    """Logistic regression over the signs of examples, each with whether it is a secret, by AdaGrad."""
    counts = Counter(name for signs, _ in rows for name in signs)
    names = {name: place for place, name in enumerate((name for name, count in counts.items() if count >= LEAST), 1)}
    told_by = [np.array([0, *(names[name] for name in signs if name in names)]) for signs, _ in rows]
    weights, squares = np.zeros(len(names) + 1), np.full(len(names) + 1, 1e-3)
    chance = random.Random(0)
    for _ in range(EPOCHS):
        for place in chance.sample(range(len(rows)), len(rows)):
            own, secret = told_by[place], rows[place][1]
            share = 1 / (1 + np.exp(-weights[own].sum()))
            slope = (share - secret) * (of_secrets if secret else 1.0) + shrink * weights[own]
            squares[own] += slope * slope
            weights[own] -= RATE * slope / np.sqrt(squares[own])
    return {"": float(weights[0]), **{name: float(weights[place]) for name, place in names.items()}}


def _score(signs: Iterable[str], weights: Mapping[str, float]) -> float:
    return weights[""] + sum(weights.get(name, 0.0) for name in signs)
