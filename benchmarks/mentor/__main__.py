"""`python -m benchmarks mentor FILE ...`: plays mentors' dialogues to a memory, and looks which rules stand."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.train.dialogues import dialogues_of
from cfpm import Memory
from cfpm.model import Category, Decision, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.model import Candidate, Fact

SHARE = 0.6
"""Of the words of the shorter text that stand in the other, so that a fact is that of a rule."""

_WORD = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]")


def main() -> int:
    """Prints the figures of each file; `--misses` also the rules that were missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks mentor", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--misses", action="store_true", help="Show what was missed.")
    given = parser.parse_args()
    for path in given.files:
        dialogues = list(dialogues_of(path))
        counts: Counter[str] = Counter()
        misses: list[str] = []
        for dialogue in dialogues:
            play(dialogue, counts, misses)
        print(f"{path.stem}: {len(dialogues)} dialogues, {counts['rules']} rules")
        for name, of in (
            ("heard", "rules"),
            ("as instruction", "rules"),
            ("changed", "replacements"),
            ("retired", "replacements"),
            ("taken back", "revocations"),
            ("orders as rules", "orders"),
        ):
            if counts[of]:
                print(f"  {name}: {counts[name] / counts[of]:.2f} of {counts[of]}")
        if given.misses:
            print("\n".join(f"    {miss}" for miss in misses))
    return 0


def play(rows: Sequence[dict[str, Any]], counts: Counter[str], misses: list[str]) -> None:
    """One dialogue, session by session, in a memory of its own."""
    sessions: dict[int, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for number, row in enumerate(rows):
        sessions[row["session"]].append((f"m{number}", row))
    with Memory.open("sqlite://") as memory:
        for name, messages in sessions.items():
            told = [{"role": row["role"], "content": row["text"], "id": ident} for ident, row in messages]
            memory.observe(told, session=f"s{name}")
        by_message: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in memory.candidates():
            if candidate.decision is not Decision.REJECTED:
                by_message[candidate.span.message_id].append(candidate)
        known = {fact.id: fact for fact in memory.facts()}
    facts: dict[str, set[str]] = {}
    for number, row in enumerate(rows):
        made = by_message[f"m{number}"]
        for rule in row["rules"]:
            facts[rule["id"]] = _rule(rule, made, facts, known, counts, misses)
        for order in row["orders"]:
            counts["orders"] += 1
            if any(one.category is Category.INSTRUCTION and alike(order, one.content) for one in made):
                counts["orders as rules"] += 1
                misses.append(f"an order as a rule: {order}")


def _rule(
    rule: dict[str, Any],
    made: Iterable[Candidate],
    facts: dict[str, set[str]],
    known: dict[str, Fact],
    counts: Counter[str],
    misses: list[str],
) -> set[str]:
    """Counts one rule; returns the ids of its facts."""
    own = [one for one in made if alike(rule["words"], one.content)]
    older = [known[name] for name in facts.get(rule["replaces"], ())]
    newer = {one.fact_id for one in own}
    if rule["revokes"]:
        counts["revocations"] += 1
        gone = bool(older) and all(fact.status is not Status.ACTIVE for fact in older)
        counts["taken back"] += gone
        if not gone:
            misses.append(f"not taken back: {[fact.content for fact in older]} by {rule['words']}")
        return newer
    counts["rules"] += 1
    counts["heard"] += bool(own)
    if any(one.category is Category.INSTRUCTION for one in own):
        counts["as instruction"] += 1
    else:
        misses.append(f"no instruction: {rule['words']} ({[one.category.value for one in own]})")
    if rule["replaces"]:
        counts["replacements"] += 1
        retired = any(fact.status is Status.SUPERSEDED for fact in older)
        linked = any(set(fact.contradicts.split()) & newer for fact in older)
        counts["retired"] += retired
        counts["changed"] += retired or linked
        if not (retired or linked):
            misses.append(f"not changed: {[fact.content for fact in older]} by {rule['words']}")
    return newer


def alike(one: str, other: str) -> bool:
    """Whether most words of the shorter text stand in the other."""
    mine, yours = (set(_WORD.findall(text.lower())) for text in (one, other))
    least = min(len(mine), len(yours))
    return least > 0 and len(mine & yours) >= SHARE * least


if __name__ == "__main__":
    sys.exit(main())
