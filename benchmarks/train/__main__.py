"""`python -m benchmarks train HEAD [--write]`: learns a head, and tests it on authors kept apart."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.train.labels import HERE, KEPT_APART, SESSIONS, Sentence, kept_for_rules, sentences
from benchmarks.train.logistic import train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfpm.text.heads.linear import LinearHead

LINES = (500, 600, 700, 800, 900)
"""Thousandths of certainty at which precision and recall are shown."""

_OF_USERS = ("instruction", "preference", "profile", "decision", "event", "goal", "note", "none")
_OF_AGENTS = ("diagnosis", "command", "note", "decision", "outcome", "none")


GROUPS = {"kept": tuple(dict.fromkeys((*_OF_USERS[:-1], *_OF_AGENTS[:-1]))), "worth": ("later", "task")}
"""Answers that are shown together."""


def _kind(kinds: Sequence[str]) -> Callable[[Sentence], str]:
    """The kind, where another word for it counts as a note."""
    return lambda one: one.kind if one.kind in kinds else "note"


def _lasting(sentence: Sentence) -> str:
    return sentence.lasting


HEADS: dict[str, tuple[str, str, Callable[[Sentence], str]]] = {
    "user": ("user", "What a sentence of a user is.", _kind(_OF_USERS)),
    "agent": ("assistant", "What a sentence of an assistant is.", _kind(_OF_AGENTS)),
    "user-lasting": ("user", "How long a sentence of a user is worth knowing.", _lasting),
    "agent-lasting": ("assistant", "How long a sentence of an assistant is worth knowing.", _lasting),
}
"""For each head whose sentences it judges, what it tells of them, and the answer for a labelled one."""

OTHERS = (
    "asking",
    "belief",
    "joins",
    "meant",
    "nearness",
    "passages",
    "paste",
    "relation",
    "replacement",
    "replies",
    "rules",
    "sentence",
    "spoken",
    "standing",
    "told",
    "when",
    "contrast",
    "partly",
    "recap",
    "requests",
    "tells",
    "whole-rules",
    "whole-open",
    "whole-me",
)
"""Heads that learn from other labels, or in another way."""

LABELS_ALONE = ("belief", "contrast", "joins", "meant", "nearness", "partly", "replies", "standing", "when")
"""Of these what needs nothing but its labels."""

QUERIES = ("recap", "requests", "tells", "whole-rules", "whole-open", "whole-me")
"""What queries ask for."""

WEIGHT_OF_SESSIONS = 2
"""How many times each sentence of a real session counts."""

DATA = Path(__file__).parents[2] / "cfpm" / "text" / "heads" / "data"


def main() -> int:
    """Prints how the head does on each author when it learnt from the others; `--write` learns from all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks train", description=__doc__)
    parser.add_argument("head", choices=[*sorted(HEADS), *OTHERS])
    weights = "relation, asking: model.safetensors of all-MiniLM-L6-v2."
    parser.add_argument("--weights", type=Path, metavar="FILE", help=weights)
    parser.add_argument("--apart", nargs="*", default=[], metavar="AUTHOR", help="Authors to test on together.")
    parser.add_argument("--data", type=Path, metavar="DIR", help="The data package, for sentences of real sessions.")
    parser.add_argument("--more", type=Path, nargs="*", default=[], metavar="FILE", help="More labelled sentences.")
    parser.add_argument("--test", type=Path, nargs="*", default=[], metavar="FILE", help="Only test on these.")
    parser.add_argument("--stories", type=Path, nargs="*", default=[], metavar="DIR", help="passages: more stories.")
    parser.add_argument("--further", action="store_true", help="sentence: go on from the weights that ship.")
    parser.add_argument("--write", action="store_true", help="Put the head that learnt from all into the package.")
    given = parser.parse_args()
    if given.head not in HEADS:
        return _other_than_a_kind(given, parser)
    role, about, answer = HEADS[given.head]
    print(f"{given.head}: {about}")
    files = [path for path in sorted(HERE.glob("*.jsonl")) if _learnt_from(path)]
    known = learnt_by(role, [*files, *given.more], given.data)
    if given.write:
        _write(_learnt(known, answer), DATA / f"{given.head}.tsv")
        return 0
    if given.apart:
        apart = [one for one in known if one.author in given.apart]
        others = [one for one in known if one.author not in given.apart]
        _show(f"{', '.join(given.apart)}, learnt from the others", _learnt(others, answer), apart, answer)
        return 0
    for author in dict.fromkeys(one.author for one in known):
        apart = [one for one in known if one.author == author]
        others = [one for one in known if one.author != author]
        _show(f"{author}, learnt from the others", _learnt(others, answer), apart, answer)
    for path in given.test:
        learnt, apart = _learnt(known, answer), _of_role(role, [path], given.data)
        _show(f"{path.stem}, learnt from all above", learnt, apart, answer)
    return 0


