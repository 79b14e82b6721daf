"""One-byte-a-character views of a text, in which literals are found at memory speed. Not for decisions.

Every view has the length of the text, so an offset in one is an offset in the other; a character above U+00FF is `?`.
"""

from __future__ import annotations

from typing import NamedTuple

RUN = 20
"""Characters from which a stretch of letters, digits, `_` and `-` may hold a vendor's token."""

_LONG = b"a" * RUN
_PLAIN = b"abcdefghijklmnopqrstuvwxyz_-"


def _table(*, digit: str, upper: str, lower: str, underscore: str, dash: str, space: str, other: str) -> bytes:
    def shape(char: str) -> str:
        if not char.isascii():
            return other
        if char.isdigit():
            return digit
        if char.isalpha():
            return upper if char.isupper() else lower
        return {"_": underscore, "-": dash, " ": space}.get(char, other)

    return "".join(shape(chr(code)) for code in range(256)).encode("ascii")


_STRETCHES = _table(digit="a", upper="a", lower="a", underscore="a", dash="a", space=" ", other=" ")
_SHAPES = _table(digit="0", upper="A", lower="a", underscore="_", dash="-", space="-", other=".")


class Views(NamedTuple):
    """`raw` is the text; `folded` has ASCII letters lowered; `shape` has `0` for digits, `A` and `a` for letters, `-`
    for a space or a dash, `.` for the rest."""

    raw: bytes
    folded: bytes
    shape: bytes


def look(text: str) -> Views:
    raw = text.encode("latin-1", "replace")
    return Views(raw, raw.lower(), raw.translate(_SHAPES))


def long_stretches(raw: bytes) -> list[tuple[int, bytes]]:
    """Start and bytes of the long stretches that are not all lower case, in order."""
    classes = raw.translate(_STRETCHES) + b" "
    find = classes.find
    found = []
    start = find(_LONG)
    while start >= 0:
        end = find(b" ", start + RUN)
        body = raw[start:end]
        if body.strip(_PLAIN):
            found.append((start, body))
        start = find(_LONG, end)
    return found
