"""Learns how a secret without a digit is told, and shows how it does on authors kept apart."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import cfpm
from benchmarks.secrets.corpora import INNOCENT, innocent_texts
from benchmarks.train.labels import HERE
from benchmarks.train.told import OF_COUNTER_EXAMPLES, learnt, of_counter_examples, said
from cfpm.secrets import spoken
from cfpm.secrets.matching import claims
from cfpm.secrets.told import LONGEST, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cfpm.secrets.checks import Span

MOST_OF_A_CORPUS = 4_000
"""Parts of a corpus without secrets that are learnt from."""

CLOSE = 6
"""Characters by which a value that holds the secret may be longer."""

SHRINK, OF_SECRETS = 3e-4, 3.0

FALSE = 0.15
"""Values wrongly taken in 10,000 words of innocent texts, up to which the line goes."""


class Read(NamedTuple):
    """A part of a text, and where the secret stands in it, if it tells one."""

    part: spoken.Part
    secret: Span | None


def learn(apart: Sequence[str], data: Path, *, write: bool) -> int:
    """Learns from all authors but those kept apart and from texts without secrets; prints how it does on those apart
    and on the other half of the texts, and writes the weights of all."""
    files = sorted(HERE.glob("told-*.jsonl"))
    known = [one for path in files if path.stem not in apart for one in parts(path)]
    innocent, unseen, count = _innocent(data)
    weights = learnt([one for read in (*known, *innocent) for one in _values(read)], SHRINK, OF_SECRETS)
    scores = np.sort([_best(part, weights) for part in unseen])[::-1]
    edge = max(0.0, float(scores[int(FALSE * count / 10_000)]))
    print(f"{len(weights)} weights; {len(scores)} parts read in {count} words; line {edge:.2f}")
    weights[""] -= edge
    for path in files:
        own = parts(path)
        found = sum(_found(read, weights) for read in own if read.secret)
        wrong = sum(bool(_taken(read.part, weights)) for read in own if not read.secret)
        others = sum(not read.secret for read in own)
        name = f"{path.stem}{', apart' if path.stem in apart else ''}"
        print(f"{name}: {found} of {len(own) - others} found, {wrong} of {others} others taken")
    if write:
        rows = [(name, weight) for name, weight in sorted(weights.items()) if abs(weight) >= 0.02 or not name]
        target = Path(cfpm.__file__).parent / "secrets" / "spoken.tsv"
        text = "".join(f"{name}\t{weight:.3f}\n" for name, weight in rows)
        target.write_text(f"#! Made by `python -m benchmarks train spoken --write`.\n{text}", "utf-8")
    return 0


def _taken(part: spoken.Part, weights: Mapping[str, float]) -> list[Span]:
    """What is taken of a part by cues and looks alone."""
    scored = [(-spoken.score(part, span, weights), *span) for span in spoken.values(part)]
    return spoken.apart([one for one in scored if one[0] <= 0])


def parts(path: Path) -> list[Read]:
    """The parts of an author's texts; of texts whose secret has a digit or is found without this, none."""
    found = []
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        text, secret = row["text"], row.get("secret", "")
        at = text.find(secret) if secret else -1
        end = at + len(secret)
        if secret and (at < 0 or any(map(str.isdigit, secret)) or _known(text, at, end)):
            continue
        for part in spoken.parts(text):
            here = at >= part.start and end <= part.start + len(part.text)
            found.append(Read(part, (at - part.start, end - part.start) if here else None))
    return found


def _known(text: str, at: int, end: int) -> bool:
    spans = [*((one.start, one.end) for one in claims(text)), *told(text)]
    return any(start < end and last > at for start, last in spans)


def _innocent(data: Path) -> tuple[list[Read], list[spoken.Part], int]:
    known: list[Read] = []
    unseen: list[spoken.Part] = []
    count = 0
    examples = list(of_counter_examples())
    known += [Read(part, None) for text in examples for part in spoken.parts(text)] * OF_COUNTER_EXAMPLES
    for every in (*(innocent_texts(data, corpus) for corpus in INNOCENT), said()):
        texts = [text for text in every if len(text) <= LONGEST]
        random.Random(0).shuffle(texts)
        half = len(texts) // 2
        own = [Read(part, None) for text in texts[:half] for part in spoken.parts(text)]
        known += random.Random(0).sample(own, min(len(own), MOST_OF_A_CORPUS))
        unseen += [part for text in texts[half:] for part in spoken.parts(text)]
        count += sum(len(text.split()) for text in texts[half:])
    return known, unseen, count


def _values(read: Read) -> Iterator[tuple[list[str], bool]]:
    """What speaks for each value of a part, and whether it is the secret; nothing for one that is a piece of it."""
    for start, end in spoken.values(read.part):
        secret = read.secret
        if not secret or start >= secret[1] or end <= secret[0]:
            yield spoken.signs(read.part, (start, end)), False
        elif start <= secret[0] and end >= secret[1] and end - start <= secret[1] - secret[0] + CLOSE:
            yield spoken.signs(read.part, (start, end)), True


def _best(part: spoken.Part, weights: Mapping[str, float]) -> float:
    return max((spoken.score(part, span, weights) for span in spoken.values(part)), default=-99.0)


def _found(read: Read, weights: Mapping[str, float]) -> bool:
    assert read.secret
    start, end = (read.part.start + at for at in read.secret)
    return any(first <= start and last >= end for first, last in _taken(read.part, weights))
