"""Where the strings and comments of a PowerShell command are, as PowerShell itself finds them. Knows no grammar.

The grammar takes a quote within a bare word for a plain character, PowerShell begins a string there: only where both
agree may anything be changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cfpm.model.patterns import lazy_pattern

_PIECE = lazy_pattern(
    r"""`.|(?P<here>@(?P<quote>['"])[ \t]*\r?\n(?:.*?\n)??(?P=quote)@)"""
    r"""|(?P<comment><\#.*?\#>|(?<![^\s;|&(){},])\#[^\n]*)"""
    r"""|(?P<single>'(?:[^']|'')*+')|(?P<double>"(?:[^"`]|`.|"")*+")|(?P<open>['"])""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A string or a comment. Code within an expandable string that has quotes of its own divides it."""

    kind: str
    start: int
    end: int


def pieces(command: str) -> list[Piece]:
    """The strings and comments, in order; `open` is a quote without a partner, and all that follows it."""
    found = (match for match in _PIECE.finditer(command) if match.lastgroup)
    return [_piece(match) for match in found]


def piece_at(found: list[Piece], at: int) -> Piece | None:
    """The piece that a character stands in."""
    return next((piece for piece in found if piece.start <= at < piece.end), None)


def _piece(match: re.Match[str]) -> Piece:
    kind = next(kind for kind in ("here", "comment", "single", "double", "open") if match[kind] is not None)
    return Piece(kind, match.start(), len(match.string) if kind == "open" else match.end())