def _other_than_a_kind(given: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """What is learnt from other labels than those of single sentences."""
    folder = DATA if given.write else None
    if given.head == "passages":
        from benchmarks.train import passages

        return passages.learn([passages.STORIES, *given.stories], write=given.write)
    if given.head == "paste":
        from benchmarks.train import paste

        return paste.learn(paste.FOLDER if given.write else None, given.test)
    if given.head == "asking" and given.test:
        from benchmarks.train import asking

        return asking.tried(given.test)
    if given.head == "asking" and given.weights is None:
        parser.error("asking needs --weights")
    if given.head == "relation":
        from benchmarks.train import relation

        return relation.learn(given.weights, given.apart, given.data, folder)
    if given.head == "sentence":
        from benchmarks.train import sentence

        return sentence.learn(given.apart, given.data, folder, further=given.further)
    if given.head in QUERIES:
        from benchmarks.train import queries

        return queries.learn(given.head, folder)
    if given.head in LABELS_ALONE:
        learnt: Callable[[Path | None], int] = import_module(f"benchmarks.train.{given.head}").learn
        return learnt(folder)
    if given.data is None:
        parser.error(f"{given.head} needs --data")
    return _with_data(given, folder)


def _with_data(given: argparse.Namespace, folder: Path | None) -> int:
    if given.head in ("told", "spoken"):
        from benchmarks.train import spoken, told

        learn = told.learn if given.head == "told" else spoken.learn
        return learn(given.apart, given.data, write=given.write)
    if given.head == "asking":
        from benchmarks.train import asking

        return asking.learn(given.data, given.weights, folder)
    from benchmarks.train import replacement, rules

    if given.head == "replacement":
        return replacement.learn(given.data, folder)
    return rules.learn(given.apart, given.data, folder)


def _learnt_from(path: Path) -> bool:
    """Whether the heads that ship learn from this file; the others are kept to test them."""
    return path.name.startswith(("sentences-s", f"{SESSIONS}-", "worlds-", "mentor-")) and path.stem not in KEPT_APART


def learnt_by(role: str, paths: Sequence[Path], data: Path | None) -> list[Sentence]:
    """The sentences of this role in these files, without those from which `standing` learns."""
    unseen = kept_for_rules()
    return [one for one in _of_role(role, paths, data) if one.text not in unseen]


def _of_role(role: str, paths: Sequence[Path], data: Path | None) -> list[Sentence]:
    return [one for one in sentences(paths, data) if one.role == role]


def _learnt(known: Sequence[Sentence], answer: Callable[[Sentence], str]) -> LinearHead:
    answered = [one for one in known if answer(one)]
    told = [one for one in answered for _ in range(WEIGHT_OF_SESSIONS if one.writer == SESSIONS else 1)]
    return train([one.text for one in told], [answer(one) for one in told], [one.writer for one in told])


def _write(head: LinearHead, path: Path) -> None:
    rows = ["\t".join(["", *head.answers]), *("\t".join([name, *map(str, row)]) for name, row in head.table())]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(rows) - 1} features, {path.stat().st_size:,} bytes")


def _show(what: str, learnt: LinearHead, apart: Sequence[Sentence], answer: Callable[[Sentence], str]) -> None:
    told = learnt.shares([one.text for one in apart])
    wanted = [answer(one) for one in apart]
    right = sum(max(shares, key=shares.__getitem__) == label for shares, label in zip(told, wanted, strict=True))
    print(f"{what}: {len(apart)} sentences, {right / len(apart):.2f} right")
    for name in ("kept", "none", "instruction", "diagnosis", "worth", "later"):
        fits = [label in GROUPS.get(name, (name,)) for label in wanted]
        if not any(fits):
            continue
        shown = []
        for line in LINES:
            taken = [fit for fit, shares in zip(fits, told, strict=True) if _share(shares, name) >= line]
            shown.append(f"{sum(taken) / sum(fits):.2f}/{sum(taken) / len(taken) if taken else 1:.2f}")
        print(f"  {name:12} found/precision from {', '.join(map(str, LINES))}: {'  '.join(shown)}")


def _share(shares: dict[str, int], name: str) -> int:
    return sum(shares.get(one, 0) for one in GROUPS.get(name, (name,)))


if __name__ == "__main__":
    sys.exit(main())
