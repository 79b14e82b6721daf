"""How long a compaction takes: of a long history at once, and over and over as one grows. Judges no content."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compaction.runs import ours
from benchmarks.latency.generated_sessions import small_turns
from cfpm import Memory, Settings
from cfpm.context.compaction.types import Limits, Outcome, Request
from cfpm.context.compaction.viewing import apply
from cfpm.context.history import read_history
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from cfpm.context.compaction.types import Compaction, Strategy
    from cfpm.context.history import Raw
    from cfpm.model import Fact

LONG = 10_000
"""Messages compacted at once."""
LONG_GOAL = 2.0
"""Seconds."""
GROWING = 5_000
"""Messages of the session that grows."""
STEPS = 10
BUDGET = 8_000
SEED = 6
FEWEST = 4
"""Messages of the shortest turn that is generated."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One compaction: what was new since the last, what it was given, what came out, and the seconds of reading
    the list and of compacting it."""

    new: int
    new_tokens: int
    before_tokens: int
    after_tokens: int
    facts: int
    reading: float
    compacting: float
    wall: float
    outcome: str

    @property
    def seconds(self) -> float:
        """Of this process on a core; `wall` says how long it took on a machine that others use too."""
        return self.reading + self.compacting


def messages(count: int) -> list[Raw]:
    """So many messages of an imagined session, the same ones every time, each with an id."""
    turns = (message for turn in small_turns(SEED, count // FEWEST + 1) for message in turn)
    return list(islice(turns, count))


def at_once(strategy: Strategy, name: str) -> Timed:
    """A session of 10,000 messages that nobody compacted before."""
    said = messages(LONG)
    with _memory() as memory:
        memory.observe(said, session="long")
        return _timed(name, strategy, said, memory.facts(), len(said))[0]


def growing(strategy: Strategy, name: str) -> Iterator[Timed]:
    """Ten compactions, each of the last view and a tenth of the session behind it."""
    said = messages(GROWING)
    view: list[Raw] = []
    size = GROWING // STEPS
    with _memory() as memory:
        for start in range(0, GROWING, size):
            piece = said[start : start + size]
            memory.observe(piece, session="growing")
            timed, compaction = _timed(name, strategy, [*view, *piece], memory.facts(), len(piece))
            view = list(compaction.messages)
            yield timed


@contextmanager
def _memory() -> Iterator[Memory]:
    with (
        tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder,
        Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}", settings=Settings(durability="normal")) as memory,
    ):
        yield memory


def _timed(
    name: str, strategy: Strategy, given: Sequence[Raw], facts: Sequence[Fact], new: int
) -> tuple[Timed, Compaction]:
    # What is left of the case before is none of this one's time.
    gc.collect()
    wall, started = time.perf_counter(), time.process_time()
    history = read_history(given, estimated)
    read = time.process_time()
    compaction = apply(name, strategy, Request(history, Limits(BUDGET, manual=True), facts))
    seconds = read - started, time.process_time() - read, time.perf_counter() - wall
    tokens = sum(entry.tokens for entry in islice(history.entries, len(given) - new, None))
    outcome = compaction.outcome.value
    after = compaction.after_tokens
    return Timed(new, tokens, compaction.before_tokens, after, len(facts), *seconds, outcome), compaction


def timing(names: Sequence[str]) -> Iterator[str]:
    """The report: a line for the long history, a line for each of the ten compactions, and what they come to."""
    for name in names:
        if not (strategy := ours(name)):
            continue
        once = at_once(strategy, name)
        met = "met" if once.seconds < LONG_GOAL and once.outcome == Outcome.COMPACTED else "NOT met"
        yield f"\n{name}: {LONG:,} messages at once, {once.seconds:.2f} s of a core (goal under {LONG_GOAL:.0f}, {met})"
        yield f"  {_told(once)}"
        yield f"{name}: {STEPS} compactions in a row over {GROWING:,} messages"
        every = []
        for number, timed in enumerate(growing(strategy, name), start=1):
            every.append(timed)
            yield f"  {number:2d}: {timed.seconds * 1_000:4.0f} ms, {_told(timed)}"
        over = sum(timed.after_tokens > BUDGET for timed in every)
        slower = every[-1].seconds / every[0].seconds
        yield f"  the last took {slower:.2f} times as long as the first, for as many new messages; {over} over budget"


def _told(timed: Timed) -> str:
    return (
        f"{timed.reading * 1_000:.0f} reading + {timed.compacting * 1_000:.0f} compacting "
        f"(wall {timed.wall * 1_000:.0f}), "
        f"{timed.outcome}, {timed.new:,} new messages of {timed.new_tokens:,} tokens, {timed.facts:,} facts, "
        f"{timed.before_tokens:,} -> {timed.after_tokens:,} tokens"
    )
