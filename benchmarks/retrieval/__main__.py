"""`--data DIR [--set NAME ...] [--ablate] [--abstain | --together] [--json OUT]`: evidence recall of the sets."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.retrieval.abstention import abstaining
from benchmarks.retrieval.evidence import CUTS, DEFINITION, measure
from benchmarks.retrieval.methods import ABLATIONS, BASELINES, recalled
from benchmarks.retrieval.sets import SETS, together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.retrieval.evidence import Scores


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 whatever the figures are, 2 for a folder without any of the sets."""
    options = _options(arguments)
    methods = {
        "recall": recalled,
        **({} if options.only_recall else BASELINES),
        **(ABLATIONS if options.ablate else {}),
    }
    documents: dict[str, dict[str, object]] = {}
    print(DEFINITION)
    for name in options.set or SETS:
        dialogues = SETS[name](options.data)
        if not dialogues:
            continue
        if options.abstain:
            documents[name] = {"nothing fits": abstaining(dialogues)}
            print(f"{name}:{documents[name]['nothing fits']}")
            continue
        found = measure([together(dialogues)] if options.together else dialogues, methods)
        how = "in one memory, " if options.together else ""
        print(f"\n{name}: {len(dialogues)} dialogues, {how}{sum(len(one.messages) for one in dialogues):,} messages")
        print(table(found))
        documents[name] = {method: scores.document() for method, scores in found.items()}
    if not documents:
        print(f"{options.data}: none of the sets is here", file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(
            json.dumps({"definition": DEFINITION, "sets": documents}, indent=2) + "\n", encoding="utf-8"
        )
    return 0


def table(found: Mapping[str, Scores]) -> str:
    """All kinds for recall, then one line for each other method."""
    head = f"  {'':<28}{'n':>6}" + "".join(f"{f'recall@{cut}':>11}" for cut in CUTS) + f"{'median ms':>11}"
    lines = [head]
    for method, scores in found.items():
        for kind, row in scores.kinds().items():
            if method != "recall" and kind != "all":
                continue
            name = kind if method == "recall" and kind != "all" else method
            figures = "".join(f"{100 * value:>11.1f}" for value in row)
            time = f"{1000 * median(scores.seconds):>11.2f}" if kind == "all" else ""
            lines.append(f"  {name:<28}{scores.count(kind):>6}{figures}{time}")
    return "\n".join(lines)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data package")
    parser.add_argument("--set", nargs="+", choices=list(SETS), help="only these sets")
    parser.add_argument("--ablate", action="store_true", help="measure recall without each signal too")
    # Whether a question is unanswered is asked of each dialogue beside the others.
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--abstain", action="store_true", help="measure only whether unanswered questions are told")
    how.add_argument("--together", action="store_true", help="put all dialogues of a set into one memory")
    parser.add_argument("--only-recall", action="store_true", help="without baselines")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
