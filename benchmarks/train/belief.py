"""Learns what in a sentence shows that it is not meant, from sentences and from one half of the labelled excerpts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.train.labels import HERE, sentences
from benchmarks.train.newton import named, newton
from cfpm.text import sentences as split
from cfpm.text.heads.belief import UNMEANT, kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

EXCERPTS, SINGLE = HERE / "belief-b1.jsonl", HERE / "belief-b2.jsonl"
_OF = {"hearsay": "reported", "jest": "jest", "guess": "supposed"}


class Told(NamedTuple):
    """A sentence, and how it is meant: by the name of a kind, or `meant`."""

    text: str
    how: str


def learn(folder: Path | None) -> int:
    """Learns from single sentences, what others labelled as worth keeping, and the odd excerpts; prints how it does on
    the even ones, and writes the weights into a folder."""
    kept = (each for path in sorted(HERE.glob("sentences-s*.jsonl")) for each in sentences([path]))
    known = [Told(each.text, "meant") for each in kept if each.role == "user" and each.kind != "none"]
    rows = [Told(row["text"], row["belief"]) for row in map(json.loads, _lines(SINGLE))]
    known += [*rows, *_of_excerpts(1)]
    weights = {name: _learnt(name, known) for name in kinds()}
    for title, told in (("learnt from", known), ("even excerpts", list(_of_excerpts(0)))):
        found = [_kind_of(each.text, weights) for each in told]
        for how in (*kinds(), "meant"):
            wanted = [name for each, name in zip(told, found, strict=True) if each.how == how]
            taken = sum(bool(name) for name in wanted)
            print(f"{title}: {how}: {taken} of {len(wanted)} are taken for not meant")
    if folder is not None:
        about = "# Made by `python -m benchmarks train belief --write`: log odds that a sentence is said in this way."
        lines = [about]
        for name, learnt in weights.items():
            lines += [f"\n[{name}]", *(f"{sign} = {value}" for sign, value in learnt.items())]
        (folder / "belief_weights.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _of_excerpts(half: int) -> Iterator[Told]:
    """The sentences of the excerpts with odd (1) or even (0) numbers about which something is labelled."""
    for row in map(json.loads, _lines(EXCERPTS)):
        if int(row["id"].split("-")[1]) % 2 != half:
            continue
        for sentence in (each for message in row["messages"] for each in split(message["text"])):
            if _holds(sentence.text, row["not_believed"]):
                yield Told(sentence.text, _OF.get(row["kind"], "meant"))
            elif _holds(sentence.text, row["believed"]):
                yield Told(sentence.text, "meant")


def _learnt(name: str, known: Sequence[Told]) -> dict[str, float]:
    kind = kinds()[name]
    lower = [(told.text.lower(), told.how == name) for told in known]
    rows = [(kind.values(text), fits) for text, fits in lower if kind.trigger.search(text)]
    values = np.array([list(row.values()) for row, _ in rows])
    constant, weights = newton(values, np.array([fits for _, fits in rows], dtype=float))
    return named(kind.signs, constant, weights)


def _kind_of(text: str, weights: dict[str, dict[str, float]]) -> str:
    shares = {name: replace(kind, weights=weights[name]).share(text.lower()) for name, kind in kinds().items()}
    name = max(shares, key=shares.__getitem__)
    return name if shares[name] >= UNMEANT else ""


def _holds(text: str, phrases: Sequence[str]) -> bool:
    folded = text.casefold()
    return any(all(part.casefold() in folded for part in phrase.split(" & ")) for phrase in phrases)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
