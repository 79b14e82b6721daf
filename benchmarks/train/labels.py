"""Labelled sentences, by author: see `benchmarks/labels/README.md`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parents[1] / "labels"

_LASTING = {"keep_lasting": "later", "keep_session": "task", "momentary": "moment"}
_ROLES = {"agent": "assistant"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its labels; `author` is who wrote it, or the labelled set that it is from."""

    text: str
    role: str
    kind: str
    lasting: str
    author: str


def sentences(paths: Iterable[Path]) -> Iterator[Sentence]:
    """All sentences of these files, in order."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            # What is told in a world is told by its user, to be known later.
            label = row.get("lasting") or row.get("label", "later")
            role = row.get("role", "user")
            yield Sentence(
                text=row["text"],
                role=_ROLES.get(role, role),
                kind=row["kind"],
                lasting=_LASTING.get(label, label),
                author=path.stem,
            )
