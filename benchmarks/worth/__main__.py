"""`python -m benchmarks worth FILE ...`: tells labelled sentences to a memory, and looks which became facts."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.train.labels import sentences
from cfpm import Memory
from cfpm.model import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

LASTING = ("later", "task", "moment", "noise")

Rows = list[tuple[str, str, bool]]
"""Of each sentence its role, how long it is worth knowing, and whether it was kept."""


def main() -> int:
    """Prints for each file, by role and label, the share of the sentences that was kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks worth", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="DIR", help="The data package, for sentences of real sessions.")
    given = parser.parse_args()
    for path in given.files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if "sha256" not in rows[0]:
            show(path.stem, written(rows))
        elif given.data is None:
            parser.error(f"{path} labels sentences of the data package: give --data")
        else:
            show(path.stem, of_sessions(path, rows, given.data))
    return 0


def written(rows: Sequence[dict[str, Any]]) -> Rows:
    """Each sentence in a memory of its own, behind what stood before it."""
    found = []
    for row in rows:
        other = "assistant" if row["role"] == "user" else "user"
        messages = [
            {"role": "user", "content": "Good morning."},
            {"role": "assistant", "content": "Good morning!"},
            {"role": other, "content": row.get("before") or "Go on."},
            {"role": row["role"], "content": row["text"], "id": "asked"},
        ]
        with Memory.open("sqlite://") as memory:
            memory.observe(messages)
            kept = any(
                one.decision is not Decision.REJECTED and one.span.message_id == "asked" for one in memory.candidates()
            )
        found.append((row["role"], row["lasting"], kept))
    return found


def of_sessions(path: Path, rows: Sequence[dict[str, Any]], data: Path) -> Rows:
    """The sessions that the sentences are from, each in a memory of its own."""
    by_file: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["file"] not in by_file:
            with Memory.open("sqlite://") as memory:
                memory.observe_file(data / "transcripts" / row["file"])
                by_file[row["file"]] = {
                    one.content for one in memory.candidates() if one.decision is not Decision.REJECTED
                }
    told = list(sentences([path], data))
    return [(one.role, one.lasting, one.text in by_file[row["file"]]) for one, row in zip(told, rows, strict=True)]


def show(name: str, rows: Rows) -> None:
    """Prints the figures of one file."""
    print(f"{name}: {len(rows)} sentences")
    for role in dict.fromkeys(role for role, _, _ in rows):
        told = Counter(label for who, label, _ in rows if who == role)
        kept = Counter(label for who, label, stays in rows if who == role and stays)
        shares = ", ".join(
            f"{label} {kept[label] / told[label]:.2f} of {told[label]}" for label in LASTING if told[label]
        )
        print(f"  {role}, kept: {shares}")
        if whole := kept.total():
            of = ", ".join(f"{label} {kept[label] / whole:.2f}" for label in LASTING)
            print(f"  {role}, of the kept ({whole}): {of}")


if __name__ == "__main__":
    sys.exit(main())
