"""Learns whether a time without a year lies before or after what is said of it, or repeats, and shows how it does on
each author by what is learnt of the others."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE
from cfpm.text.dates import when as head
from cfpm.text.dates.finding import OpenTime, open_times
from cfpm.text.dates.resolve import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Weights = dict[str, Floats]

EPOCHS, RATE, SHRINK = 25, 0.1, 1e-3
LEAST = 2
"""Examples that a sign must have."""

LINES = (500, 600, 700, 800)
"""Thousandths at which it is shown how many are right."""

ANSWERS = [one.value for one in head.When]
REPEATS = head.When.REPEATS.value


class Row(NamedTuple):
    """A time in a sentence: who wrote it, what speaks for one side, what the lists say, and what is right."""

    author: str
    signs: Sequence[str]
    by_lists: str
    answer: str


def learn(folder: Path | None) -> int:
    """Prints how many are right by the lists alone and where the head is as sure as a line; with a folder, writes
    the weights of all."""
    rows = [*_of_labels(), *_of_dates()]
    for author in dict.fromkeys(row.author for row in rows):
        own = [row for row in rows if row.author == author]
        weights = learnt([row for row in rows if row.author != author])
        shares = [_shares(row.signs, weights) for row in own]
        by_lists = sum(row.by_lists == row.answer for row in own)
        told = [f"{line}: {_right(own, shares, line)}" for line in LINES]
        print(f"{author}: of {len(own)} right by lists {by_lists}; with the head from {', '.join(told)}")
    if folder is not None:
        weights = learnt(rows)
        kept = {name: row for name, row in sorted(weights.items()) if np.abs(row).max() >= 0.02 or not name}
        lines = [f"{name}\t" + "\t".join(f"{value:.3f}" for value in row) for name, row in kept.items()]
        about = "#! Made by `python -m benchmarks train when --write`: " + ", ".join(ANSWERS) + "."
        (Path(head.__file__).parent / "data" / "when.tsv").write_text(
            "\n".join([about, *lines]) + "\n", encoding="utf-8"
        )
    return 0


def _right(rows: Sequence[Row], shares: Sequence[Floats], line: int) -> int:
    told = (
        ANSWERS[int(own.argmax())] if 1_000 * own.max() >= line and row.by_lists != REPEATS else row.by_lists
        for row, own in zip(rows, shares, strict=True)
    )
    return sum(one == row.answer for one, row in zip(told, rows, strict=True))


def _of_labels() -> Iterator[Row]:
    """Times whose words are named."""
    for path in sorted(HERE.glob("when-*.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            at = row["text"].lower().rfind(row["when"].lower())
            if row["is"] in ANSWERS and at >= 0:
                seen = [one for one in _seen(row["text"], row["at"]) if at <= one.start < at + len(row["when"])]
                yield from (_row(path.stem, one, row["is"]) for one in seen[-1:])


def _of_dates() -> Iterator[Row]:
    """Of the sentences of `benchmarks dates` and those of its strangers: times whose side the right answer tells."""
    for path in (*sorted((HERE.parent / "dates" / "data").glob("*.jsonl")), *sorted(HERE.glob("dated-*.jsonl"))):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            seen = _seen(row["text"], row["said"])
            right = row["right"][0] if isinstance(row["right"], list) else row["right"]
            if len(seen) == 1 and (answer := _answer(row, right)):
                yield _row(path.stem, seen[0], answer)
            elif right is not None:
                yield from (_row(path.stem, one, side) for one in seen if (side := _side(one, right)))


def _side(one: OpenTime, right: str) -> str | None:
    """Whether the last or the next time that the words name is the right one."""
    last, following = named(one.parts, replace(one.said, back=True)), named(one.parts, replace(one.said, ahead=True))
    sides = ((last, head.When.BEFORE), (following, head.When.AFTER))
    return next((side.value for made, side in sides if made and made.begins.date().isoformat() == right), None)


def _answer(row: dict[str, str], right: str | None) -> str | None:
    if right is None:
        return head.When.REPEATS.value if row["kind"] in ("recurring", "repeats") else None
    begins = right.lstrip("~").partition("/")[0]
    said = row["said"][: len(begins)]
    return None if begins == said else head.When.BEFORE.value if begins < said else head.When.AFTER.value


def _seen(text: str, at: str) -> list[OpenTime]:
    moment = datetime.fromisoformat(at)
    return open_times(text, moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))


def _row(author: str, seen: OpenTime, answer: str) -> Row:
    by_lists = head.When.REPEATS if seen.recurs else head.When.BEFORE if seen.said.past else head.When.AFTER
    return Row(author, head.signs(seen.parts, seen.said, named), by_lists.value, answer)


def learnt(rows: Sequence[Row]) -> Weights:
    """Softmax regression over the signs, by AdaGrad."""
    counts = Counter(name for row in rows for name in row.signs)
    names = {name: place for place, name in enumerate((name for name, count in counts.items() if count >= LEAST), 1)}
    told_by = [np.array([0, *(names[name] for name in row.signs if name in names)]) for row in rows]
    weights, squares = np.zeros((len(names) + 1, len(ANSWERS))), np.full((len(names) + 1, len(ANSWERS)), 1e-3)
    chance, shrink = random.Random(0), SHRINK * len(rows) / 50
    for _ in range(EPOCHS):
        for place in chance.sample(range(len(rows)), len(rows)):
            own = told_by[place]
            slope = _softmax(weights[own].sum(axis=0))
            slope[ANSWERS.index(rows[place].answer)] -= 1
            slope = slope + shrink * weights[own]
            squares[own] += slope * slope
            weights[own] -= RATE * slope / np.sqrt(squares[own])
    return {"": weights[0], **{name: weights[place] for name, place in names.items()}}


def _shares(signs: Sequence[str], weights: Weights) -> Floats:
    known = [weights[name] for name in ("", *signs) if name in weights]
    totals: Floats = np.add.reduce(known)
    return _softmax(totals)


def _softmax(totals: Floats) -> Floats:
    powers = np.exp(totals - totals.max())
    shares: Floats = powers / powers.sum()
    return shares
