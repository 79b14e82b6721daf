"""The vector of a query, near to those of the sentences that answer it and of the rules that concern what it orders.

It has learnt together with the encoder of these sentences (`answering`) which of their vectors a query should be near
to (`python -m benchmarks train asking`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.text.heads.answering import BEFORE
from cfpm.text.heads.relation import encoder, stored
from cfpm.text.heads.wide import SHARED, Reader, end_of, pieces_of, reader_of

if TYPE_CHECKING:
    from cfpm.text.heads.wide import Floats


# What is ordered is compared with what was said, and with what stands.
@lru_cache(maxsize=64)
def asking_vector(text: str, before: str = "") -> Floats:
    """Of length 1, or 0 without a word; of a chat `text` is the last message. Takes about half a millisecond a word
    piece."""
    return _reader().vectors([[*end_of(before, BEFORE), *pieces_of(text)]])[0]


@cache
def _reader() -> Reader:
    return reader_of(stored("asking"), encoder(), SHARED)
