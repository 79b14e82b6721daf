"""A transcript with one line of a gigabyte: made here, read in a process of its own, removed. Nothing of it is held."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from benchmarks.load.findings import Finding
from benchmarks.load.writers import start, told

if TYPE_CHECKING:
    from pathlib import Path

MOST = 360 * 1024 * 1024
"""Bytes that the reading process may have: the longest line that is read takes 64 MB, twice in memory, and what reads
sentences, pairs and secrets some 200."""

_BLOCK = b"x" * 1_000_000


def long_line(folder: Path, gigabytes: float) -> list[Finding]:
    """Two messages around a line of so many gigabytes."""
    path, good = folder / "long.jsonl", json.dumps({"role": "user", "content": "I prefer green tea."}).encode()
    with path.open("wb") as file:
        file.write(good + b'\n{"role": "user", "content": "')
        for _ in range(int(gigabytes * 1_000)):
            file.write(_BLOCK)
        file.write(b'"}\n' + good.replace(b"green", b"black") + b"\n")
    began = time.monotonic()
    answer = told(start("read", f"sqlite:///{folder / 'line.db'}", path))
    seconds = time.monotonic() - began
    path.unlink()
    peak = answer.get("peak", 0)
    torn = "" if 0 < peak <= MOST else f"{peak // 2**20} MB of memory"
    note = f"a line of {gigabytes:g} GB between two; {peak // 2**20} MB of memory at most"
    return [Finding("line", "lines", 3, answer.get("messages", 0), answer.get("problems", 0), torn, seconds, note)]
