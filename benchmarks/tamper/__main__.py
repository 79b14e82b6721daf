"""`python -m benchmarks.tamper --cost --json OUT`: what was found of what was changed."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.tamper import cost, documents, files, rows
from benchmarks.tamper.samples import Outcome


def run(folder: Path) -> list[Outcome]:
    """Every measurement once, each told as it is done."""
    found = []
    parts = (rows.measure(folder), documents.measure(folder), files.measure(folder), [files.innocent(folder)])
    for part in parts:
        for outcome in part:
            found.append(outcome)
            print(line(outcome), flush=True)
    return found


def line(outcome: Outcome) -> str:
    """One row of the report, with what was missed below it."""
    text = f"{outcome.kind:<36}{outcome.found:>6} of {outcome.tried}"
    return "\n".join([text, *(f"    missed: {one[:200]}" for one in outcome.missed[:10])])


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when anything was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks tamper", description=__doc__)
    parser.add_argument("--cost", action="store_true", help="also what the seals add to a turn")
    parser.add_argument("--json", type=Path, metavar="OUT", help="the figures as JSON")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cfpm-tamper-") as name:
        found = run(Path(name))
        price = cost.measure(Path(name)) if options.cost else None
    tried, noticed = sum(one.tried for one in found), sum(one.found for one in found)
    print(f"{'all':<36}{noticed:>6} of {tried}")
    if price is not None:
        print(f"a turn: {price.sealed:.2f} ms with seals, {price.bare:.2f} ms without: {price.ratio:.3f} times")
    if options.json:
        document = {"outcomes": [asdict(one) for one in found], "cost": asdict(price) if price else None}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return int(noticed < tried)


if __name__ == "__main__":
    sys.exit(main())
