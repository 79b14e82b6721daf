"""Learns the relation of two statements from labelled pairs and worlds, and shows how it does on authors kept apart."""

from __future__ import annotations

import hashlib
import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.train.encoder import from_weights, stored, tuned
from benchmarks.train.labels import HERE, KEPT_APART
from benchmarks.train.pairs import Pair, mixed, of_mentors, of_worlds, turned, written
from cfpm.text.heads.encoder import Encoder
from cfpm.text.heads.relation import Relation, judged_by

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LINES = (500, 600, 700, 800, 900)
"""Thousandths from which precision and recall are shown."""

MIXED = 3
"""Of so many pairs one is mixed with another for a statement that is near and yet different."""


def learn(weights: Path, apart: Sequence[str], folder: Path | None) -> int:
    """Learns from all authors but those kept apart, prints how it does on these, and writes it into a folder."""
    files = sorted([*HERE.glob("pairs-*.jsonl"), *HERE.glob("worlds-*.jsonl")])
    kept = [path for path in files if path.stem.partition("-")[2] in apart]
    pairs: list[Pair] = []
    learnt_from = 0
    for path in files:
        if path in kept or path.stem in KEPT_APART:
            continue
        learnt_from += 1
        if path.stem.startswith("worlds"):
            pairs += of_worlds([path])
            continue
        own = written([path])
        pairs += [*own, *turned(own), *list(mixed(own))[::MIXED]]
    mentors = [path for path in sorted(HERE.glob("mentor-*.jsonl")) if path.stem not in KEPT_APART]
    pairs += of_mentors(mentors)
    print(f"{len(pairs)} examples of {learnt_from} authors")

    def after_epoch(parameters: dict[str, Any]) -> None:
        encoder = Encoder(stored(parameters))
        for path in kept:
            known = [*of_worlds([path])] if path.stem.startswith("worlds") else written([path])
            print(f"{path.stem}: {shown(encoder, known)}", flush=True)

    learnt = stored(tuned(from_weights(weights), pairs, after_epoch))
    if folder is not None:
        write("relation", learnt, folder)
    return 0


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
