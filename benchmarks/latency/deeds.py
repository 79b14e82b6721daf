"""Measures what it costs to keep what calls did: in each turn, and when all of it is listed."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row, Timing, best, percentile, timed
from benchmarks.latency.temporary_memory import fresh_memory
from benchmarks.latency.throughput import SMALL_TURN
from cfpm.extractor.outcomes import failed, success
from cfpm.model import LoggedMessage, Message, Role, ToolCall
from cfpm.store.deeds import DeedTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

A_TURN = Goal("below", 0.5)
"""Milliseconds of a turn of up to 16 KB, in the mean."""

LISTED = 20_000
"""Deeds: of a thousand sessions."""

TOGETHER = 500
"""Messages of one transaction."""

NAMESPACE = "project:shop"


@dataclass(frozen=True, slots=True)
class _Timed(DeedTable):
    """Notes how long each writing takes, by the characters of its messages.

    How calls ended is read before: the extractor does it in every turn, and what it reads is read once for both.
    """

    taken: list[tuple[int, Timing]] = field(default_factory=list)

    def add(self, rows: Sequence[tuple[int, LoggedMessage]]) -> None:
        size = sum(len(one.message.text) for _, one in rows)
        for _, one in rows:
            if one.message.tool_result is not None:
                success(one.message.text)
                failed(one.message)
        # Threads of the encoder may still be at work, which is none of this.
        wall, cpu = time.perf_counter(), time.thread_time()
        DeedTable.add(self, rows)
        self.taken.append((size, Timing(time.perf_counter() - wall, time.thread_time() - cpu)))


def keeping_deeds(files: Sequence[Path], runs: int) -> list[Row]:
    """What keeping deeds adds to a turn, over all turns of the files; and the time to list many."""
    return [*_in_turns(files), *_listed(runs)]


def _in_turns(files: Sequence[Path]) -> list[Row]:
    with fresh_memory() as memory:
        # What a process loads with its first calls is loaded before.
        memory.observe_file(files[0])
        deeds = _Timed(memory.store.connection)
        memory.store.log = replace(memory.store.log, deeds=deeds)
        whole = timed(lambda: [memory.observe_file(path) for path in files[1:]])
        kept = memory.store.connection.number("SELECT count(*) FROM memory_deeds")
    small = [one for size, one in deeds.taken if size <= SMALL_TURN]
    wall, cpu = [one.wall * 1e3 for one in small], [one.cpu * 1e3 for one in small]
    note = f"{len(small)} of {len(deeds.taken)} turns, which have {kept} deeds"
    of_all = sum(one.cpu for _, one in deeds.taken)
    share = 100 * of_all / (whole.cpu - of_all)
    return [
        Row("deeds", "turn <= 16 KB", statistics.mean(wall), "ms", statistics.mean(cpu), A_TURN, note),
        Row("deeds", "95 of 100 within", percentile(wall, 0.95), "ms", percentile(cpu, 0.95), None, note),
        Row("deeds", "of observing", share, "%", share, None, "all turns, by process time"),
    ]


def _listed(runs: int) -> list[Row]:
    with fresh_memory() as memory:
        store = memory.store
        for first in range(0, LISTED, TOGETHER):
            with store.writing():
                store.deeds.add([(number, _calling(number)) for number in range(first, first + TOGETHER)])
        timings = [timed(lambda: store.deeds.recent(NAMESPACE, LISTED)) for _ in range(max(3, runs))]
    fast = best(timings)
    return [
        Row("deeds", "listed", fast.wall * 1e3, "ms", fast.cpu * 1e3, None, f"{LISTED} rows, best of {len(timings)}")
    ]


def _calling(number: int) -> LoggedMessage:
    """A message with one call, of which a few hundred differ."""
    call = ToolCall(f"c{number}", "Bash", {"command": f"uv run pytest tests/part{number % 300} -q", "cwd": "/srv/shop"})
    message = Message(Role.ASSISTANT, "", f"m{number}", tool_calls=(call,))
    return LoggedMessage(NAMESPACE, f"session-{number // 20}", 0, number, message)
