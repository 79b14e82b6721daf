"""How much the words around a value say that it is a secret, read by a small encoder.

`told.py` and `spoken.py` weigh single words and signs, which tells most values apart. Those that are in doubt are read
here in their surroundings: "tap 0417 and push hard, the lift is on the left" names no secret and tells one. Tuned,
from the encoder that reads sentences for recall, on texts that tell a secret, others that look like them, and talk and
code in which nobody wrote one: see docs/notes/secrets.md.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.embedding.encoder import Encoder, Linear
    from cfpm.secrets.checks import Span

NEVER = -99.0
"""Of a span that no window holds."""

MOST_WINDOWS = 24
"""Windows of a text that are read, so that a table of numbers takes a fraction of a second; values beyond them count as
unread."""

_ROOM = 90
"""Word pieces of a window, as while it was tuned."""
_LONGEST_CHUNK = 24
"""Word pieces of a word that are read."""
_OVERLAP = 16
"""Words of a long line that a further window repeats."""
_REPEATED = 40
"""Word pieces of whole lines that a further window repeats: a name may stand lines above its value."""
_CHUNK = lazy_pattern(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[0-9]+|\n|[^\w\s]|_"
)
_NEW_LINE = "¶"
_GLUED, _UPPER = 1, 2
"""Kinds of word pieces: behind something without a space, of a word with a capital letter."""


class _Chunk(NamedTuple):
    """A word, a number or a sign, where it stands, its word pieces and their kinds."""

    start: int
    end: int
    pieces: Sequence[int]
    kinds: Sequence[int]
    ends_line: bool


def telling(text: str, spans: Sequence[Span]) -> list[float]:
    """For each span of a text the log odds that it is a secret; `NEVER` for one that was not read."""
    chunks = _chunks(text)
    wanted = [
        [place for place, one in enumerate(chunks) if one.start < end and one.end > start] for start, end in spans
    ]
    needed = {place for places in wanted for place in places}
    held = [(first, last) for first, last in _windows(chunks) if not needed.isdisjoint(range(first, last))]
    scores: dict[int, float] = {}
    for (first, _), row in zip(held, _read(chunks, held[:MOST_WINDOWS]), strict=False):
        for place, score in row:
            scores[first + place] = max(scores.get(first + place, NEVER), score)
    return [max((scores.get(place, NEVER) for place in places), default=NEVER) for places in wanted]


def _read(chunks: Sequence[_Chunk], windows: Sequence[Span]) -> Iterable[list[tuple[int, float]]]:
    """For each window its chunks, each with the greatest score of its pieces."""
    encoder, answer = _reader()
    texts, owners = [], []
    for first, last in windows:
        own = [
            (place, piece, kind)
            for place, one in enumerate(chunks[first:last])
            for piece, kind in zip(one.pieces, one.kinds, strict=True)
        ]
        own = own[:_ROOM]
        texts.append(([piece for _, piece, _ in own], [kind for _, _, kind in own]))
        owners.append([place for place, _, _ in own])
    for rows, places in zip(encoder.read_marked(texts), owners, strict=True):
        # Rounded, so that the answer is the same on every processor.
        yield list(zip(places, answer(rows)[:, 0].round(2).tolist(), strict=True))


def _chunks(text: str) -> list[_Chunk]:
    found: list[_Chunk] = []
    before = -1
    for match in _CHUNK.finditer(text):
        word, start, end = match[0], *match.span()
        ends_line = word == "\n"
        if ends_line and found and found[-1].ends_line:
            continue
        pieces = _pieces(_NEW_LINE if ends_line else word)
        if not pieces:
            continue
        upper = _UPPER * (word != word.lower())
        glued = _GLUED * (start == before and not ends_line)
        found.append(_Chunk(start, end, pieces, [upper + glued, *[upper] * (len(pieces) - 1)], ends_line))
        before = end
    return found


@lru_cache(maxsize=4_096)
def _pieces(word: str) -> Sequence[int]:
    from cfpm.embedding import static_embedder

    return tuple(static_embedder().in_order(word)[:_LONGEST_CHUNK])


def _windows(chunks: Sequence[_Chunk]) -> list[Span]:
    """Rows of chunks that are read at once: lines as long as they have room, of a longer line its parts, each with the
    end of what stands before."""

    def size(first: int, last: int) -> int:
        return sum(len(one.pieces) for one in chunks[first:last])

    parts: list[Span] = []
    start = 0
    ends = [place + 1 for place, one in enumerate(chunks) if one.ends_line]
    for end in dict.fromkeys([*ends, len(chunks)]):
        while size(start, end) > _ROOM:
            last, room = start, _ROOM
            while last < end and len(chunks[last].pieces) <= room:
                room -= len(chunks[last].pieces)
                last += 1
            parts.append((start, last))
            start = max(start + 1, last - _OVERLAP) if last < end else last
        if start < end:
            parts.append((start, end))
        start = end
    found: list[Span] = []
    place = 0
    while place < len(parts):
        first, following = parts[place][0], place + 1
        while following < len(parts) and size(first, parts[following][1]) <= _ROOM:
            following += 1
        found.append((first, parts[following - 1][1]))
        if following >= len(parts):
            break
        back = following
        while (
            back - 1 > place
            and size(parts[back - 1][0], parts[following][1]) <= _ROOM
            and size(parts[back - 1][0], parts[following - 1][1]) <= _REPEATED
        ):
            back -= 1
        place = back
    return found


@cache
def _reader() -> tuple[Encoder, Linear]:
    """What reads word pieces, and what makes an answer of a row."""
    from cfpm.embedding.encoder import Encoder, linear
    from cfpm.embedding.static import piece_directions
    from cfpm.embedding.stored import stored_weights

    weights = stored_weights("cfpm.secrets", "telling")
    return Encoder(weights, piece_directions), linear(weights, "tells")
