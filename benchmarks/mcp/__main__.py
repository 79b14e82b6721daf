"""Starts `cfpm mcp` as a host does, over standard input and output, and times its hook tools one call after another."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from benchmarks.latency.generated_sessions import small_turns
from cfpm import Memory, utc_now

PROMPT_GOAL, GATE_GOAL = 30.0, 10.0
"""Milliseconds at the median and at the 95th percentile."""

GROWTH_GOAL = 0.05
"""Share by which the server may be larger at the end than after the first tenth of the calls."""

PROMPTS = (
    "Which port does staging use?",
    "How do I run the tests?",
    "What did we decide about the database?",
    "Where is the configuration file?",
    "Why did the last build fail?",
)
COMMANDS = ("make test", "ls src", "cat README.md", "git status", "ls ~/Desktop", 'cat "$HOME/Documents/notes.md"')


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks mcp", description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000, help="calls of each hook (default 1000; 10000 for growth)")
    parser.add_argument("--turns", type=int, default=40, help="turns that the memory holds before (default 40)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.db"
        _fill(db, given.turns)
        figures = asyncio.run(_measured(db, given.calls))
    for name, value in figures.items():
        print(f"{name:<40}{value:>12.2f}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    missed = [name for name, goal in _goals().items() if figures[name] > goal]
    for name in missed:
        print(f"missed: {name} {figures[name]:.2f}, goal {_goals()[name]}")
    return 1 if missed else 0


def _goals() -> dict[str, float]:
    hooks = (("prompt", PROMPT_GOAL), ("gate", GATE_GOAL))
    return {f"{name} {rank} ms": goal for name, goal in hooks for rank in ("median", "p95")} | {"growth": GROWTH_GOAL}


def _fill(db: Path, turns: int) -> None:
    with Memory.open(f"sqlite:///{db}", clock=utc_now) as memory:
        for turn in small_turns(7, turns):
            memory.observe(turn, session="earlier")


async def _measured(db: Path, calls: int) -> dict[str, float]:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "cfpm", "mcp", "--db", str(db)], env=dict(os.environ), cwd=db.parent
    )
    async with Client(command) as client:
        pid = _child()
        prompt, gate, sizes, work = [], [], [], []
        for number in range(calls):
            asked = {"prompt": f"{PROMPTS[number % len(PROMPTS)]} ({number})", "session_id": "bench"}
            prompt.append(await _timed(client, "hook_prompt", asked))
            run = {"command": COMMANDS[number % len(COMMANDS)], "session_id": "bench", "cwd": str(db.parent)}
            gate.append(await _timed(client, "hook_pre_tool_use", run))
            if number in (calls // 10, calls - 1):
                sizes.append(_resident(pid))
                work.append(_processor(pid))
    figures = {"calls": 2.0 * calls, "first prompt ms": prompt[0]}
    for name, times in (("prompt", prompt), ("gate", gate)):
        # The first call of each kind loads what the others use.
        ranked = statistics.quantiles(times[1:], n=100)
        figures |= {f"{name} median ms": ranked[49], f"{name} p95 ms": ranked[94]}
    pairs = calls - 1 - calls // 10
    figures["processor ms of a prompt and a gate"] = 1e3 * (work[-1] - work[0]) / pairs
    return figures | {"resident MB": sizes[-1], "growth": sizes[-1] / sizes[0] - 1 if sizes[0] else 0.0}


async def _timed(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    began = time.perf_counter()
    done = await client.call_tool(tool, arguments)
    if done.is_error:
        raise RuntimeError(f"{tool}: {done.content}")
    return (time.perf_counter() - began) * 1e3


def _child() -> int:
    """The server's process: the one that this process started."""
    found = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    names = found.read_text().split() if found.exists() else []
    return int(names[-1]) if names else 0


def _processor(pid: int) -> float:
    """Seconds of the processor that a process used; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/stat")
    if not pid or not status.exists():
        return 0.0
    fields = status.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    """Megabytes that a process holds; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not pid or not status.exists():
        return 0.0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
