"""Words that stand nowhere else, and the search for their bytes in every file of a folder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

_LETTERS = "bcdfghjklmnpqrtvwz"
_LENGTH = 11
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")


def word(*names: object) -> str:
    """A word made of these names: no vowel, so that no stem is taken off it, and another head than its like."""
    raw = hashlib.sha256("/".join(map(str, names)).encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in raw[:_LENGTH]) + "x"


@dataclass(slots=True)
class Words:
    """The words of one seed, each with the place that it was put in."""

    seed: str
    places: dict[str, str] = field(default_factory=dict)

    def __call__(self, place: str) -> str:
        """The word of a place; the same each time."""
        made = word(self.seed, place)
        self.places[made] = f"{self.seed}: {place}"
        return made


def found(folder: Path, words: dict[str, str]) -> dict[str, list[str]]:
    """The places whose words stand in a file of the folder or in its name, in any case and encoding, by file."""
    hits: dict[str, list[str]] = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        raw = file.read_bytes().lower() + str(file.relative_to(folder)).lower().encode()
        here = [place for one, place in words.items() if any(one.encode(name) in raw for name in ENCODINGS)]
        if here:
            hits[str(file.relative_to(folder))] = here
    return hits
