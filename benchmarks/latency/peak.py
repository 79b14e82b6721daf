"""The process whose memory is measured: observes the files named on standard input and prints its peak."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from benchmarks.latency.temporary_memory import fresh_memory
from cfpm.transcript import NotATranscript

_STATUS = Path("/proc/self/status")


def high_water() -> int:
    """The most resident memory of this process so far, in bytes.

    Linux's own count is asked first: ru_maxrss begins with the parent's, which may be more than this process needs.
    """
    if _STATUS.exists():
        line = next(line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def main() -> None:
    """Reads a JSON list of paths; what is no transcript is skipped."""
    read = size = 0
    with fresh_memory() as memory:
        before = high_water()
        for path in map(Path, json.load(sys.stdin)):
            try:
                memory.observe_file(path)
            except NotATranscript:
                continue
            read += 1
            size += path.stat().st_size
    print(json.dumps({"files": read, "bytes": size, "before": before, "peak": high_water()}))


if __name__ == "__main__":
    main()
