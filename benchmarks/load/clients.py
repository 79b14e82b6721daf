"""Clients of `cfpm serve` on the loopback interface: idle ones, a huge one, and those who want an answer meanwhile."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.latency.floods import statements
from benchmarks.load.findings import Finding
from benchmarks.load.writers import torn
from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IDLE = 200
ASKED = 20
HUGE = 60
"""Messages of the huge save, each with a thousand statements."""


def server(folder: Path) -> list[Finding]:
    """What others get while 200 connections idle, and while one huge save is worked on."""
    database = folder / "server.db"
    with _serving(database) as base:
        found = [_among_idle(base), _beside_huge(base)]
    with Memory.open(f"sqlite:///{database}") as memory:
        saved = len(memory.store.log.messages("default", session="small"))
        return [
            *found,
            Finding("server", "small saves", 2 * ASKED, saved, 0, torn(memory), note="in the store afterwards"),
        ]


def _among_idle(base: str) -> Finding:
    parts = urlsplit(base)
    opened = [socket.create_connection((str(parts.hostname), parts.port or 0)) for _ in range(IDLE)]
    began, longest, answered = time.monotonic(), 0.0, 0
    for number in range(ASKED):
        taken, status = _save(base, f"I prefer tool {number} among the idle.", "small")
        longest, answered = max(longest, taken), answered + (status == 200)
    for one in opened:
        with suppress(OSError):
            one.close()
    note = f"beside {IDLE} idle connections; the longest took {longest:.2f} s"
    return Finding("server", "saves answered", ASKED, answered, 0, "", time.monotonic() - began, note)


def _beside_huge(base: str) -> Finding:
    told: list[tuple[float, int]] = []
    texts = "\x1f".join(statements(1_000) for _ in range(HUGE))
    huge = threading.Thread(target=lambda: told.append(_save(base, texts, "huge")))
    began, longest, answered, healthy = time.monotonic(), 0.0, 0, 0.0
    huge.start()
    for number in range(ASKED):
        taken, status = _save(base, f"I prefer tool {number} beside the huge one.", "small")
        longest, answered = max(longest, taken), answered + (status == 200)
        healthy = max(healthy, _seconds_of(base, "GET", "/health", b"")[0])
    huge.join()
    note = (
        f"beside one save of {HUGE},000 statements ({told[0][1]} after {told[0][0]:.0f} s); the longest took"
        f" {longest:.2f} s, /health {healthy:.2f} s"
    )
    return Finding("server", "saves answered", ASKED, answered, 0, "", time.monotonic() - began, note)


def _save(base: str, text: str, session: str) -> tuple[float, int]:
    """Seconds and status of a save of messages, which a unit separator parts."""
    history = [{"role": "user", "content": part} for part in text.split("\x1f")]
    body = json.dumps({"agent": "load", "session": session, "history": history}).encode()
    return _seconds_of(base, "POST", "/v1/save", body)


def _seconds_of(base: str, method: str, path: str, body: bytes) -> tuple[float, int]:
    began = time.monotonic()
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return time.monotonic() - began, answer.status
    except (OSError, http.client.HTTPException):
        return time.monotonic() - began, 0
    finally:
        connection.close()


@contextmanager
def _serving(database: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "cfpm", "serve", "--port", "0", "--db", str(database)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().rsplit(maxsplit=1)[-1]
    finally:
        process.terminate()
        process.wait()
