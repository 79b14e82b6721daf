"""One-byte-a-character views of a text, in which literals are found at memory speed. Not for decisions.

Every view has the length of the text, so an offset in one is an offset in the other; a character above U+00FF is `?`.
"""

from __future__ import annotations

from dataclasses import dataclass

RUN = 20
"""Characters from which a stretch of letters, digits, `_` and `-` may hold a vendor's token."""

LEAD = 20
"""Characters kept before a run, for prefixes that hold another character (`SG.`, `dp.audit.`, `AAAA...:`)."""

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


@dataclass(frozen=True, slots=True)
class Views:
    """`raw` is the text; `folded` has ASCII letters lowered; `shape` has `0` for digits, `A` and `a` for letters, `-`
    for a space or a dash. `runs` holds only the long stretches, one a line, each once; `run_starts` where they begin."""

    raw: bytes
    folded: bytes
    shape: bytes
    runs: bytes
    run_starts: tuple[int, ...]


def look(text: str) -> Views:
    raw = text.encode("latin-1", "replace")
    runs = _runs(raw)
    return Views(raw, raw.lower(), raw.translate(_SHAPES), b"\n".join(runs), tuple(runs.values()))


def _runs(raw: bytes) -> dict[bytes, int]:
    """The long stretches that are not all lower case, with what stands before them, and where each begins first."""
    stretches = raw.translate(_STRETCHES) + b" "
    find = stretches.find
    needle = b"a" * RUN
    found: dict[bytes, int] = {}
    start = find(needle)
    while start >= 0:
        end = find(b" ", start + RUN)
        if raw[start:end].strip(_PLAIN):
            found.setdefault(raw[max(0, start - LEAD) : end], start)
        start = find(needle, end)
    return found
