"""Reads the labelled sentence pairs of the data package. Only what is there is read; a missing set is left out."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DUPLICATE = 4.5
"""Mean human score of 5 from which a pair counts as saying the same (shared design, benchmarks 5.3)."""

UNRELATED = 3.0
"""Under this score the annotators saw at most the same topic."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences and what people said of them; `score` is 0 to 5, -1 where the set has no scale."""

    first: str
    second: str
    score: float
    contradiction: bool = False
    paraphrase: bool | None = None

    @property
    def duplicate(self) -> bool:
        """True when people hold the two for the same."""
        if self.paraphrase is not None:
            return self.paraphrase
        return self.score >= DUPLICATE and not self.contradiction

    @property
    def unrelated(self) -> bool:
        """True when people hold the two for different matters."""
        return 0 <= self.score < UNRELATED


def sets(folder: Path) -> dict[str, list[Pair]]:
    """The sets found under `folder`, by name. Empty when there is none."""
    dedup = folder / "dedup" if (folder / "dedup").is_dir() else folder
    readers = {
        "SICK": _sick(dedup),
        "STS-B en": _stsb(dedup, "en"),
        "STS-B zh": _stsb(dedup, "zh"),
        "MRPC": _mrpc(dedup),
    }
    found = {name: list(pairs) for name, pairs in readers.items()}
    return {name: pairs for name, pairs in found.items() if pairs}


def _sick(folder: Path) -> Iterator[Pair]:
    for path in sorted(folder.glob("sick2014/SICK_*.txt")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield Pair(
                    row["sentence_A"],
                    row["sentence_B"],
                    float(row["relatedness_score"]),
                    contradiction=row["entailment_judgment"] == "CONTRADICTION",
                )


def _stsb(folder: Path, language: str) -> Iterator[Pair]:
    for path in sorted(folder.glob(f"stsb_multi_mt/data/stsb-{language}-*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for first, second, score in csv.reader(file):
                yield Pair(first, second, float(score))


def _mrpc(folder: Path) -> Iterator[Pair]:
    for path in sorted([*folder.glob("msr/*.tsv"), *folder.glob("msr/*.txt"), *folder.glob("mrpc/*.t*")]):
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if len(row) == 5 and row[0] in ("0", "1"):
                    yield Pair(row[3], row[4], -1.0, paraphrase=row[0] == "1")
