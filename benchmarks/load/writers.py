"""Many who write at once: a flood beside another process, threads on one provider, processes on one database."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from cfpm_adapters import LocalProvider

from benchmarks.latency.floods import statements
from benchmarks.load.findings import Finding
from cfpm import Memory

if TYPE_CHECKING:
    from pathlib import Path

STATEMENTS = 10_000
THREADS, SAVES = 20, 10
PROCESSES, TURNS = 8, 50
BESIDE = 200
"""Turns of the writer beside a flood."""


def start(*arguments: object) -> subprocess.Popen[str]:
    """A process of `children`."""
    command = [sys.executable, "-m", "benchmarks.load.children", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What the process printed; nothing but a refusal when it failed."""
    out, _ = process.communicate()
    found: dict[str, Any] = json.loads(out) if process.returncode == 0 else {}
    return found


def torn(memory: Memory) -> str:
    """What the doctor finds, empty for nothing; a disk that is nearly full is nothing torn."""
    return "; ".join(
        f"{check.name}: {check.detail}" for check in memory.doctor() if not check.ok and check.name != "disk"
    )


def flood(folder: Path) -> list[Finding]:
    """10,000 statements in one message, and a writer who is there at the same time."""
    url = f"sqlite:///{folder / 'flood.db'}"
    with Memory.open(url) as memory:
        memory.observe([{"role": "user", "content": "I like tea."}], session="first")
        beside = start("write", url, "beside", BESIDE, 0.05)
        began = time.monotonic()
        report = memory.observe([{"role": "user", "content": statements(STATEMENTS)}], session="flood")
        seconds = time.monotonic() - began
        other = told(beside)
        verdicts = report.accepted + report.merged + report.superseded + report.rejected
        over = report.rejected_by_reason.get("over_capacity", 0)
        note = f"{over:,} of them over_capacity, on record"
        found = Finding("flood", "statements", STATEMENTS, verdicts - over, over, torn(memory), seconds, note)
        waited = f"its longest turn took {other.get('longest', 0.0):.1f} s"
        stored = len(memory.store.log.messages("default", session="beside"))
    return [found, Finding("flood", "writer beside", BESIDE, stored, other.get("refused", 0), "", seconds, waited)]


def threads(folder: Path) -> list[Finding]:
    """20 threads that save through one provider."""
    url = f"sqlite:///{folder / 'threads.db'}"
    provider = LocalProvider(url)

    def say(thread: int) -> None:
        for number in range(SAVES):
            said = f"From now on, call ticket {thread}-{number} by its number."
            provider.save("agent", [{"role": "user", "content": said}], session=f"s{thread}")

    began = time.monotonic()
    running = [threading.Thread(target=say, args=(number,)) for number in range(THREADS)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    seconds = time.monotonic() - began
    provider.close()
    with Memory.open(url) as memory:
        saved = sum(len(memory.store.log.messages("default", session=f"s{n}")) for n in range(THREADS))
        note = f"{provider.failures} failures counted"
        return [Finding("threads", "saves", THREADS * SAVES, saved, provider.failures, torn(memory), seconds, note)]


def processes(folder: Path) -> list[Finding]:
    """8 processes on one database."""
    url = f"sqlite:///{folder / 'processes.db'}"
    began = time.monotonic()
    answers = [told(one) for one in [start("write", url, f"p{n}", TURNS) for n in range(PROCESSES)]]
    seconds = time.monotonic() - began
    with Memory.open(url) as memory:
        saved = sum(len(memory.store.log.messages("default", session=f"p{n}")) for n in range(PROCESSES))
        refused = sum(answer.get("refused", 0) for answer in answers)
        note = f"the longest turn took {max(answer.get('longest', 0.0) for answer in answers):.1f} s"
        return [Finding("processes", "turns", PROCESSES * TURNS, saved, refused, torn(memory), seconds, note)]
