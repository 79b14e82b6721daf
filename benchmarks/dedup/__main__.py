"""`python -m benchmarks.dedup --data DIR --json OUT`: what the pruner merges among pairs that people have labelled."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.dedup.pairs import Pair, sets
from cfpm.pruner.relation.contradiction import contradicts
from cfpm.pruner.relation.sameness import same
from cfpm.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Score:
    """Counts and shares (0 to 1, None where the set has no such pair) for one set."""

    pairs: int
    merged: int
    merged_precision: float | None
    """Share of the merged pairs that people hold for duplicates."""
    duplicates: int
    duplicate_recall: float | None
    contradictions: int
    merged_contradictions: float | None
    unrelated: int
    merged_unrelated: float | None
    contradiction_recall: float | None
    """Share of the contradictions that `contradicts` sees."""
    contradiction_precision: float | None
    blind_merged_contradictions: float | None
    """The same share for token_sort_ratio at the threshold, without any guard."""
    blind_duplicate_recall: float | None


def score(pairs: Sequence[Pair], threshold: float) -> Score:
    """Judges every pair with `same` and `contradicts`, and with the bare ratio beside them."""
    from rapidfuzz.fuzz import token_sort_ratio
    from rapidfuzz.utils import default_process

    merged = [same(pair.first, pair.second, threshold=threshold).same for pair in pairs]
    blind = [token_sort_ratio(pair.first, pair.second, processor=default_process) >= threshold for pair in pairs]
    against = [bool(contradicts(pair.first, pair.second)) for pair in pairs]
    duplicate = [pair.duplicate for pair in pairs]
    contradiction = [pair.contradiction for pair in pairs]
    unrelated = [pair.unrelated for pair in pairs]
    return Score(
        pairs=len(pairs),
        merged=sum(merged),
        merged_precision=_share(duplicate, merged),
        duplicates=sum(duplicate),
        duplicate_recall=_share(merged, duplicate),
        contradictions=sum(contradiction),
        merged_contradictions=_share(merged, contradiction),
        unrelated=sum(unrelated),
        merged_unrelated=_share(merged, unrelated),
        contradiction_recall=_share(against, contradiction),
        contradiction_precision=_share(contradiction, against) if any(contradiction) else None,
        blind_merged_contradictions=_share(blind, contradiction),
        blind_duplicate_recall=_share(blind, duplicate),
    )


def _share(hit: Sequence[bool], among: Sequence[bool]) -> float | None:
    total = sum(among)
    return round(sum(a and b for a, b in zip(hit, among, strict=True)) / total, 4) if total else None


def table(scores: dict[str, Score]) -> str:
    """The scores as fixed-width text, one set a row."""
    columns = (
        ("pairs", "pairs"),
        ("dup. recall", "duplicate_recall"),
        ("precision", "merged_precision"),
        ("contrad. merged", "merged_contradictions"),
        ("unrel. merged", "merged_unrelated"),
        ("contrad. seen", "contradiction_recall"),
        ("and right", "contradiction_precision"),
        ("bare ratio: dup.", "blind_duplicate_recall"),
        ("contrad.", "blind_merged_contradictions"),
    )
    lines = ["set".ljust(10) + "".join(title.rjust(len(title) + 2) for title, _ in columns)]
    for name, result in scores.items():
        values = asdict(result)
        lines.append(name.ljust(10) + "".join(_cell(values[key]).rjust(len(title) + 2) for title, key in columns))
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value * 100:.1f}%"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, or 2 when the data folder holds no set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dedup", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data package, or its dedup folder")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--threshold", type=float, default=Settings().fuzzy_threshold)
    options = parser.parse_args(arguments)
    found = sets(options.data)
    if not found:
        print(f"{options.data}: no sentence pairs here. Unpack the data package and name its folder.", file=sys.stderr)
        return 2
    scores = {name: score(pairs, options.threshold) for name, pairs in found.items()}
    print(table(scores))
    if options.json:
        document = {"threshold": options.threshold, "sets": {name: asdict(result) for name, result in scores.items()}}
        options.json.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
