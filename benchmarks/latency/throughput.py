"""Measures the way of a turn: megabytes a second over whole files, and milliseconds for a turn of ordinary size."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row, Timing, best, median, percentile, timed
from benchmarks.latency.temporary_memory import fresh_memory
from cfpm.transcript import Problem, group_turns, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cfpm import Memory, Message
    from cfpm.model import Turn

THROUGHPUT = Goal("at least", 2.0)
"""Megabytes (10^6 bytes) of transcript a second, with a durable commit for every turn."""

MEDIAN_TURN = Goal("below", 5.0)
"""Milliseconds for a turn of up to 16 KB."""

SMALL_TURN = 16 * 1024
"""Characters of text in a turn."""


def throughput(files: Sequence[Path], runs: int) -> list[Row]:
    """All files into one fresh store, `runs` times."""
    size = sum(path.stat().st_size for path in files) / 1e6
    timings = [_timed_files(files) for _ in range(runs)]
    fast, usual = best(timings), median(timings)
    note = f"best of {runs} over {len(files)} files, {size:.1f} MB; median {size / usual.wall:.2f} by the wall clock"
    return [Row("throughput", "observe_file", size / fast.wall, "MB/s", size / fast.cpu, THROUGHPUT, note)]


def turns(files: Sequence[Path], runs: int) -> list[Row]:
    """Each turn handed over by itself, as a live host does; of every turn the best of `runs`."""
    repeated = [list(_timed_turns(files)) for _ in range(runs)]
    small = [best(timing for _, timing in same) for same in zip(*repeated, strict=True)]
    wall, cpu = [t.wall * 1e3 for t in small], [t.cpu * 1e3 for t in small]
    usual = statistics.median(size for size, _ in repeated[0])
    note = f"{len(small)} turns of {usual / 1e3:.1f} thousand characters (median), each the best of {runs}"
    return [
        Row("turn <= 16 KB", "median", statistics.median(wall), "ms", statistics.median(cpu), MEDIAN_TURN, note),
        Row("turn <= 16 KB", "95 of 100 within", percentile(wall, 0.95), "ms", percentile(cpu, 0.95)),
    ]


def _timed_files(files: Sequence[Path]) -> Timing:
    with fresh_memory() as memory:
        return timed(lambda: [memory.observe_file(path) for path in files])


def _timed_turns(files: Sequence[Path]) -> Iterator[tuple[int, Timing]]:
    """The size and the time of every small turn; the others are observed too."""
    with fresh_memory() as memory:
        for path in files:
            for turn in _turns(path):
                timing = _timed_turn(memory, turn)
                size = sum(len(message.text) for message in turn.messages)
                if size <= SMALL_TURN:
                    yield size, timing


def _timed_turn(memory: Memory, turn: Turn) -> Timing:
    return timed(lambda: memory.observe(turn.messages, session=turn.session))


def _turns(path: Path) -> Iterator[Turn]:
    """The turns of all sessions of a file, with ids: the same words in two calls would count as one message."""
    sessions: dict[str, list[Message]] = {}
    for record in read(path):
        if not isinstance(record, Problem):
            said = sessions.setdefault(record.session, [])
            said.append(replace(record.message, id=f"{record.message.id}@{len(said)}"))
    for session, said in sessions.items():
        yield from group_turns(said, session=session)
