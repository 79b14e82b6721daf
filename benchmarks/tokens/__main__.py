"""`python -m benchmarks tokens [--data DIR]`: estimated over exact tokens, of blocks from sessions."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

from cfpm import CFPMError, Memory
from cfpm.recall.tokens import counter, estimated

ENCODINGS = ("o200k_base", "cl100k_base")
QUERIES = ("what did we decide", "run the tests", "where is the file", "the trip", "error", "项目 配置")
BUDGETS = (300, 1_200)
SESSIONS = 20
"""Files of each format; more change nothing in the figures."""


def main() -> int:
    """Prints a row for each encoding; 1 when the estimate is below it anywhere."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks tokens", description=__doc__)
    parser.add_argument("--data", type=Path, help="The unpacked data package; without it the bundled session.")
    given = parser.parse_args()
    blocks = list(dict.fromkeys(_blocks(_sessions(given.data))))
    below = False
    print(f"{len(blocks)} blocks; estimated / exact tokens")
    for name in ENCODINGS:
        ratios = sorted(estimated(block) / counter(name)(block) for block in blocks)
        below |= ratios[0] < 1
        print(f"  {name:<12} min {ratios[0]:.2f}, median {statistics.median(ratios):.2f}, max {ratios[-1]:.2f}")
    return int(below)


def _sessions(data: Path | None) -> list[Path]:
    if data is None:
        return [Path(str(files("cfpm.cli").joinpath("demo_session.jsonl")))]
    found: list[Path] = []
    for pattern in ("**/specstory*/*.md", "**/claude_code*/**/*.jsonl", "locomo/*.json"):
        found += sorted(data.glob(pattern))[:SESSIONS]
    return found


def _blocks(sessions: Iterable[Path]) -> Iterator[str]:
    for session in sessions:
        with tempfile.TemporaryDirectory() as folder, Memory.open(f"sqlite:///{folder}/memory.db") as memory:
            try:
                memory.observe_file(session)
            except CFPMError as error:
                print(error, file=sys.stderr)
                continue
            found = (memory.recall(query, max_tokens=budget).block for query in QUERIES for budget in BUDGETS)
            yield from filter(None, found)


if __name__ == "__main__":
    sys.exit(main())
