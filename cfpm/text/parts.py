"""The statements that one sentence joins: "Reply in German and keep it short". Knows no meaning."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from cfpm.model.patterns import lazy_pattern
from cfpm.text.words import content_words

_JOINT = lazy_pattern(
    r"(?:[;，；、]|[,:：](?!\d))\s*(?:(?:and|but|so|or|then|plus|also|because|since|which means)\b\s*)?|"
    r"\s[-–—]+\s|\s(?:and|but|so|or|because|since)\s+|[.!?]\s+(?=\S)|[。！？]"
)
_MIN_WORDS = 2
_MIN_SIGNS = 4
"""Content words of a part, and signs of a Chinese one; a shorter one belongs to the part before it."""


@lru_cache(maxsize=512)
def parts(text: str) -> tuple[tuple[int, int], ...]:
    """The slices [start, end) of the statements, in order, without the words that join them; at least one."""
    cuts = [(0, 0), *(found.span() for found in _JOINT.finditer(text)), (len(text), len(text))]
    found: list[tuple[int, int]] = []
    for (_, begin), (end, _) in pairwise(cuts):
        if _says_enough(text[begin:end]):
            found.append((begin, end))
        elif found:
            found[-1] = (found[-1][0], end)
    if not found:
        return ((0, len(text)),)
    return ((0, found[0][1]), *found[1:])


def _says_enough(part: str) -> bool:
    if part.isascii():
        return len(content_words(part)) >= _MIN_WORDS
    return len(part.strip()) >= _MIN_SIGNS
