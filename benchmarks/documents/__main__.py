"""`python -m benchmarks documents [--megabytes N] [--json OUT]`: adds, asks and removes a made-up document."""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

QUESTIONS = 50
"""Needles that are hidden in the document, and asked for."""

_NOUNS = ("kiln", "glaze", "shelf", "order", "invoice", "courier", "clay", "mould", "tray", "cone", "burner", "parcel")
_VERBS = ("keeps", "moves", "checks", "sells", "packs", "heats", "cools", "counts", "writes", "opens", "mends")
_LABELS = ("amber", "birch", "cedar", "dahlia", "ember", "fjord", "garnet", "heron", "iris", "jasper")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when a needle is not found, or a byte is left."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks documents", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=10, help="size of the document (default 10)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cfpm-documents-") as folder:
        figures = _measured(Path(folder), options.megabytes)
    for name, value in figures.items():
        print(f"{name:<28}{value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return int(figures["found"] < QUESTIONS or figures["files with words left"] > 0)


def _measured(folder: Path, megabytes: int) -> dict[str, float]:
    text, needles = _document(megabytes * 1_000_000)
    file = folder / "manual.md"
    file.write_text(text, encoding="utf-8")
    (folder / "store").mkdir()
    reports: list[int] = []
    with Memory.open(folder / "store" / "memory.db") as memory:
        memory.documents.add_text("A first document loads what the embedder needs.", "warm")
        wall, busy = perf_counter(), process_time()
        memory.documents.add(file, progress=lambda done, of: reports.append(done))
        added = perf_counter() - wall, process_time() - busy
        first = perf_counter()
        memory.recall("warm up")
        first = perf_counter() - first
        times, found = [], 0
        for question, answer in needles:
            begun = perf_counter()
            found += answer in memory.recall(question).block
            times.append(perf_counter() - begun)
        begun = perf_counter()
        memory.documents.remove("manual.md")
        removed = perf_counter() - begun
        left = sum(b"The oven called" in one.read_bytes() for one in (folder / "store").iterdir())
    times.sort()
    return {
        "megabytes": megabytes,
        "added, seconds": round(added[0], 2),
        "added, processor seconds": round(added[1], 2),
        "calls of progress": len(reports),
        "first recall, ms": round(first * 1000, 1),
        "recall, median ms": round(times[len(times) // 2] * 1000, 1),
        "recall, 95th ms": round(times[len(times) * 95 // 100] * 1000, 1),
        "questions": len(needles),
        "found": found,
        "removed, seconds": round(removed, 2),
        "files with words left": left,
        "peak memory, MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _document(size: int) -> tuple[str, list[tuple[str, str]]]:
    """A manual of sections, and questions with the number that answers each."""
    chance = random.Random(7)
    needles: list[tuple[str, str]] = []
    parts: list[str] = []
    written = 0
    every = size // QUESTIONS
    for paragraph in _paragraphs(chance):
        if len(needles) < QUESTIONS and written >= every * len(needles):
            label = f"{chance.choice(_LABELS)}-{len(needles):02}"
            number = str(chance.randrange(10_000, 99_999))
            parts.append(f"\n## Oven {label}\nThe oven called {label} has the inspection number {number}.\n")
            needles.append((f"What is the inspection number of the oven {label}?", number))
        parts.append(paragraph)
        written += len(paragraph)
        if written >= size:
            break
    return "".join(parts), needles


def _paragraphs(chance: random.Random) -> Iterator[str]:
    while True:
        sentences = (
            f"The {chance.choice(_NOUNS)} {chance.choice(_VERBS)} the {chance.choice(_NOUNS)} of"
            f" {chance.choice(_NOUNS)} {chance.randrange(1_000)}."
            for _ in range(chance.randrange(3, 9))
        )
        yield f"{' '.join(sentences)}\n\n"


if __name__ == "__main__":
    sys.exit(main())
