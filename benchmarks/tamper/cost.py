"""What the seals and the watch add to a turn: processor time of the same turns with and without, alternating."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tamper.samples import turn
from cfpm import Memory

TURNS = 300
_WARM = 30


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of processor time of a turn, medians."""

    sealed: float
    bare: float

    @property
    def ratio(self) -> float:
        """How much longer a turn takes."""
        return self.sealed / self.bare


def measure(folder: Path) -> Cost:
    """Both in one process, so that what else the machine does touches both."""
    with Memory.open(str(folder / "sealed.db")) as sealed, Memory.open(str(folder / "bare.db")) as bare:
        bare.store.connection.seal = None
        bare.store.connection.watch = None
        times: dict[bool, list[float]] = {True: [], False: []}
        for number in range(TURNS):
            for with_seals in (True, False) if number % 2 else (False, True):
                before = time.process_time()
                (sealed if with_seals else bare).observe(turn(number), session="s")
                times[with_seals].append(time.process_time() - before)
    return Cost(*(statistics.median(times[kind][_WARM:]) * 1e3 for kind in (True, False)))
