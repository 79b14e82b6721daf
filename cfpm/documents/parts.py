"""The parts of a document's text, and the chunks into which they are cut."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

from cfpm.store.documents import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHUNK = 1_200
"""Characters of a chunk, at most: some paragraphs or a function. A line that is longer is cut."""

_FULL = CHUNK // 2
"""Characters from which a chunk ends before an empty line or a heading."""


class Part(NamedTuple):
    """A page, a slide, a sheet, or all of a document; `place` is `page 3`, `slide 3`, `sheet NAME` or empty."""

    place: str
    text: str


def chunks(document: str, parts: Iterable[Part]) -> Iterator[Chunk]:
    """The text of the parts in chunks of whole lines, numbered through; each part begins a line of its own."""
    number, line = 0, 1
    for part in parts:
        text = part.text if part.text.endswith("\n") else f"{part.text}\n"
        first, held = line, ""
        # Not `splitlines`, which ends lines at signs that readers of a file do not count.
        for row in io.StringIO(text):
            for piece in (row[start : start + CHUNK] for start in range(0, len(row), CHUNK)):
                if held and (len(held) + len(piece) > CHUNK or (len(held) > _FULL and _opens(piece))):
                    yield Chunk(0, document, number, part.place, first, _last(first, held), held)
                    number, first, held = number + 1, line, ""
                held += piece
            line += row.endswith("\n")
        if held:
            yield Chunk(0, document, number, part.place, first, _last(first, held), held)
            number += 1


def _last(first: int, text: str) -> int:
    return first + max(0, text.count("\n") - text.endswith("\n"))


def _opens(row: str) -> bool:
    """Whether a line begins something new: after an empty line, at a heading, at a definition in code."""
    return row.startswith(("#", "def ", "class ", "func ", "function ", "\n"))
