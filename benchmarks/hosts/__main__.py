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
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from cfpm_adapters.hosts.learners import settle
from cfpm_adapters.hosts.resident import answer_of, ask, socket_of

from cfpm import Memory, utc_now
from cfpm.model import Category

SERVICES = ("billing", "search", "login", "upload", "report", "mail", "audit", "cart")
PATIENCE = 120.0
"""Seconds for what is learnt between two measurements."""

ROUND = 5
"""How many times as often the server alone is asked."""

SERVER: list[int] = []
"""The process of the resident server."""

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
    parser.add_argument("--resident", action="store_true", help="Beside a running `cfpm mcp`, which answers them.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = folder / "memory.db"
        _fill(db, given.sessions, folder)
        with _resident(db, folder) if given.resident else nullcontext():
            for kind in EVENTS:
                _tell(kind, [_waited(db, folder, kind, number) for number in range(given.repeat + 1)][1:])
            for kind in EVENTS if given.resident else ():
                # The first loads what the others use.
                asked = [_asked(db, folder, kind, number) for number in range(100, 101 + ROUND * given.repeat)][1:]
                _tell(f"{kind} asked", asked)
    return 0


def _tell(kind: str, found: list[tuple[float, float]]) -> None:
    wall, processor = ([one[at] for one in found] for at in (0, 1))
    shown = f"median {statistics.median(wall):7.1f} ms, 95th percentile {statistics.quantiles(wall, n=20)[18]:7.1f} ms"
    print(f"{kind:<18} {shown}, processor {statistics.fmean(processor):7.1f} ms")


@contextmanager
def _resident(db: Path, folder: Path) -> Iterator[None]:
    """While this is entered, a server answers the hooks of this database."""
    words = [sys.executable, "-m", "cfpm", "mcp", "--http", "--port", "0", "--db", str(db)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, env=_environment(folder)) as server:
        SERVER[:] = [server.pid]
        until = time.monotonic() + PATIENCE
        while not socket_of(db).exists() and time.monotonic() < until:
            time.sleep(0.05)
        try:
            yield
        finally:
            server.terminate()


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "CFPM_GATE_DEADLINE": "60", "CFPM_HOOK_DEADLINE": "60"}


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


def _event(folder: Path, kind: str, number: int, session: str = "") -> tuple[list[str], bytes]:
    """The words behind `cfpm hook`, without options, and the event."""
    event, fields = EVENTS[kind]
    prompt = str(fields.get("prompt", "")).replace("{service}", SERVICES[number % len(SERVICES)])
    ids = {"session_id": session or f"b{number}", "tool_use_id": f"t{number}", "prompt_id": f"p{number}"}
    raw = {"cwd": str(folder), **ids}
    return ["claude-code", event], json.dumps({**raw, **fields, "prompt": prompt}).encode()


def _waited(db: Path, folder: Path, kind: str, number: int) -> tuple[float, float]:
    """Milliseconds until the answer of a process is there, by the wall clock and of its processor."""
    words, raw = _event(folder, kind, number)
    before, began = os.times(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "cfpm", "hook", *words, "--db", str(db)],
        input=raw,
        stdout=subprocess.DEVNULL,
        env=_environment(folder),
        check=True,
    )
    took, after = time.perf_counter() - began, os.times()
    settle(f"sqlite:///{db}", PATIENCE)
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return took * 1_000, used * 1_000


def _asked(db: Path, folder: Path, kind: str, number: int) -> tuple[float, float]:
    """The same of the server alone, in one long session, and of the server's processor with what it learns."""
    words, raw = _event(folder, kind, number, session="long")
    os.environ.update(_environment(folder))
    used, began = _processor(), time.perf_counter()
    connection, _ = ask(socket_of(db), words, time.time())
    _, done = answer_of(connection, raw)
    took = time.perf_counter() - began
    with connection:
        if not done:
            connection.recv(1)
    return took * 1_000, (_processor() - used) * 1_000


def _processor() -> float:
    """Seconds of the processor that the server used; 0 where the system does not tell."""
    status = Path(f"/proc/{SERVER[0]}/stat")
    if not status.exists():
        return 0.0
    fields = status.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
