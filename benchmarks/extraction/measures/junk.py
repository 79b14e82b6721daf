"""The junk benchmark as one set of this one: what is accepted of junk, what is lost of good facts, by half.

Its cases ship with the project, so the data folder is not asked. The kinds are shown by `python -m benchmarks junk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.extraction.result import Example, Result, Row
from benchmarks.junk.cases import HALVES
from benchmarks.junk.report import GOOD_GOAL, JUNK_GOAL
from benchmarks.junk.runs import run

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor
    from benchmarks.junk.scoring import Outcome

NAME = "junk"


def measure(data: Path, extractor: Extractor) -> Result | None:
    """Two rows for each half, and the mistakes of the open half; the texts of the kept half are not shown."""
    reports = {half: run(half, extractor) for half in HALVES}
    rows: list[Row] = []
    for half, report in reports.items():
        total = report.total
        rows += (
            Row(NAME, f"junk accepted, {half} half", total.accepted_share, total.junk, JUNK_GOAL, at_least=False),
            Row(NAME, f"good facts lost, {half} half", total.lost_share, total.good, GOOD_GOAL, at_least=False),
        )
    return Result(tuple(rows), tuple(_example(item) for item in reports["open"].outcomes if item.wrong))


def _example(item: Outcome) -> Example:
    what = "miss" if item.expected.stored else "junk"
    return Example(NAME, what, item.expected.text, f"{item.case.kind}: {item.case.why}", item.case.id)
