"""How many tokens a text has: an estimate that needs nothing, or the count of a real encoding that works offline."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from cfpm.errors import MissingExtraError

Count = Callable[[str], int]

ESTIMATE = "estimate"

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|\n|[^\sA-Za-z\d]| {2,}")
_LETTERS = 7
"""Letters of a word per token, at most. Over blocks of chats and coding sessions the estimate is a tenth above
the counts of o200k_base and cl100k_base (`python -m benchmarks tokens`); it can be below them for languages such as
Latin."""
_DIGITS = 3
"""Digits per token of both encodings."""
_ASCII_TOKEN = re.compile(
    rf"(?<![A-Z])[A-Z][a-z]{{1,{_LETTERS - 1}}}|[a-z]{{1,{_LETTERS}}}|[A-Z]{{1,{_LETTERS}}}"
    rf"|\d{{1,{_DIGITS}}}|\n|[^\sA-Za-z\d]| {{2,}}"
)
"""The same pieces cut to tokens at once, for a text that is ASCII."""
_OTHERS = 5, 4
"""Tokens per sign that is not ASCII: five for four Chinese characters."""


def estimated(text: str) -> int:
    """An estimate that errs upwards: a budget that it keeps, a real encoding keeps too."""
    if text.isascii():
        return len(_ASCII_TOKEN.findall(text))
    ascii_tokens = others = 0
    for piece in _PIECE.findall(text):
        first = piece[0]
        if not first.isascii():
            others += 1
        elif first.isalpha():
            ascii_tokens += -(-len(piece) // _LETTERS)
        elif first.isdigit():
            ascii_tokens += -(-len(piece) // _DIGITS)
        else:
            ascii_tokens += 1
    return ascii_tokens - (-others * _OTHERS[0] // _OTHERS[1])


@cache
def counter(name: str) -> Count:
    """How to count: `estimate`, or the exact count of an encoding such as `o200k_base` or `cl100k_base`.

    Raises MissingExtraError when the encodings are not installed.
    """
    if name == ESTIMATE:
        return estimated
    try:
        from bpe_openai import get_encoding
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"The token count of {name}", "tokens") from error
    encoding = get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))
