"""Learns the relation of two statements from labelled pairs and worlds, and shows how it does on authors kept apart."""

from __future__ import annotations

import hashlib
import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.train.encoder import from_weights, opened, stored, tuned
from benchmarks.train.labels import DIALOGUES_OF_PAIRS, HERE, KEPT_APART, SETS_APART, STORIES_APART
from benchmarks.train.later import of_later
from benchmarks.train.pairs import Pair, mixed, of_endings, of_mentors, of_rules, of_sets, of_worlds, turned, written
from benchmarks.train.talk import GONE, of_talk, reads
from cfpm.embedding.encoder import Encoder
from cfpm.text.heads.relation import Relation, judged_by
from cfpm.text.heads.relation import stored as shipped
from cfpm.text.heads.sentence import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

GONE_COUNTS = 2
"""How many times what was ended in a story counts: of what is read there, one in eight."""

LINES = (500, 600, 700, 800, 900)
"""Thousandths from which precision and recall are shown."""

MIXED = 3
"""Of so many pairs one is mixed with another for a statement that is near and yet different."""


FURTHER_EPOCHS, FURTHER_RATE = 3, 6e-5
"""With these the upper layers go on from the weights that ship."""


def learn(weights: Path | None, apart: Sequence[str], data: Path | None, folder: Path | None) -> int:
    """Learns from all authors but those kept apart, prints how it does on these, and writes it into a folder.

    Without `weights` the layers above those that other heads share go on from what ships; they also learn from what
    memories read in stories and, with the data package, in long talk.
    """
    files = sorted([*HERE.glob("pairs-*.jsonl"), *HERE.glob("worlds-*.jsonl")])
    kept = [path for path in files if path.stem.partition("-")[2] in apart]
    known = [path for path in files if path not in kept and path.stem not in KEPT_APART]
    sets = [path for path in sorted(HERE.glob("sets-*.jsonl")) if path.stem not in KEPT_APART | SETS_APART]
    after = [path for path in sorted(HERE.glob("later-*.jsonl")) if path.stem not in KEPT_APART]
    pairs = [*_of_authors(known), *_of_rules(), *_read_in_stories(), *of_sets(sets), *of_later(after)]
    if data is not None:
        pairs += of_talk(data)
    print(f"{len(pairs)} examples, {len(known)} authors of pairs and worlds")

    def after_epoch(parameters: dict[str, Any]) -> None:
        encoder = Encoder(stored(parameters))
        for path in kept:
            known = [*of_worlds([path])] if path.stem.startswith("worlds") else written([path])
            print(f"{path.stem}: {shown(encoder, known)}", flush=True)

    if weights is None:
        learnt = tuned(opened(shipped("relation")), pairs, after_epoch, SHARED, (FURTHER_EPOCHS, FURTHER_RATE))
    else:
        learnt = tuned(from_weights(weights), pairs, after_epoch)
    if folder is not None:
        write("relation", stored(learnt), folder)
    return 0


def _of_authors(paths: Sequence[Path]) -> Iterator[Pair]:
    for path in paths:
        if path.stem.startswith("worlds"):
            yield from of_worlds([path])
            continue
        own = written([path])
        yield from (*own, *turned(own), *list(mixed(own))[::MIXED])


def _of_rules() -> Iterator[Pair]:
    """Rules of dialogues, of lists, and in pairs."""
    apart = KEPT_APART - DIALOGUES_OF_PAIRS
    yield from of_mentors(path for path in sorted(HERE.glob("mentor-*.jsonl")) if path.stem not in apart)
    yield from of_endings(sorted(HERE.glob("endings-*.jsonl")))
    yield from of_rules(path for path in sorted(HERE.glob("rules-*.jsonl")) if path.stem not in KEPT_APART)


def _read_in_stories() -> Iterator[Pair]:
    for row in reads():
        if row["story"] not in STORIES_APART:
            is_gone = row["is"] in GONE
            named = {"same": Relation.SAME, "opposed": Relation.CONTRADICT}.get(row["is"], Relation.DIFFERENT)
            yield Pair(row["older"], row["newer"], Relation.UPDATE if is_gone else named, GONE_COUNTS if is_gone else 1)


def shown(encoder: Encoder, pairs: Sequence[Pair]) -> str:
    """How many relations are right, and for ties found and precision from several shares on."""
    told = np.array([judged_by(encoder, pair.newer, [pair.older])[0] for pair in pairs])
    wanted = np.array([list(Relation).index(pair.relation) for pair in pairs])
    right = (told.argmax(axis=1) == wanted).mean()
    text = f"{len(pairs)} pairs, {right:.3f} right"
    for name, share, fits in (
        ("same", told[:, 0], wanted == 0),
        ("update", told[:, 1], wanted == 1),
        ("update or contradiction", told[:, 1] + told[:, 2], (wanted == 1) | (wanted == 2)),
    ):
        parts = []
        for line in LINES:
            taken = share >= line
            precision = fits[taken].mean() if taken.any() else 1.0
            parts.append(f"{taken[fits].mean():.2f}/{precision:.2f}")
        text += f"\n  {name:24} found/precision from {', '.join(map(str, LINES))}: {'  '.join(parts)}"
    return text


def write(name: str, learnt: dict[str, Any], folder: Path) -> None:
    """Writes the weights of this name and their checksum as the package reads them."""
    path = folder / f"{name}.npz"
    np.savez(path, **learnt)
    data = path.read_bytes()
    sums = tomllib.loads((folder / "heads.toml").read_text(encoding="utf-8"))
    sums[name] = {"file": path.name, "sha256": hashlib.sha256(data).hexdigest()}
    lines = ["# Made as docs/notes/learnt-heads.md tells; the sums are checked when the files are loaded."]
    for head, about in sorted(sums.items()):
        lines += ["", f"[{head}]", f'file = "{about["file"]}"', f'sha256 = "{about["sha256"]}"']
    (folder / "heads.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(data):,} bytes")
