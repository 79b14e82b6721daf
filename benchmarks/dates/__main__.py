"""`python -m benchmarks dates [FILE]`: which of the dates that memory shows for sentences are right."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.dates.scoring import Score, read

HERE = Path(__file__).parent / "data"


def main() -> int:
    """Prints a row for each language and kind, and all of them together."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks dates", description=__doc__)
    parser.add_argument("files", type=Path, nargs="*", help="JSONL files; without one those kept here.")
    parser.add_argument("--misses", action="store_true", help="Also print what is wrong.")
    parser.add_argument("--json", type=Path, metavar="OUT", help="Write the figures there.")
    given = parser.parse_args()
    try:
        sentences = [sentence for path in given.files or sorted(HERE.glob("*.jsonl")) for sentence in read(path)]
    except (OSError, ValueError) as error:
        print(f"dates: {error}", file=sys.stderr)
        return 2
    score = Score.of(sentences)
    for place in sorted(score.asked):
        print(f"  {' '.join(place):<16}{score.right[place]:4} of {score.asked[place]}")
    right, asked = score.right.total(), score.asked.total()
    print(f"  {'right':<16}{right:4} of {asked}{f', {right / asked:.1%}' if asked else ''}")
    print(f"  {'wrong month':<16}{score.wrong_month:4}")
    if given.misses:
        print("\n".join(score.misses))
    if given.json:
        figures = {"right": right, "asked": asked, "wrong_month": score.wrong_month}
        given.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
