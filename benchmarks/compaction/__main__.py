"""`python -m benchmarks compaction [--data DIR] [--strategy NAME ...]`: what a short view holds."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compaction.invariants import invariants
from benchmarks.compaction.report import document, lost, report
from benchmarks.compaction.runs import QUARTER, count_of, run, strategies
from benchmarks.compaction.sessions import BUNDLED, PATTERNS, sessions
from benchmarks.compaction.timing import timing
from cfpm.errors import MissingExtraError, UsageError
from cfpm.recall.tokens import ESTIMATE

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when it ran, 1 when an invariant is broken, 2 for what cannot be used."""
    options = _options(arguments)
    try:
        sets, names = _chosen(options)
        count_of(options.tokens)
    except (UsageError, MissingExtraError) as error:
        print(f"benchmarks.compaction: {error}", file=sys.stderr)
        return 2
    if options.timing:
        print("\n".join(timing(names)))
        return 0
    every = (session for name in sets for session in sessions(options.data, name))
    if options.invariants:
        lines = invariants(every, names, options.jobs)
        print("\n".join(lines))
        return int("broken: 0" not in lines)
    found = list(run(every, names, jobs=options.jobs, facts=options.cache, tokens=options.tokens))
    print("\n".join(report(found, names, options.tokens)))
    for name in names if options.lost else ():
        print(f"\nlost by {name}:")
        print("\n".join(lost(found, name, options.lost)))
    if options.json:
        options.json.write_text(
            json.dumps(document(found, options.tokens), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
    return 0


def _chosen(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    if options.data is not None and not options.data.is_dir():
        raise UsageError(f"--data {options.data}", "no such folder", "Unpack the data package and name its folder")
    sets = list(dict.fromkeys(options.set or PATTERNS)) if options.data is not None else [BUNDLED]
    known = strategies()
    names = list(dict.fromkeys(options.strategy or known))
    for option, wanted, there in (("--set", sets, [*PATTERNS, BUNDLED]), ("--strategy", names, known)):
        for name in wanted:
            if name not in there:
                raise UsageError(f"{option} {name}", "there is none of that name", f"Use one of {', '.join(there)}")
    return sets, names


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks compaction", description=__doc__)
    parser.add_argument("--data", type=Path, help="the unpacked data package; without it, a session of our own")
    parser.add_argument("--set", nargs="+", action="extend", metavar="NAME", help=f"only these: {', '.join(PATTERNS)}")
    parser.add_argument("--strategy", nargs="+", action="extend", metavar="NAME", help="only these; default all")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument(
        "--cache", type=Path, help="a folder for the facts of a memory; clear it when the memory changes"
    )
    counts = (ESTIMATE, QUARTER, "o200k_base", "cl100k_base")
    parser.add_argument(
        "--tokens", default=ESTIMATE, choices=counts, help="how tokens are counted (default: %(default)s)"
    )
    parser.add_argument("--timing", action="store_true", help="how long our own take, instead of what is held")
    parser.add_argument("--invariants", action="store_true", help="whether our own keep their word, on every session")
    parser.add_argument("--json", type=Path, help="write all cases to this file")
    parser.add_argument("--lost", type=int, default=0, metavar="N", help="show so many requests that a view lacks")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
