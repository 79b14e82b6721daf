"""The small set that ships with the project: six conversations in English and Chinese, written for it.

A smoke test and an example of the format, too small to compare memories by.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from benchmarks.extraction import figures, misses
from benchmarks.extraction.conversation import Conversation
from benchmarks.extraction.labelled import Labelled, answer
from benchmarks.extraction.result import Result, Row
from benchmarks.extraction.scoring import Gold
from cfpm.transcript.messages import parse_messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor
    from benchmarks.extraction.labelled import Answer

NAME = "bundled"


def measure(data: Path, extractor: Extractor) -> Result | None:
    """All rows of the set, which is always there."""
    answers = [answer(item, extractor) for item in labelled()]
    rows = (
        *figures.rows(NAME, answers, {}),
        *_category_recall(answers),
        *figures.category_rows(NAME, answers),
    )
    return Result(rows, misses.examples(NAME, answers))


def _category_recall(answers: Sequence[Answer]) -> Iterator[Row]:
    yield from figures.label_rows(NAME, answers, str)
    pairs = [(item.labelled.gold[g], item.predicted[p]) for item in answers for g, p in item.found.items()]
    agreed = sum(fact.label == prediction.category for fact, prediction in pairs)
    yield Row(NAME, "found facts with the right category", figures.share(agreed, len(pairs)), len(pairs))


def labelled() -> list[Labelled]:
    """The conversations with their facts; the label of a fact is its category."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in _lines("conversations.jsonl"):
        rows.setdefault(row["session"], []).append(row)
    gold: dict[str, list[Gold]] = {}
    for row in _lines("gold.jsonl"):
        fact = Gold(row["text"], frozenset(row["evidence"]), row["category"])
        gold.setdefault(row["session"], []).append(fact)
    return [
        Labelled(Conversation(name, tuple(parse_messages(said, source=name))), tuple(gold[name]))
        for name, said in rows.items()
    ]


def _lines(name: str) -> Iterator[dict[str, Any]]:
    file = resources.files("benchmarks.extraction").joinpath("bundled", name)
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
