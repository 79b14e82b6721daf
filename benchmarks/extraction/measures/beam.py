"""BEAM, chats of 100,000 tokens; the gold facts are the bullets of the plan that the user's messages were written from.

The larger sizes are read for those who ask for them, and not scored here.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from benchmarks.extraction import figures, misses
from benchmarks.extraction.conversation import Conversation
from benchmarks.extraction.labelled import Labelled, answer
from benchmarks.extraction.result import Result
from benchmarks.extraction.scoring import Gold
from cfpm import Message, Role

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.extraction.conversation import Extractor

NAME = "BEAM 100K"
GOALS = {1: 0.64, 2: 0.92}
KINDS = {
    "User Instruction": "instruction",
    "Preference Statement": "preference",
    "Information Update": "update",
    "Logical Contradiction": "contradiction",
    "Personal Introduction": "intro",
}

_INDEX = re.compile(r"\s*->->[^\n]*\s*\Z")
"""The place in the plan that ends a user's text: it must go, for it gives the gold fact away."""
_BATCH = re.compile(r"\s*BATCH\s+(\d+)")
_BULLET = re.compile(r"\s*[•*-]\s*\*\*(.+?):?\*\*:?\s*(.*)")


def measure(data: Path, extractor: Extractor) -> Result | None:
    """All rows of the set; None without its folder."""
    if not (items := labelled(data)):
        return None
    answers = [answer(item, extractor) for item in items]
    rows = (
        *figures.rows(NAME, answers, GOALS),
        *figures.label_rows(NAME, answers, kind),
        *figures.category_rows(NAME, answers),
    )
    return Result(rows, misses.examples(NAME, answers))


def kind(label: str) -> str:
    """The row that a bullet's label belongs to."""
    return KINDS.get(label, "other")


def conversations(data: Path) -> list[Conversation]:
    """The chats, named by their folder."""
    return [item.conversation for item in labelled(data)]


def gold(data: Path) -> dict[str, tuple[Gold, ...]]:
    """The bullets that a message was written from, by the name of their chat; `label` is the bullet's."""
    return {item.conversation.session: item.gold for item in labelled(data)}


def labelled(data: Path, size: str = "100K") -> list[Labelled]:
    """The chats of one size with their bullets; none when the package does not hold that size."""
    folders = [path.parent for path in (data / "beam" / size).glob("*/chat.json")]
    return [_labelled(folder) for folder in sorted(folders, key=lambda folder: (len(folder.name), folder.name))]


def _labelled(folder: Path) -> Labelled:
    messages: list[Message] = []
    evidence: dict[str, set[str]] = {}
    at: datetime | None = None
    for row in _rows(json.loads((folder / "chat.json").read_text(encoding="utf-8"))):
        if row.get("time_anchor"):
            at = datetime.strptime(row["time_anchor"], "%B-%d-%Y").replace(tzinfo=UTC)
        role = Role(row["role"])
        text = _INDEX.sub("", row["content"]) if role is Role.USER else row["content"]
        messages.append(Message(role, text, str(row["id"]), at))
        if role is Role.USER and row.get("index"):
            evidence.setdefault(str(row["index"]).replace(" ", ""), set()).add(str(row["id"]))
    facts = [
        Gold(text, frozenset(evidence[index]), label)
        for index, (label, text) in _bullets(folder).items()
        if index in evidence
    ]
    return Labelled(Conversation(folder.name, tuple(messages)), tuple(facts))


def _rows(batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for batch in batches for turn in batch["turns"] for row in turn]


def _bullets(folder: Path) -> dict[str, tuple[str, str]]:
    """Label and text of each bullet, by "batch,bullet", both counted from 1."""
    path = folder / "plan_new.txt"
    found: dict[str, tuple[str, str]] = {}
    batch = number = 0
    for line in (path if path.is_file() else folder / "plan.txt").read_text(encoding="utf-8").splitlines():
        if begins := _BATCH.match(line):
            batch, number = int(begins[1]), 0
        elif batch and (bullet := _BULLET.match(line)):
            number += 1
            found[f"{batch},{number}"] = (bullet[1], bullet[2].strip())
    return found
