"""Dialogues of mentors and agents, as statements beside the rules that stand when they are made."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Told(NamedTuple):
    """A statement beside the rules that stand when it is said; `ends` is the place of the one that it ends, -1 for
    none."""

    newer: str
    rules: list[str]
    ends: int


def told(path: Path) -> Iterator[Told]:
    """Each rule and each order of a file of dialogues that is said while rules stand."""
    dialogues: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        dialogues[row["dialogue"]].append(row)
    for rows in dialogues.values():
        standing: dict[str, str] = {}
        for row in rows:
            for rule in [*row["rules"], *({"words": words} for words in row["orders"])]:
                names = list(standing)
                replaced = rule.get("replaces", "")
                if names:
                    ends = names.index(replaced) if replaced in names else -1
                    yield Told(rule["words"], [standing[name] for name in names], ends)
                standing.pop(replaced, None)
                if "id" in rule and not rule["revokes"]:
                    standing[rule["id"]] = rule["words"]
