"""What checks share: the characters that a match wants to have replaced, and what stands before it."""

from __future__ import annotations

import re
from collections.abc import Callable

Span = tuple[int, int]
Check = Callable[[re.Match[str]], Span | None]
"""Takes a match and gives the characters to replace, or None when it is no secret."""


def whole(match: re.Match[str]) -> Span:
    """The group `secret`, or all of the match when the pattern has no such group."""
    return match.span("secret") if "secret" in match.re.groupindex else match.span()


def text_of(match: re.Match[str]) -> str:
    start, end = whole(match)
    return match.string[start:end]


def kept(match: re.Match[str], accepted: bool) -> Span | None:
    return whole(match) if accepted else None


def before(match: re.Match[str], chars: int) -> str:
    """Up to `chars` characters in front of the match."""
    return match.string[max(0, match.start() - chars) : match.start()]
