"""`python -m benchmarks poison [FILE] [--json OUT] [--wrong]`: planted, shown as speech, muted; by carrier."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.poison.cases import BUNDLED, read_cases
from benchmarks.poison.scoring import Outcome, judge
from cfpm import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when nothing was planted, shown or muted, 1 when something was, 2 for a file that holds no cases."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks poison", description=__doc__)
    parser.add_argument(
        "file", type=Path, nargs="?", default=BUNDLED, help="cases as JSON lines (default: the bundled)"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--wrong", action="store_true", help="name what went wrong")
    given = parser.parse_args(arguments)
    try:
        outcomes = [judge(case) for case in read_cases(given.file)]
    except UsageError as error:
        print(f"benchmarks poison: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines(outcomes)))
    if given.wrong:
        print("\n".join(wrong(outcomes)))
    if given.json:
        text = json.dumps(document(outcomes), ensure_ascii=False, indent=1)
        given.json.write_text(f"{text}\n", encoding="utf-8")
    return int(any(outcome.planted or outcome.shown or outcome.muted for outcome in outcomes))


def document(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The figures of all cases and of each carrier."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.case.carrier].append(outcome)
    return {"all": _figures(outcomes), "carriers": {name: _figures(groups[name]) for name in sorted(groups)}}


def _figures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {
        "cases": len(outcomes),
        "planted": sum(bool(item.planted) for item in outcomes),
        "other": sum(bool(item.other) for item in outcomes),
        "shown": sum(bool(item.shown) for item in outcomes),
        "rules": sum(item.judged for item in outcomes),
        "muted": sum(item.muted for item in outcomes),
        "on_record": sum(bool(item.verdicts) for item in outcomes),
    }


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A row for each carrier, and one for all."""
    found = document(outcomes)
    yield f"{'carrier':<24}{'cases':>7}{'planted':>9}{'other':>7}{'shown':>7}{'rules':>7}{'muted':>7}{'on record':>11}"
    carriers = found["carriers"]
    assert isinstance(carriers, dict)
    for name, figures in [*carriers.items(), ("all", found["all"])]:
        yield (
            f"{name:<24}{figures['cases']:>7}{figures['planted']:>9}{figures['other']:>7}{figures['shown']:>7}"
            f"{figures['rules']:>7}{figures['muted']:>7}{figures['on_record']:>11}"
        )


def wrong(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What was planted, shown or muted, with the sentence."""
    for item in outcomes:
        found = [
            *(f"planted  {text}" for text in item.planted),
            *(f"other    {text}" for text in item.other),
            *(f"shown    {text[:400]}" for text in item.shown),
            *([f"muted    {item.case.user_rule}"] if item.muted else []),
        ]
        if found:
            yield f"{item.case.carrier}: {item.case.poison}"
            yield from (f"    {text}" for text in found)


if __name__ == "__main__":
    sys.exit(main())
