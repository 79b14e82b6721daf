"""Observes all files of a source into a fresh store and counts what came of it. Writes no table."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.sessions.coverage import Coverage, coverage
from cfpm import Category, CFPMError, Decision, Memory
from cfpm.pipeline.report import Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.sessions.sources import Source


@dataclass(frozen=True, slots=True)
class Outcome:
    """What observing one source brought. `crashed` are the files that ended in an error of ours, with the error."""

    name: str
    files: int
    bytes: int
    seconds: float
    cpu: float
    report: Report
    stored: int
    """Messages in the store afterwards: must be those of the report."""
    coverage: Coverage
    by_category: dict[Category, Counter[Decision]]
    by_reason: Counter[str]
    crashed: tuple[str, ...] = ()

    @property
    def adds_up(self) -> bool:
        """accepted + merged + superseded + rejected = candidates, in the report and in the stored rows alike."""
        rows = sum(sum(counts.values()) for counts in self.by_category.values())
        report = self.report
        total = report.accepted + report.merged + report.superseded + report.rejected
        rejected = sum(report.rejected_by_reason.values())
        return total == report.candidates == rows and rejected == report.rejected and self.stored == report.messages


@contextmanager
def observed(source: Source, data: Path) -> Iterator[tuple[Outcome, Memory]]:
    """The outcome, and the memory while it lasts. Two sources never share a store, so that their figures stay apart."""
    files = source.files(data)
    with (
        tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}") as memory,
    ):
        total, crashed = None, []
        wall, cpu = time.perf_counter(), time.process_time()
        for path in files:
            try:
                report = memory.observe_file(path)
            except CFPMError as error:
                crashed.append(f"{path.name}: {error}")
                continue
            total = report if total is None else total + report
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        yield _outcome(source, files, (wall, cpu), total, tuple(crashed), memory), memory


def _outcome(
    source: Source,
    files: list[Path],
    seconds: tuple[float, float],
    total: Report | None,
    crashed: tuple[str, ...],
    memory: Memory,
) -> Outcome:
    by_category: dict[Category, Counter[Decision]] = {}
    by_reason: Counter[str] = Counter()
    for row in memory.candidates():
        by_category.setdefault(row.category, Counter())[row.decision] += 1
        by_reason[row.reason] += 1
    namespace, store = memory.scope.namespace, memory.store
    return Outcome(
        name=source.name,
        files=len(files),
        bytes=sum(path.stat().st_size for path in files),
        seconds=seconds[0],
        cpu=seconds[1],
        report=total or Report(),
        stored=sum(len(store.messages(namespace, session=name)) for name in store.sessions(namespace)),
        coverage=sum((coverage(source, path) for path in files), Coverage()),
        by_category=by_category,
        by_reason=by_reason,
        crashed=crashed,
    )
