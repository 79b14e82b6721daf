"""Four words in a row that the code shares with the data, and those of them that tell from which document they are.

Chinese is left out: its words are not told apart.
"""

from __future__ import annotations

import re
import sysconfig
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from benchmarks.house.code_texts import Piece
    from benchmarks.house.data_texts import Text

LENGTH = 4
ORDINARY = 3
"""A sequence in this many documents is ordinary language, whoever wrote it first."""
CONTENT = 2
"""So many words of content make a sequence of one or two documents telling; a number of two digits counts as one."""

Words = tuple[str, ...]

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|[a-z0-9à-öø-ÿ]+(?:['’][a-z]+)*")


class Hit(NamedTuple):
    """A run of words of the code that stands in the data; `sequences` counts its sequences of four."""

    file: str
    line: int
    words: str
    sequences: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quotations:
    """`shared` counts the different sequences in code and data, `telling` those of one or two documents."""

    in_code: int
    shared: int
    telling: int
    hits: tuple[Hit, ...]


def words(text: str) -> list[tuple[str, int]]:
    """The words in lower case, each with its offset."""
    return [(found.group(), found.start()) for found in _WORD.finditer(text.lower())]


def sequences(text: str) -> Iterator[Words]:
    """All four words in a row, whatever stands between them."""
    tokens = _WORD.findall(text.lower())
    return zip(*(islice(tokens, skipped, None) for skipped in range(LENGTH)), strict=False)


def quotations(
    code: Iterable[Piece], data: Iterable[Text], stop_words: Set[str], ordinary: Iterable[str] = ()
) -> Quotations:
    """Reads the code first, so that of the data only what the code holds too is kept.

    What also stands in one of the `ordinary` texts, which have nothing to do with the data, tells nothing.
    """
    pieces = list(code)
    documents: dict[Words, dict[str, str]] = {found: {} for piece in pieces for found in sequences(piece.text)}
    for text in data:
        for found in sequences(text.text):
            holders = documents.get(found)
            if holders is not None and len(holders) < ORDINARY:
                holders.setdefault(text.document, text.place)
    innocent = {found for text in ordinary for found in sequences(text) if found in documents}
    telling = {
        found: tuple(sorted(holders.values()))
        for found, holders in documents.items()
        if 0 < len(holders) < ORDINARY and found not in innocent and is_specific(found, stop_words)
    }
    return Quotations(
        in_code=len(documents),
        shared=sum(bool(holders) for holders in documents.values()),
        telling=len(telling),
        hits=tuple(hit for piece in pieces for hit in _hits(piece, telling)),
    )


def is_specific(sequence: Words, stop_words: Set[str]) -> bool:
    """Whether the words say something: at least two of content."""
    return len({word for word in sequence if len(word) > 1 and word not in stop_words}) >= CONTENT


def _hits(piece: Piece, telling: dict[Words, tuple[str, ...]]) -> Iterator[Hit]:
    """The telling sequences of a piece, those that overlap joined into one run."""
    found = words(piece.text)
    start: int | None = None
    for at in range(len(found)):
        inside = tuple(word for word, _ in found[at : at + LENGTH]) in telling
        if inside and start is None:
            start = at
        if start is not None and not inside:
            yield _run(piece, found, start, at, telling)
            start = None


def _run(
    piece: Piece, found: list[tuple[str, int]], start: int, end: int, telling: dict[Words, tuple[str, ...]]
) -> Hit:
    run = [word for word, _ in found[start : end + LENGTH - 1]]
    places = {place for at in range(end - start) for place in telling[tuple(run[at : at + LENGTH])]}
    line = piece.line + piece.text.count("\n", 0, found[start][1])
    return Hit(piece.file, line, " ".join(run), end - start, tuple(sorted(places)))


def stop_words() -> frozenset[str]:
    """English words without content, and those of count and time, which stand in a row wherever people list them."""
    here = Path(__file__).parent
    files = (here.parent / "extraction" / "stopwords.txt", here / "function_words.txt")
    return frozenset(word for file in files for word in file.read_text(encoding="utf-8").split())


def ordinary_texts() -> Iterator[str]:
    """English of programmers that owes nothing to the data: Python's standard library, its tests left out."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        if not {"site-packages", "test", "tests", "idlelib"} & set(path.relative_to(root).parts):
            yield path.read_text(encoding="utf-8", errors="replace")
