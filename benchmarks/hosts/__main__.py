"""`python -m benchmarks hosts`: how long an agent host waits for a hook."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cfpm_adapters.hosts.learners import settle

from cfpm import Memory, utc_now
from cfpm.model import Category

SERVICES = ("billing", "search", "login", "upload", "report", "mail", "audit", "cart")
PATIENCE = 120.0
"""Seconds for what is learnt between two measurements."""

EVENTS: dict[str, tuple[str, dict[str, object]]] = {
    "start": ("SessionStart", {"source": "startup"}),
    "prompt": ("UserPromptSubmit", {"prompt": "Which port does the {service} service use, and how do I test it?"}),
    "gate": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "make test"}}),
    "gate, probe": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls ~/Desktop"}}),
    "call": (
        "PostToolUse",
        {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_response": {"stdout": "3 passed"}},
    ),
}


def main() -> int:
    """Prints a line for each kind of event."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks hosts", description=__doc__)
    parser.add_argument("--sessions", type=int, default=50, help="Sessions in the memory.")
    parser.add_argument("--repeat", type=int, default=20, help="How often each event comes.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = folder / "memory.db"
        _fill(db, given.sessions, folder)
        for kind, (event, fields) in EVENTS.items():
            found = [_waited(db, folder, event, fields, number) for number in range(given.repeat + 1)][1:]
            wall, processor = ([one[at] for one in found] for at in (0, 1))
            cuts = statistics.quantiles(wall, n=20)
            median, used = statistics.median(wall), statistics.median(processor)
            print(f"{kind:<12} median {median:6.0f} ms, 95th percentile {cuts[18]:6.0f} ms, processor {used:6.0f} ms")
    return 0


def _fill(db: Path, sessions: int, folder: Path) -> None:
    (folder / "Desktop").mkdir()
    with Memory.open(db, clock=utc_now) as memory:
        memory.remember(str(folder / "Desktop"), category=Category.ARTIFACT)
        for number in range(sessions):
            service = SERVICES[number % len(SERVICES)]
            told = (
                f"The {service} service {number} listens on port {8000 + number}. Always test {service} {number} first."
            )
            memory.observe([{"role": "user", "content": told}], session=f"s{number}")


def _waited(db: Path, folder: Path, event: str, fields: dict[str, object], number: int) -> tuple[float, float]:
    """Milliseconds until the answer is there, by the wall clock and of the processor."""
    prompt = str(fields.get("prompt", "")).replace("{service}", SERVICES[number % len(SERVICES)])
    raw = {"session_id": f"b{number}", "cwd": str(folder), "tool_use_id": f"t{number}", "prompt_id": f"p{number}"}
    before, began = os.times(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "cfpm", "hook", "claude-code", event, "--db", str(db)],
        input=json.dumps({**raw, **fields, "prompt": prompt}).encode(),
        stdout=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder), "CFPM_GATE_DEADLINE": "60", "CFPM_HOOK_DEADLINE": "60"},
        check=True,
    )
    took, after = time.perf_counter() - began, os.times()
    settle(f"sqlite:///{db}", PATIENCE)
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return took * 1_000, used * 1_000


if __name__ == "__main__":
    sys.exit(main())
