"""`python -m benchmarks junk [--extractor NAME] [--half HALF] [--json OUT]`: junk accepted, good facts lost."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.extraction.extractors import extractor
from benchmarks.junk.bounds import CORNERS
from benchmarks.junk.cases import HALVES
from benchmarks.junk.report import document, lines
from benchmarks.junk.runs import run
from cfpm import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when it ran, 2 when there is no such extractor or the options are wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks junk", description=__doc__)
    parser.add_argument("--extractor", default="cfpm", help="cfpm, a baseline, everything, nothing, or module:function")
    parser.add_argument("--half", choices=[*HALVES, "all"], default="all")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    given = parser.parse_args(arguments)
    try:
        scored = CORNERS.get(given.extractor) or extractor(given.extractor)
    except UsageError as error:
        print(f"benchmarks junk: {error}", file=sys.stderr)
        return 2
    wanted = HALVES if given.half == "all" else (given.half,)
    halves = [run(half, scored, with_reasons=given.extractor == "cfpm") for half in wanted]
    print("\n".join(lines(given.extractor, halves)))
    if given.json:
        text = json.dumps(document(given.extractor, halves), ensure_ascii=False, indent=1)
        given.json.write_text(f"{text}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
