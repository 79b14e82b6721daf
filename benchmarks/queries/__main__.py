"""`python -m benchmarks queries [FILE ...]`: recall of what a query of each shape needs, beside BM25 and vectors."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from benchmarks.queries.methods import methods
from benchmarks.queries.queries import HERE, QuerySet, read, told
from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.queries.methods import Method

CUTS = (5, 10)
BUDGETS = (600, 1_200)
"""Tokens of a block."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 whatever the figures are, 2 without a file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks queries", description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="Files of queries; without one those kept here.")
    parser.add_argument("--misses", action="store_true", help="Also name the queries whose needs were not found.")
    parser.add_argument("--json", type=Path, metavar="OUT", help="Write the figures there.")
    given = parser.parse_args(arguments)
    paths = given.files or sorted(HERE.glob("*.jsonl"))
    if not all(path.is_file() for path in paths):
        print(f"queries: not a file among {', '.join(map(str, paths))}. Name files of queries", file=sys.stderr)
        return 2
    figures: dict[str, dict[str, object]] = {}
    for path in paths:
        asked = read(path)
        with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
            told(asked.statements, memory)
            found = {name: Found(asked, method) for name, method in methods(memory, asked.statements).items()}
            beside = newer_beside(memory, asked)
        figures[asked.name] = {name: one.document() for name, one in found.items()}
        figures[asked.name]["newer beside older"] = beside
        print(f"{asked.name}: {len(asked.statements)} statements, {len(asked.queries)} queries\n{table(found)}")
        for tokens, (older, newer, first) in beside.items():
            print(f"  blocks of {tokens}: {older} older values shown, {newer} with the newer one, {first} behind it")
        if given.misses:
            print("\n".join(found["recall"].misses))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


class Found:
    """What one method found for all queries of a set."""

    def __init__(self, asked: QuerySet, method: Method) -> None:
        self.recall: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        """Of each query of a shape the share of its needs that was found at the cuts."""
        self.misses: list[str] = []
        shown: Counter[str] = Counter()
        for query in asked.queries:
            found = method(query.text, max(CUTS))
            shown.update(set(found))
            shares = tuple(mean(not one.isdisjoint(found[:cut]) for one in query.needed) for cut in CUTS)
            self.recall[query.shape].append(shares)
            if shares[-1] < 1:
                needed = " ".join(sorted(min(one) for one in query.needed))
                self.misses.append(f"  {query.shape} needs {needed}: {query.text!r}")
        self.hub = max(shown.values(), default=0) / len(asked.queries)
        """The largest share of queries among whose best stands the same message."""

    def document(self) -> dict[str, object]:
        """For JSON: percentages."""
        return {
            shape: {f"@{cut}": round(100 * mean(row[place] for row in rows), 1) for place, cut in enumerate(CUTS)}
            for shape, rows in self.recall.items()
        } | {"hub": round(100 * self.hub, 1)}


def newer_beside(memory: Memory, asked: QuerySet) -> dict[int, tuple[int, int, int]]:
    """Of the blocks of all queries by their budget: statements in them that a later one replaces or denies, those of
    them with a later one in the block or in a mark, and those of these behind it."""
    changed = {
        one.ident: [
            other
            for other in asked.statements
            if other.world == one.world and one.number in other.of and other.relation in ("update", "contradict")
        ]
        for one in asked.statements
    }
    found = {}
    for tokens in BUDGETS:
        older = newer = first = 0
        for query in asked.queries:
            lines = memory.recall(query.text, max_tokens=tokens).lines
            at = {one.ident: n for one in asked.statements for n, line in enumerate(lines) if one.text in line}
            for one in asked.statements:
                if one.ident in at and changed[one.ident] and query.text != one.text:
                    places = [at[other.ident] for other in changed[one.ident] if other.ident in at]
                    older += 1
                    newer += bool(places)
                    first += any(place <= at[one.ident] for place in places)
        found[tokens] = (older, newer, first)
    return found


def table(found: dict[str, Found]) -> str:
    """A line for each shape and method at both cuts, and the hubs."""
    head = f"  {'':<18}{'n':>4}" + "".join(f"{name:>16}" for name in found)
    lines = [f"{head}      (@{', @'.join(map(str, CUTS))})"]
    for shape, rows in next(iter(found.values())).recall.items():
        cells = [_cell(one.recall[shape]) for one in found.values()]
        lines.append(f"  {shape:<18}{len(rows):>4}" + "".join(f"{cell:>16}" for cell in cells))
    lines.append(f"  {'hub':<22}" + "".join(f"{100 * one.hub:>16.1f}" for one in found.values()))
    return "\n".join(lines)


def _cell(rows: Sequence[tuple[float, ...]]) -> str:
    return " / ".join(f"{100 * mean(row[place] for row in rows):.1f}" for place in range(len(CUTS)))


if __name__ == "__main__":
    sys.exit(main())
