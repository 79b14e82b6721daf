"""`python -m benchmarks.load [--only PART ...] [--json OUT]`: all saved or an error, and nothing torn, under load."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.latency.figures import machine
from benchmarks.load.clients import server
from benchmarks.load.findings import table
from benchmarks.load.kills import kills
from benchmarks.load.long_line import long_line
from benchmarks.load.writers import flood, processes, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.load.findings import Finding

PARTS = ("flood", "threads", "processes", "server", "line", "kills")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 if everything was kept, else 1."""
    options = _options(arguments)
    found: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as name:
        folder = Path(name)
        parts: dict[str, Callable[[], list[Finding]]] = {
            "flood": lambda: flood(folder),
            "threads": lambda: threads(folder),
            "processes": lambda: processes(folder),
            "server": lambda: server(folder),
            "line": lambda: long_line(folder, options.gigabyte),
            "kills": lambda: kills(folder, options.kills),
        }
        for part in options.only or PARTS:
            found += parts[part]()
    here = machine()
    print(", ".join(f"{name} {value}" for name, value in here.items()))
    print(table(found))
    if options.json:
        document = {"machine": here, "rows": [one.document() for one in found]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0 if all(one.kept for one in found) else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, help="only these parts")
    parser.add_argument("--kills", type=int, default=200, help="kills over all commands (default 200)")
    parser.add_argument("--gigabyte", type=float, default=1.0, help="length of the long line (default 1)")
    parser.add_argument("--json", type=Path, help="write the findings to this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
