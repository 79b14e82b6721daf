"""`python -m benchmarks belief FILE ...`: tells a memory excerpts in which one part holds and another does not."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm import Memory
from cfpm.model import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
"""Day 0 of each excerpt."""


def main() -> int:
    """Prints the figures of each file by kind; `--wrong` also what came out wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks belief", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--wrong", action="store_true", help="Show what is lost and what is still believed.")
    given = parser.parse_args()
    for path in given.files:
        counts: Counter[tuple[str, str]] = Counter()
        wrong: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            play(json.loads(line), counts, wrong)
        print(f"{path.stem}: of what is to be believed kept, of what is not still believed")
        for kind in (*sorted({kind for kind, _ in counts} - {"all"}), "all"):
            kept, wanted, left, unwanted = (counts[kind, of] for of in ("kept", "wanted", "left", "unwanted"))
            print(f"  {kind:14} {kept:3} of {wanted:3}   {left:3} of {unwanted:3}")
        if given.wrong:
            print("\n".join(f"    {one}" for one in wrong))
    return 0


def play(excerpt: dict[str, Any], counts: Counter[tuple[str, str]], wrong: list[str]) -> None:
    """Tells one excerpt, a session a day, to a memory of its own, and counts what its active facts hold."""
    with Memory.open(":memory:") as memory:
        for number, message in enumerate(excerpt["messages"]):
            at = BEGIN + timedelta(days=message["day"], minutes=number)
            row = {"id": str(number), "role": "user", "content": message["text"], "created_at": at.isoformat()}
            memory.observe([row], session=f"day-{message['day']}")
        facts = [fact.content for fact in memory.facts(status=Status.ACTIVE)]
    for of, of_all, statements in (
        ("kept", "wanted", excerpt["believed"]),
        ("left", "unwanted", excerpt["not_believed"]),
    ):
        for words in statements:
            held = holds(facts, words)
            for kind in (excerpt["kind"], "all"):
                counts[kind, of] += held
                counts[kind, of_all] += 1
            if held != (of == "kept"):
                wrong.append(
                    f"{excerpt['kind']}: {'lost' if of == 'kept' else 'believed'}: {words}: {excerpt['messages']}"
                )


def holds(facts: Sequence[str], words: str) -> bool:
    """Whether one fact holds all groups of words, which stand between ` & `."""
    groups = [group.strip().casefold() for group in words.split(" & ")]
    return any(all(group in fact.casefold() for group in groups) for fact in facts)


if __name__ == "__main__":
    sys.exit(main())
