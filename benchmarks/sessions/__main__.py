"""`python -m benchmarks.sessions --data DIR [--json OUT] [--sample N --seed S]`: what real sessions become, and why."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.sessions.outcomes import observed
from benchmarks.sessions.sources import SOURCES
from benchmarks.sessions.tables import categories_table, document, not_reached, reasons_table, sources_table
from cfpm import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.sessions.outcomes import Outcome
    from cfpm import Candidate

    Drawn = list[tuple[str, Candidate]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, 1 when a file crashed or the counts do not add up, 2 for a folder without sessions."""
    options = _options(arguments)
    wanted = [s for s in SOURCES if (not options.source or s.name in options.source) and s.files(options.data)]
    if not wanted:
        print(f"{options.data}: no sessions here. Unpack the data package and name its folder.", file=sys.stderr)
        return 2
    outcomes: list[Outcome] = []
    candidates: Drawn = []
    for source in wanted:
        print(f"{source.name} ...", file=sys.stderr)
        with observed(source, options.data) as (outcome, memory):
            outcomes.append(outcome)
            if options.sample:
                candidates += [(source.name, row) for row in memory.candidates() if _fits(row, options)]
    _show(outcomes)
    if options.sample:
        _show_sample(candidates, options.sample, options.seed)
    if options.json:
        options.json.write_text(json.dumps(document(outcomes), indent=2) + "\n", encoding="utf-8")
    return 0 if all(outcome.adds_up and not outcome.crashed for outcome in outcomes) else 1


def _show(outcomes: Sequence[Outcome]) -> None:
    for text in (sources_table(outcomes), categories_table(outcomes), reasons_table(outcomes)):
        print(f"{text}\n")
    print(f"Reason codes that nothing here reached: {', '.join(not_reached(outcomes)) or 'none'}")
    for outcome in outcomes:
        for line in outcome.crashed:
            print(f"{outcome.name}: NOT READ {line}")
        for line in outcome.coverage.lost:
            print(f"{outcome.name}: LOST {line}")
        if not outcome.adds_up:
            print(f"{outcome.name}: THE COUNTS DO NOT ADD UP")


def _show_sample(candidates: Drawn, count: int, seed: int) -> None:
    """`count` that became facts and `count` that were rejected, drawn with the seed, for reading."""
    chance = random.Random(seed)
    for title, decisions in (("ACCEPTED", {Decision.ACCEPTED, Decision.SUPERSEDED}), ("REJECTED", {Decision.REJECTED})):
        among = [(name, row) for name, row in candidates if row.decision in decisions]
        print(f"\n{title}: {min(count, len(among))} of {len(among)}")
        for name, row in sorted(chance.sample(among, min(count, len(among))), key=lambda pair: pair[1].category):
            line = "" if row.line.strip() == row.content.strip() else f"\n      line: {_short(row.line)}"
            about = " · ".join((row.category, row.reason, row.role, row.extractor, name))
            print(f"- {about}\n      {_short(row.content)}{line}")


def _short(text: str) -> str:
    """On one line, without characters that could steer a terminal."""
    text = " ".join(text.split())[:300]
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _fits(row: Candidate, options: argparse.Namespace) -> bool:
    return options.category in (None, row.category) and options.reason in (None, row.reason)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sessions", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data package")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--source", nargs="+", choices=[s.name for s in SOURCES], help="only these sources")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N facts and N rejected candidates")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    parser.add_argument("--category", help="sample only this category")
    parser.add_argument("--reason", help="sample only this reason code")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
