"""Processes of this benchmark: `python -m benchmarks.load.children WHAT ...`. Each prints one line of JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from cfpm import Memory
from cfpm.errors import CFPMError

PAUSE = 0.05
"""Seconds between two turns of the writer beside a flood."""


def write(url: str, name: str, turns: int, pause: float = 0.0) -> None:
    """Observes so many turns of a session of its own; prints how many were saved and refused, and the longest wait."""
    saved = refused = 0
    longest = 0.0
    with Memory.open(url) as memory:
        for number in range(turns):
            began = time.monotonic()
            try:
                memory.observe([{"role": "user", "content": f"I prefer tool {number} of {name}."}], session=name)
                saved += 1
            except CFPMError:
                refused += 1
            longest = max(longest, time.monotonic() - began)
            time.sleep(pause)
    print(json.dumps({"saved": saved, "refused": refused, "longest": longest}))


def read(url: str, path: str) -> None:
    """Observes a transcript; prints how many messages came, the problems, and the most memory it had, in bytes."""
    with Memory.open(url) as memory:
        report = memory.observe_file(Path(path), session="s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"messages": report.messages, "problems": len(report.problems), "peak": peak}))


def main(arguments: list[str]) -> None:
    """`write URL NAME TURNS [PAUSE]` or `read URL PATH`."""
    what, url, *rest = arguments
    if what == "write":
        write(url, rest[0], int(rest[1]), float(rest[2]) if len(rest) > 2 else 0.0)
    else:
        read(url, rest[0])


if __name__ == "__main__":
    main(sys.argv[1:])
