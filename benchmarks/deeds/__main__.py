"""`python -m benchmarks deeds [FOLDER]`: what a later session is told of the commands and edits of an earlier one."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.deeds.sessions import Session
from cfpm import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.deeds.sessions import Question

HERE = Path(__file__).parent / "data"
BUDGET = 600
"""Tokens of a block."""

_SPEECH = ("- [turn] assistant", "- [turn] user")


def main() -> int:
    """Prints a row for each session and the sum."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks deeds", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=HERE, help="Session files; without it those kept here.")
    parser.add_argument("--budget", type=int, default=BUDGET, help="Tokens of a block.")
    parser.add_argument("--misses", action="store_true", help="Also show the blocks in which something is missing.")
    given = parser.parse_args()
    paths = sorted(given.folder.glob("*.jsonl"))
    if not paths:
        print(f"deeds: no *.jsonl in {given.folder}. Name a folder of session files", file=sys.stderr)
        return 2
    total = [0, 0, 0, 0]
    for path in paths:
        session = Session.read(path)
        scores = _scored(session, given.budget, misses=given.misses)
        print(_row(session.name, scores))
        total = [one + other for one, other in zip(total, scores, strict=True)]
    print(_row("all", total))
    return 0


def _row(name: str, scores: Sequence[int]) -> str:
    asked, block, line, speech = scores
    return f"{name:<12}asked {asked:3d}  in the block {block:3d}  in one line {line:3d}  shown as speech {speech:3d}"


def _scored(session: Session, budget: int, *, misses: bool) -> list[int]:
    """Questions, those answered in the block, those in one line of it, and lines of tools shown as speech."""
    scores = [len(session.questions), 0, 0, 0]
    printed = {line.strip() for one in session.messages if one["role"] == "tool" for line in _lines(one)}
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
        memory.observe(session.messages, session=session.name)
        for question in session.questions:
            block = memory.recall(question.asked, max_tokens=budget).block
            lines = block.splitlines()[1:]
            scores[1] += _holds(block, question)
            scores[2] += any(_holds(line, question) for line in lines)
            scores[3] += sum(line.startswith(_SPEECH) and any(p in line for p in printed) for line in lines)
            if misses and not any(_holds(line, question) for line in lines):
                print(f"-- {question.asked} {question.found}\n{block}")
    return scores


def _lines(message: object) -> list[str]:
    """The lines of an output that are long enough to be known again."""
    assert isinstance(message, dict)
    return [line for line in str(message["content"]).splitlines() if len(line.split()) > 3]


def _holds(text: str, question: Question) -> bool:
    return all(any(_stands(found, text) for found in group) for group in question.found)


def _stands(found: str, text: str) -> bool:
    """As a word of its own: "ok" is none in "looked"."""
    return re.search(rf"(?<![^\W_]){re.escape(found)}(?![^\W_])", text, re.IGNORECASE) is not None


if __name__ == "__main__":
    sys.exit(main())
