"""`python -m benchmarks reuse --data DIR [--write FILE]`: learns the weights and tells how well they rank."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compaction.sessions import sessions
from benchmarks.reuse.cases import Case, cases, kept_apart
from benchmarks.reuse.training import as_toml, learnt, recall

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOMS = (500, 1_000, 2_000)
"""Tokens of a bare list of the best names, for judging the order alone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, or 2 for a folder without sessions."""
    options = _options(arguments)
    found: list[Case] = []
    apart: list[Case] = []
    for session in sessions(options.data, options.set):
        (apart if kept_apart(session.name) else found).extend(cases(session))
    if not found or not apart:
        print(f"benchmarks.reuse: {options.data} has too few sessions of {options.set}", file=sys.stderr)
        return 2
    weights = learnt(found)
    print(f"{len(found)} cuts to learn from, {len(apart)} of sessions kept apart")
    for room in ROOMS:
        print(f"bare list of {room:>5} tokens: {recall(apart, weights, room):.3f} of what is used again")
    if options.write:
        options.write.write_text(as_toml(weights), encoding="utf-8")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks reuse", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data package")
    parser.add_argument("--set", default="specstory", help="the set to learn from (default specstory)")
    parser.add_argument("--write", type=Path, help="write the weights to this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
