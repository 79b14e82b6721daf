"""How many tokens a text has: an estimate that needs nothing, or the count of a real encoding that works offline."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from cfpm.errors import MissingExtraError
from cfpm.model.patterns import lazy_pattern

Count = Callable[[str], int]

ESTIMATE = "estimate"

_LETTERS = 7
"""Letters of a word per token, at most. Over blocks of chats and coding sessions the estimate is a tenth above
the counts of o200k_base and cl100k_base (`python -m benchmarks tokens`); it can be below them for languages such as
Latin."""
_DIGITS = 3
"""Digits per token of both encodings."""
_PER_OTHER = 5, 4
"""Tokens per sign that is not ASCII: five for four Chinese characters."""

_ASCII = [chr(code) for code in range(128)]
_SHAPES = (
    "".join("a" if sign.islower() else "A" if sign.isupper() else "0" if sign.isdigit() else " " for sign in _ASCII)
    .encode()
    .ljust(256)
)
"""Of each sign only whether it is a small letter, a capital or a digit: so written, most words are one of some hundred,
and each of these is counted once."""
_NO_TOKENS = "".join(sign for sign in _ASCII if sign.isalnum() or (sign.isspace() and sign != "\n")).encode()
"""What is no token by itself."""
_PIECE = re.compile(rf"(?<!A)Aa{{1,{_LETTERS - 1}}}|a{{1,{_LETTERS}}}|A{{1,{_LETTERS}}}|0{{1,{_DIGITS}}}".encode())
_BLANKS = re.compile(rb" {2,}")
_OTHER = lazy_pattern(r"[^\x00-\x7f\s]")
_MEMO, _LONG = 1 << 14, 40
"""Shapes that are remembered, and the letters of the longest of them."""


class _Shapes(dict[bytes, int]):
    """The tokens of a word by its shape, counted when it comes up."""

    def __missing__(self, shape: bytes) -> int:
        tokens = len(_PIECE.findall(shape))
        if len(shape) <= _LONG and len(self) < _MEMO:
            self[shape] = tokens
        return tokens


_KNOWN = _Shapes()


def estimated(text: str) -> int:
    """An estimate that errs upwards: a budget that it keeps, a real encoding keeps too."""
    raw = text.encode("ascii", "replace")
    words = raw.translate(_SHAPES).split()
    tokens = sum(map(_KNOWN.__getitem__, words)) + len(raw.translate(None, _NO_TOKENS))
    if b"  " in raw:
        tokens += len(_BLANKS.findall(raw))
    if text.isascii():
        return tokens
    replaced = len(text) - len(text.encode("ascii", "ignore"))
    return tokens - replaced - (-len(_OTHER.findall(text)) * _PER_OTHER[0] // _PER_OTHER[1])


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
