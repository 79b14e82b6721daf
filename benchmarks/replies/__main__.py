"""`python -m benchmarks replies FILE ...`: what stays of an answer that says little without the question."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm import Memory
from cfpm.model import Category, Role, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.model import Fact

WANTED = ("rule", "later")
"""Exchanges of which something is worth knowing in later sessions."""


def main() -> int:
    """Prints the figures of each file by kind of exchange; `--wrong` also what is lost and what is kept for nothing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks replies", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--wrong", action="store_true", help="Show what is lost, and what is kept for nothing.")
    given = parser.parse_args()
    for path in given.files:
        counts: Counter[tuple[str, str]] = Counter()
        wrong: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            play(json.loads(line), counts, wrong)
        print(f"{path.stem}: exchanges of which a fact is kept; one that holds all words; one that is a rule")
        for kind in ("rule", "later", "task", "moment"):
            kept, whole, rules, of = (counts[kind, name] for name in ("kept", "whole", "rules", "of"))
            print(f"  {kind:8} {kept:3} of {of:3}   {whole if kind in WANTED else '-':>3}   {rules:3}")
        if given.wrong:
            print("\n".join(f"    {one}" for one in wrong))
    return 0


def play(exchange: dict[str, Any], counts: Counter[tuple[str, str]], wrong: list[str]) -> None:
    """Tells one exchange to a memory of its own, and counts what its active facts hold of the answer."""
    kind = exchange["keep"]
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": exchange["asked"]}])
        memory.observe([{"role": "user", "content": exchange["reply"]}])
        facts = list(_of_user(memory))
    texts = [fact.content.casefold() for fact in facts]
    whole = any(all(word.casefold() in text for word in exchange["words"]) for text in texts)
    counts[kind, "of"] += 1
    counts[kind, "kept"] += bool(facts)
    counts[kind, "whole"] += whole
    counts[kind, "rules"] += any(fact.category in (Category.INSTRUCTION, Category.PREFERENCE) for fact in facts)
    if (kind in WANTED and not whole) or (kind not in WANTED and facts):
        told = [f"{fact.category}: {fact.content}" for fact in facts]
        wrong.append(f"{kind}: {exchange['asked']} | {exchange['reply']} -> {told}")


def _of_user(memory: Memory) -> Iterator[Fact]:
    return (fact for fact in memory.facts(status=Status.ACTIVE) if fact.role is Role.USER)


if __name__ == "__main__":
    sys.exit(main())
