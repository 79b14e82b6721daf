"""`python -m benchmarks house [--data DIR] [--before REV] [--list]`: what the code base is like to live in."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.house import recording, report
from benchmarks.house.code_texts import code_texts
from benchmarks.house.data_texts import data_texts
from benchmarks.house.figures import environment, house, revision
from benchmarks.house.quotations import Quotations, ordinary_texts, quotations, stop_words

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 whatever the figures are, 1 for recordings that differ, 2 for wrong usage or a revision unknown."""
    options = _options(arguments)
    if options.compare:
        return recording.compare(*options.compare)
    if options.record:
        return _record(options)
    if not (options.code / "cfpm" / "__init__.py").is_file():
        print(
            f"{options.code}: no checkout of cfpm. Run it where the folder cfpm is, or name one by --code.",
            file=sys.stderr,
        )
        return 2
    try:
        return _measure(options)
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))}: exit code {error.returncode}", file=sys.stderr)
        return 2


def _measure(options: argparse.Namespace) -> int:
    before = None
    if options.before:
        with revision(options.code, options.before) as checkout:
            before = report.with_quotations(house(checkout), _quoted(checkout, options.data))
    measured = house(options.code)
    quoted = _quoted(options.code, options.data)
    now = report.with_quotations(measured, quoted)
    print(report.text(now, before, measured.rooms))
    if options.list:
        print(report.lists(measured, quoted))
    if options.json:
        found = report.document(now, before, measured, quoted)
        options.json.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _quoted(checkout: Path, data: Path | None) -> Quotations | None:
    if data is None:
        return None
    return quotations(code_texts(checkout), data_texts(data), stop_words(), ordinary_texts())


def _record(options: argparse.Namespace) -> int:
    if options.data is None:
        print("--record needs --data DIR, the unpacked data package", file=sys.stderr)
        return 2
    program = [sys.executable, "-P", recording.__file__, str(options.data.resolve()), str(options.record.resolve())]
    return subprocess.run(program, env=environment(options.code), check=False).returncode


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--data", type=Path, help="the unpacked data package: also counts what the code quotes of it")
    parser.add_argument("--code", type=Path, default=Path(), help="the checkout to measure (default: this folder)")
    parser.add_argument("--before", metavar="REV", help="the same figures of another revision beside it")
    parser.add_argument("--list", action="store_true", help="list what the figures count")
    parser.add_argument("--json", type=Path, help="write the figures and lists to this file")
    parser.add_argument("--record", type=Path, metavar="OUT", help="write what the command line answers into a folder")
    parser.add_argument(
        "--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"), help="say where two such folders differ"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
