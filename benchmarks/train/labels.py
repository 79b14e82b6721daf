"""Labelled sentences, by author: see `benchmarks/labels/README.md`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm.text import sentences as split
from cfpm.transcript.reading import read
from cfpm.transcript.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parents[1] / "labels"

BLIND = "blind"
"""The folder of stories that nothing is learnt from."""

SESSIONS = "sessions"
"""Opens the names of files that label sentences of real sessions, whose words are in the data package."""

KEPT_APART = frozenset(
    {
        "worlds-w9",
        "worlds-w12",
        "sentences-s12",
        "belief-b3",
        "belief-b6",
        "belief-b7",
        "pairs-f6",
        "pairs-f7",
        "pairs-f8",
        "pairs-f9",
        "mentor-m3",
        "mentor-m8",
        "mentor-m13",
        "mentor-m16",
        "mentor-m17",
        "mentor-m18",
        "mentor-m22",
        "mentor-m23",
        "mentor-m26",
        "pairs-c4",
        "replies-q2",
        "rules-g",
        "rules-h",
        "mentor-m27",
        "mentor-m28",
        "mentor-m29",
        "mentor-m30",
        "mentor-m31",
        "mentor-m32",
        "mentor-m33",
        "mentor-m34",
        "mentor-m35",
        "mentor-m36",
        "mentor-m37",
        "mentor-m38",
        "meant-k12",
        "sentences-s37",
        "pairs-b3",
        "pairs-f10",
        "pairs-f11",
        "pairs-f12",
        "sets-25",
        "sets-26",
        "sets-43",
        "sets-44",
        *(f"sets-{n}" for n in range(58, 66)),
        "orders-p10",
        "chats-v1",
        "chats-v2",
        "chats-r3",
        "talks-j1",
        "talks-j2",
        "talks-j3",
        "talks-n3",
        "talks-v1",
        "talks-v2",
        "talks-v3",
        "talks-r3",
        "later-h",
    }
)
"""Labels from which no head learns, but for dialogues named below: to test on, and one where half of what is said in
Chinese is a rule, from which plain Chinese statements became rules."""

STORIES_APART = frozenset(
    {"a1", "d3", "g3", "h1", "k17", "k18", "l1", "l2", "l3", "l4", "n4", "n7", "o1", "o2", "p1", "p2", "u3", "u7", "u9"}
)
"""Stories from which the relation encoder does not learn: what weighs its answers does."""

TONES_APART = frozenset({"l1", "l2", "l3", "l4", *(f"n{n}" for n in range(1, 11)), *(f"u{n}" for n in range(1, 13))})
"""Stories of which the encoder of sentences does not learn how what users say is meant: the head `meant` does."""

MEANT_APART = frozenset({"meant-k8", "meant-k9", "belief-b4", "belief-b5"})
"""Labels of which the encoder of sentences does not learn how what users say is meant: the head `meant` does."""

RULES_APART = frozenset(
    {*(f"{letter}{n}" for letter in "lmop" for n in range(1, 5)), "mentor-m19", "mentor-m20", "mentor-m21"}
)
"""Stories and dialogues of which the encoder and the linear heads do not learn what is a rule: `standing` does."""

SETS_APART = frozenset({"sets-13", "sets-14", "sets-15", "sets-16"})
"""Sets of statements from which the relation encoder does not learn: what weighs its answers does."""

DIALOGUES_READ = frozenset(f"mentor-m{n}" for n in (3, 8, 13, 16, 17, 18, 22, 23))
"""The same of dialogues: of its own examples the encoder is too sure."""

DIALOGUES_OF_PAIRS = frozenset(f"mentor-m{n}" for n in (26, 27, 28, 31, 32))
"""Of those that other heads do not learn from, what the relation encoder does."""

_LASTING = {"keep_lasting": "later", "keep_session": "task", "momentary": "moment", "unclear": ""}
"""`unclear` is what says something, but not to who reads it alone: what it is worth is not learnt from."""
_ROLES = {"agent": "assistant"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its labels, empty for what nobody could tell; `author` is who wrote it, or the labelled set that
    it is from."""

    text: str
    role: str
    kind: str
    lasting: str
    author: str

    @property
    def writer(self) -> str:
        """Whose words they are: all real sessions count as one writer, so that their subjects become no weights."""
        return SESSIONS if self.author.startswith(SESSIONS) else self.author


def sentences(paths: Iterable[Path], data: Path | None = None) -> Iterator[Sentence]:
    """All sentences of these files, in order; those of real sessions if `data`, the data package, is given.

    Raises ValueError for a label whose sentence is not in the package.
    """
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "sha256" in row and data is None:
                continue
            if "dialogue" in row:
                yield from _of_a_mentor(row, path.stem)
                continue
            # What is told in a world is told by its user, to be known later.
            label = row.get("lasting") or row.get("label", "later")
            role = row.get("role", "user")
            yield Sentence(
                text=row["text"] if data is None or "sha256" not in row else _said(row, data),
                role=_ROLES.get(role, role),
                kind=row["kind"],
                lasting=_LASTING.get(label, label),
                author=path.stem,
            )


def of_rules(*paths: Path) -> Iterator[dict[str, Any]]:
    """The statements of which readers said whether they are standing rules."""
    for path in paths or sorted(HERE.glob("standing-*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def kept_for_rules() -> frozenset[str]:
    """Texts from which `standing` learns, and no other head that reads single sentences: of its own examples each would
    be too sure."""
    return frozenset(row["text"] for row in of_rules() if row["story"] in RULES_APART)


def _of_a_mentor(row: dict[str, Any], author: str) -> Iterator[Sentence]:
    """The sentences that state a rule, or an order of the moment and no rule; nothing is known of the others."""
    rules = [rule["words"] for rule in row["rules"]]
    for sentence in split(row["text"]):
        text = sentence.text
        if any(words in text or text in words for words in rules):
            yield Sentence(text, "user", "instruction", "later", author)
        elif any(words in text or text in words for words in row["orders"]):
            yield Sentence(text, "user", "goal", "task", author)


def _said(row: dict[str, Any], data: Path) -> str:
    text = _messages(data / "transcripts" / row["file"])[row["message"]][row["start"] : row["end"]]
    found = " ".join(text.split())
    if not hashlib.sha256(found.encode()).hexdigest().startswith(row["sha256"]):
        raise ValueError(f"{row['file']}, message {row['message']}: not the sentence that was labelled")
    return found


@cache
def _messages(path: Path) -> list[str]:
    return [record.message.text for record in read(path) if not isinstance(record, Problem)]
