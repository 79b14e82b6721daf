"""The vector of a query, near to those of the sentences that answer it and of the rules that concern what it orders.

It has learnt together with the encoder of these sentences (`answering`) which of their vectors a query should be near
to (`python -m benchmarks train asking`).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from cfpm.text.heads.answering import query_vector
from cfpm.text.heads.relation import encoder, stored
from cfpm.text.heads.wide import SHARED, Reader, of_length_1, reader_of

if TYPE_CHECKING:
    from cfpm.text.heads.wide import Floats


def asking_vector(text: str, before: str = "") -> Floats:
    """Of length 1, or 0 without a word; of a chat `text` is the last message. Takes about half a millisecond a word
    piece."""
    own = wide_vector(text)
    # Only the narrow encoder has learnt to read a message with what stands before it.
    return of_length_1(query_vector(text, before) + own) if before else own


# What is ordered is compared with sentences, and with rules.
@lru_cache(maxsize=64)
def wide_vector(text: str) -> Floats:
    """The same of a text that stands alone."""
    return _reader().vectors([text])[0]


@cache
def _reader() -> Reader:
    return reader_of(stored("asking"), encoder(), SHARED)
