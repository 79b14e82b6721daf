"""`python -m benchmarks.secrets --data DIR --json OUT`: what redaction catches, what it takes by mistake, how fast."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.secrets import innocent, oracle, personal, shapes, speed, survivors
from benchmarks.secrets.corpora import missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a run, and the machine that they are from."""

    python: str
    processors: int
    survival: survivors.Survival
    false_redactions: tuple[innocent.FalseRate, ...]
    oracle: oracle.Comparison | None
    personal: tuple[personal.TypeRow, ...]
    passes: tuple[speed.Pass, ...]
    growths: tuple[speed.Growth, ...]


def run(data: Path, *, hostile: bool) -> Report:
    """Every measurement once. Without detect-secrets there is no oracle; hostile texts take minutes."""
    try:
        compared = oracle.compare(data)
    except ModuleNotFoundError:
        compared = None
    return Report(
        python=platform.python_version(),
        processors=os.cpu_count() or 1,
        survival=survivors.measure(data),
        false_redactions=innocent.measure(data),
        oracle=compared,
        personal=personal.measure(data),
        passes=speed.passes(data),
        growths=speed.growths() if hostile else (),
    )


def lines(report: Report) -> Iterator[str]:
    """The report for people."""
    yield f"Python {report.python}, {report.processors} processors"
    yield from _survival(report.survival)
    yield "\nfalse redactions, per 10,000 words"
    for rate in report.false_redactions:
        yield f"  {rate.corpus:<12}{rate.per_10_000_words:>8.4f}  ({rate.redactions} in {rate.words} words)"
        yield from (f"      {taken.times} {taken.kind}: {taken.before} >>> {taken.value}" for taken in rate.taken)
    if report.oracle is None:
        yield "\ndetect-secrets is not installed: no oracle"
    else:
        missed = len(report.oracle.missed)
        yield f"\ndetect-secrets without entropy: {report.oracle.found} found, {missed} of them left by us"
        yield from (f"      {miss.plugin}, {miss.file}:{miss.line}: {miss.value}" for miss in report.oracle.missed)
    yield "\npersonal numbers taken"
    for row in report.personal:
        yield f"  {row.type:<20}{row.taken:>5} of {row.values:<5}{'' if row.secret else ' (kept by design)'}"
    yield "\nspeed on texts without secrets"
    for found in report.passes:
        yield f"  {found.corpus:<12}{found.megabytes_per_second:>8.1f} MB/s over {found.megabytes} MB"
    for grown in report.growths:
        yield f"  {grown.unit!r:<28}{grown.small_seconds:>8.2f} s, eight times the text {grown.ratio:.1f} times as long"


def _survival(survival: survivors.Survival) -> Iterator[str]:
    values = sum(row.values for row in survival.rows if row.secret)
    left = sum(row.survived for row in survival.rows if row.secret)
    yield f"\nlabelled secrets that survive: {left} of {values} ({survival.unreadable} more stand in no text)"
    for row in survival.rows:
        about = "" if row.secret else " (an identifier)"
        yield f"  {row.rule:<36}{row.survived:>4} of {row.values}{about}"
    for found in survival.survivors:
        if survivors.is_secret(found.label):
            yield f"      {found.form}: {found.label.rule}, {found.label.file}:{found.label.line}"


def _cases(shapes_file: Path | None, innocent_file: Path | None, out: Path | None) -> int:
    """The cases of somebody's files, without the data package."""
    surviving = shapes.measure(shapes_file) if shapes_file else ()
    innocents = shapes.innocent(innocent_file) if innocent_file else None
    print("\n".join(shapes.lines(surviving)))
    if innocents:
        print("\n".join(shapes.innocent_lines(innocents)))
    if out:
        figures = {"shapes": [asdict(group) for group in surviving], "innocent": innocents and asdict(innocents)}
        out.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when it ran, 2 when there is no data or the options are wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.secrets", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the unpacked data package")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--hostile", action="store_true", help="also time hostile texts of 1 and 8 MB (minutes)")
    parser.add_argument("--shapes", type=Path, help="JSON lines of secrets: which survive in a real memory")
    parser.add_argument("--innocent", type=Path, help="JSON lines of texts without a secret: which lose a word")
    parser.add_argument(
        "--rules", type=Path, help="folder with wheels of gitleaks and CredSweeper: compile their rules"
    )
    given = parser.parse_args(arguments)
    if given.rules:
        from benchmarks.secrets import vendor_rules

        print(f"{vendor_rules.write(given.rules)} rules written to {vendor_rules.OUT.name}")
        return 0
    if given.shapes or given.innocent:
        return _cases(given.shapes, given.innocent, given.json)
    absent = missing(given.data) if given.data else ["--data"]
    if absent:
        print(
            f"benchmarks.secrets: missing {', '.join(absent)}. Unpack the data package of the benchmarks "
            "(its `unpack DIR` prints the folder) and pass that folder: python -m benchmarks.secrets --data DIR",
            file=sys.stderr,
        )
        return 2
    report = run(given.data, hostile=given.hostile)
    print("\n".join(lines(report)))
    if given.json:
        given.json.write_text(json.dumps(asdict(report), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
