"""`python -m benchmarks erase [--kills N] [--only PART ...] [--json OUT]`: what is left of what was erased."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.erase.forgetting import said_again
from benchmarks.erase.kills import kill
from benchmarks.erase.places import has_chroma
from benchmarks.erase.selectors import SELECTORS, measure

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = ("selectors", "kills", "forgetting")


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when anything is left, or came back."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks erase", description=__doc__)
    parser.add_argument("--kills", type=int, default=24, help="erasures that are killed (default 24)")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure only these parts")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    parts = options.only or PARTS
    document: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="cfpm-erase-") as folder:
        root = Path(folder)
        if "kills" in parts:
            # First: a child of a process with threads might wait for a lock that nobody will let go.
            document["kills"] = _kills(root / "kills", options.kills)
        if "selectors" in parts:
            document["selectors"] = _selectors(root / "selectors")
        if "forgetting" in parts:
            document["forgetting"] = _forgetting(root / "forgetting")
    if options.json:
        options.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return int(any(part["failed"] for part in document.values()))


def _selectors(folder: Path) -> dict[str, Any]:
    chroma = has_chroma()
    if not chroma:
        print("without Chroma: the extra `vector` is not installed")
    outcomes = [measure(name, folder / name.replace(" ", "-"), chroma=chroma) for name in SELECTORS]
    for one in outcomes:
        left = sum(map(len, one.left.values()))
        told = (
            f"{one.seeded} words in {one.before} places of files: {left} left, {len(one.lost)} lost that were to stay"
        )
        print(f"{one.selector:<13}{told}")
        for file, places in one.left.items():
            print(f"    {file}: {', '.join(places)}")
        for place in one.lost:
            print(f"    lost: {place}")
    return {"outcomes": [asdict(one) for one in outcomes], "failed": any(one.left or one.lost for one in outcomes)}


def _kills(folder: Path, count: int) -> dict[str, Any]:
    folder.mkdir()
    done = kill(folder, count)
    print(f"kills        {done.kills}, {done.amid} in the middle, {done.begun} before the file was clean", end=": ")
    print(f"{len(done.left)} files with words left, {len(done.unsound)} complaints of the doctor")
    for file, places in done.left.items():
        print(f"    {file}: {', '.join(places)}")
    for complaint in done.unsound:
        print(f"    {complaint}")
    return {**asdict(done), "failed": bool(done.left or done.unsound)}


def _forgetting(folder: Path) -> dict[str, Any]:
    done = said_again(folder)
    print(f"forgotten    said again {done.said} times: {done.learnt} learnt, {done.shown} shown;", end=" ")
    print(f"{done.refused_others} other statements refused")
    return {**asdict(done), "failed": bool(done.learnt or done.shown or done.refused_others)}


if __name__ == "__main__":
    sys.exit(main())
