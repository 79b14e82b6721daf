"""The figures of this benchmark: how a run is timed, what a row says, how the table is written."""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Bound = Literal["at least", "at most", "below"]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds by the wall clock, and of this process on a core. They differ by waiting: for the disk, for others."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Goal:
    """What a figure is held against."""

    bound: Bound
    limit: float

    def met(self, figure: float) -> bool:
        """Whether the figure keeps to it."""
        match self.bound:
            case "at least":
                return figure >= self.limit
            case "at most":
                return figure <= self.limit
            case "below":
                return figure < self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, by the wall clock and, where it makes sense, by process time; `note` says how it came about."""

    part: str
    name: str
    wall: float
    unit: str
    cpu: float | None = None
    goal: Goal | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is met by the wall clock; None without a goal."""
        return self.goal.met(self.wall) if self.goal else None

    @property
    def met_by_cpu(self) -> bool | None:
        """The same by process time: what an idle machine with a fast disk would show."""
        return self.goal.met(self.cpu) if self.goal and self.cpu is not None else None

    def document(self) -> dict[str, Any]:
        """The row as JSON."""
        return {**asdict(self), "met": self.met, "met_by_cpu": self.met_by_cpu}


def timed(run: Callable[[], object]) -> Timing:
    """Runs once."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu)


def best(timings: Iterable[Timing]) -> Timing:
    """The least of each: what the work costs when nothing disturbs it."""
    taken = list(timings)
    return Timing(min(timing.wall for timing in taken), min(timing.cpu for timing in taken))


def median(timings: Iterable[Timing]) -> Timing:
    """The median of each."""
    taken = list(timings)
    return Timing(statistics.median(t.wall for t in taken), statistics.median(t.cpu for t in taken))


def ratio(small: Sequence[Timing], large: Sequence[Timing]) -> tuple[float, float]:
    """How many times as long the large runs take, by the wall and by the processor.

    The median of rounds, each of a small run and a large one right behind it. The best of each would set a quiet moment
    against a run that is too long to be all in one.
    """
    rounds = list(zip(small, large, strict=True))
    return (
        statistics.median(after.wall / before.wall for before, after in rounds),
        statistics.median(after.cpu / before.cpu for before, after in rounds),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load": load if load is None else round(load, 2),
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as fixed-width text."""
    cells = [("measure", "goal", "wall", "", "process", "", "how")]
    cells += [
        (
            f"{row.part}: {row.name}",
            f"{row.goal.bound} {row.goal.limit:g}" if row.goal else "",
            f"{row.wall:.4g} {row.unit}",
            _verdict(row.met),
            "" if row.cpu is None else f"{row.cpu:.4g} {row.unit}",
            _verdict(row.met_by_cpu),
            row.note,
        )
        for row in rows
    ]
    widths = [max(len(cell[n]) for cell in cells) for n in range(6)]
    lines = [
        "  ".join([*(text.ljust(width) for text, width in zip(cell, widths, strict=False)), cell[6]]) for cell in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def _verdict(met: bool | None) -> str:
    return "" if met is None else "met" if met else "NOT MET"
