"""`python -m benchmarks.latency [--data DIR] [--json OUT] [--only PART ...]`: what observing costs."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.latency.deeds import keeping_deeds
from benchmarks.latency.figures import machine, table
from benchmarks.latency.generated_sessions import write_files
from benchmarks.latency.growth import flooded, growth
from benchmarks.latency.processes import peak, startup
from benchmarks.latency.recall import recalling
from benchmarks.latency.store_size import filling
from benchmarks.latency.throughput import throughput, turns
from cfpm.transcript.reading import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.latency.figures import Row

SESSIONS = "transcripts/specstory_claude_code"
"""The folder of the data package whose sessions are timed; the memory is measured over the whole package."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 whatever the figures are, 2 for a data folder without sessions."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder:
        if options.data:
            timed = sorted((options.data / SESSIONS).glob("*.md")) or expand([options.data])
            everything = expand([options.data])
        else:
            timed = everything = write_files(Path(folder))
        if not timed:
            print(f"{options.data}: no sessions here. Unpack the data package and name its folder.", file=sys.stderr)
            return 2
        parts: dict[str, Callable[[], list[Row]]] = {
            "throughput": lambda: throughput(timed, options.runs),
            "turns": lambda: turns(timed, options.runs),
            "growth": lambda: growth(options.runs),
            "floods": lambda: flooded(options.runs),
            "filling": lambda: filling(options.runs),
            "deeds": lambda: keeping_deeds(timed, options.runs),
            "startup": startup,
            "recall": recalling,
            "peak": lambda: peak(everything),
        }
        here = machine()
        rows = [row for name, measure in parts.items() if name in (options.only or parts) for row in measure()]
    print(", ".join(f"{name} {value}" for name, value in here.items()))
    print(table(rows))
    if options.json:
        document = {"machine": here, "rows": [row.document() for row in rows]}
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--data", type=Path, help="the unpacked data package, or any folder of transcripts")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--runs", type=int, default=3, help="how often each timing is repeated (default 3)")
    parts = ("throughput", "turns", "growth", "floods", "filling", "deeds", "startup", "recall", "peak")
    parser.add_argument("--only", nargs="+", choices=parts, help="measure only these parts")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
