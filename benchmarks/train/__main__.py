"""`python -m benchmarks train HEAD [--more FILE ...]`: learns a head, and tests it on authors kept apart."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.train.labels import HERE, Sentence, sentences
from benchmarks.train.logistic import train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.train.head import LinearHead

LINES = (0, 50, 110, 160, 220)
"""Scores at which precision and recall are shown."""

_FOUND = ("diagnosis", "command", "note", "decision", "finding", "project_fact", "pitfall")
"""Kinds of what is known or found out. What was done is a claim, which other rules hold to its evidence."""

_PASSING = ("none", "narration", "fragment", "reaction")


def _useful(one: Sentence) -> bool:
    return one.lasting in ("later", "task") and one.kind not in _PASSING


HEADS: dict[str, tuple[str, str, Callable[[Sentence], bool]]] = {
    "useful": ("assistant", "Worth reading again while the task lasts, or later.", _useful),
    "lasting": ("assistant", "Worth knowing in later sessions.", lambda one: one.lasting == "later"),
    "finding": (
        "assistant",
        "What was found out or is known: a cause, a place, a command that works, a decision.",
        lambda one: _useful(one) and one.kind in _FOUND,
    ),
}
"""For each head whose sentences it judges, what it tells of them, and whether a labelled one is so."""


def main() -> int:
    """Prints how the head does on each author when it learnt from the others."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks train", description=__doc__)
    parser.add_argument("head", choices=sorted(HEADS))
    parser.add_argument("--more", type=Path, nargs="*", default=[], metavar="FILE", help="More labelled sentences.")
    parser.add_argument("--test", type=Path, nargs="*", default=[], metavar="FILE", help="Only test on these.")
    given = parser.parse_args()
    role, about, is_one = HEADS[given.head]
    print(f"{given.head}: {about}")
    known = _of_role(role, [*sorted(HERE.glob("sentences-*.jsonl")), *given.more])
    for author in dict.fromkeys(one.author for one in known):
        apart = [one for one in known if one.author == author]
        learnt = _learnt([one for one in known if one.author != author], is_one)
        _show(f"{author}, learnt from the others", learnt, apart, is_one)
    for path in given.test:
        _show(f"{path.stem}, learnt from all above", _learnt(known, is_one), _of_role(role, [path]), is_one)
    return 0


def _of_role(role: str, paths: Sequence[Path]) -> list[Sentence]:
    return [one for one in sentences(paths) if one.role == role]


def _learnt(known: Sequence[Sentence], is_one: Callable[[Sentence], bool]) -> LinearHead:
    return train([one.text for one in known], [is_one(one) for one in known], [one.author for one in known])


def _show(what: str, learnt: LinearHead, apart: Sequence[Sentence], is_one: Callable[[Sentence], bool]) -> None:
    wanted = [is_one(one) for one in apart]
    scores = [learnt.score(one.text) for one in apart]
    print(f"{what}: {len(apart)} sentences, {sum(wanted)} wanted")
    for line in LINES:
        taken = [good for good, score in zip(wanted, scores, strict=True) if score >= line]
        precision = sum(taken) / len(taken) if taken else 0.0
        print(f"  from {line:>4}: found {sum(taken) / max(1, sum(wanted)):.2f}, precision {precision:.2f}")


if __name__ == "__main__":
    sys.exit(main())
