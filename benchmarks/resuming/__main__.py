"""`python -m benchmarks resuming [--sessions N] [--turns N] [--json OUT]`: sessions listed, resumed, forked."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

from cfpm import Memory
from cfpm.context.strategies.types import Limits
from cfpm.model import Details, LoggedMessage, Message, Role, TokenUsage, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

START = datetime(2026, 1, 1, tzinfo=UTC)
GOAL_MS = 50.0
"""For a listing of 10,000 sessions."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Milliseconds of one thing that was done so many times."""

    what: str
    median: float
    p95: float
    times: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when the listing takes longer than its goal, or a resumed session shows another prompt."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks resuming", description=__doc__)
    parser.add_argument("--sessions", type=int, default=10_000, help="sessions in the memory (default 10,000)")
    parser.add_argument("--turns", type=int, default=300, help="turns of the session that is taken up (default 300)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cfpm-resuming-") as folder, Memory.open(Path(folder) / "m.db") as memory:
        fill(memory, options.sessions)
        figures = [
            timed(f"list {options.sessions:,}", memory.sessions, 50),
            timed("list the last 50", lambda: memory.sessions(limit=50), 50),
            timed("usage of all", memory.usage, 10),
        ]
        same, more = taken_up(memory, options.turns)
    figures += more
    for one in figures:
        print(f"{one.what:<28}{one.median:9.2f} ms, 95th percentile {one.p95:9.2f} ms, {one.times} times")
    print(f"the prompt after a compaction, resumed: {'the same' if same else 'ANOTHER'}")
    if options.json:
        document = {"same": same, "figures": {one.what: [one.median, one.p95] for one in figures}}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return int(not same or (options.sessions <= 10_000 and figures[0].median > GOAL_MS))


def fill(memory: Memory, count: int) -> None:
    """Sessions of two turns each, straight into the log: nothing is learnt from them."""
    store = memory.store
    with store.writing():
        for number in range(count):
            store.log.append(list(_messages(f"session-{number:05d}", number)))


def _messages(session: str, number: int) -> Iterator[LoggedMessage]:
    at = START + timedelta(minutes=number)
    usage = Details(model="model-a", usage=TokenUsage(1_000 + number, 50))
    told = Details(cwd=f"/srv/project-{number % 40}")
    said = (
        Message(Role.USER, f"Please mend the shelf number {number} in the shop", "m0", at, details=told),
        Message(Role.ASSISTANT, "It is mended.", "m1", at, details=usage),
        Message(Role.USER, "Thank you, and the next one?", "m2", at + timedelta(minutes=1)),
        Message(Role.ASSISTANT, "Also mended.", "m3", at + timedelta(minutes=2), details=usage),
    )
    for position, message in enumerate(said):
        yield LoggedMessage("default", session, position // 2, position % 2, message)


def taken_up(memory: Memory, turns: int) -> tuple[bool, list[Figure]]:
    """A long session, compacted and taken up; whether the model sees the same, and what each step takes."""
    history = [message for turn in range(turns) for message in _turn(turn)]
    done = memory.compact(history, Limits(8_000), session="long")
    sent = [(raw["role"], raw.get("content") or "") for raw in done.messages]
    resumed = [(raw["role"], raw.get("content") or "") for raw in memory.resume("long").messages]
    figures = [
        timed(f"resume {turns} turns", lambda: memory.resume("long").messages, 10),
        timed("resume for Anthropic", lambda: memory.resume("long", style="anthropic").messages, 10),
        timed("fork", lambda: memory.fork("long", at=turns // 2), 10),
        timed("rewind by one turn", lambda: memory.rewind("long", -1), 10),
    ]
    return sent == resumed, figures


def _turn(number: int) -> list[object]:
    call = ToolCall(f"c{number}", "Read", {"path": f"shelf_{number}.py"})
    result = ToolResult(f"c{number}")
    return [
        {"role": "user", "content": f"What does shelf_{number}.py hold, and is it in order?"},
        {"role": "assistant", "content": "", "tool_calls": [_raw(call)]},
        {"role": "tool", "tool_call_id": result.call_id, "content": f"BOARD = {number}\n" * 40},
        {"role": "assistant", "content": f"It holds {number} boards."},
    ]


def _raw(call: ToolCall) -> dict[str, object]:
    function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}


def timed(what: str, work: Callable[[], object], times: int) -> Figure:
    """The same so many times, after once that does not count."""
    work()
    taken = []
    for _ in range(times):
        began = perf_counter()
        work()
        taken.append((perf_counter() - began) * 1_000)
    return Figure(what, median(taken), quantiles(taken, n=20)[-1], times)


if __name__ == "__main__":
    sys.exit(main())
