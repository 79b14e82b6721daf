"""Cuts a long message to the part that a query asks for. Chooses no message."""

from __future__ import annotations

import re

MAX_PASSAGE = 600
"""Characters of a message that an item shows; longer messages are cut around the words of the query."""

_WORD = re.compile(r"[^\W_]{2,}")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2}")


def passage(text: str, query: str, length: int = MAX_PASSAGE) -> str:
    """The part of the text, of at most `length` characters, that holds most different words of the query."""
    text = text.strip()
    if len(text) <= length:
        return text
    folded = text.lower()
    words = {found.lower() for found in [*_WORD.findall(query), *_CJK.findall(query)]}
    places = sorted({at for word in words if (at := folded.find(word)) >= 0})
    best, most = 0, 0
    for place in places:
        within = sum(1 for other in places if place <= other < place + length * 3 // 4)
        if within > most:
            best, most = place, within
    start = max(0, best - length // 4)
    if start:  # begin with a whole word
        space = text.find(" ", start, start + 40)
        start = space + 1 if space >= 0 else start
    return text[start : start + length].strip()
