"""How the budget of a view is shared between the last messages, the last request, other lines and names.

At 1,000 tokens names and the user's rules take nearly all; what else there is grows with the room above that. The
figures are the best of a coarse search on two thirds of the sessions of `python -m benchmarks compaction`, but for
`SMALL_EXTRA`: 0.02 was the best for names, and left no room for a line that says what comes next."""

from __future__ import annotations

from dataclasses import dataclass

_SMALL = 1_000
"""Tokens of the smallest budget that was measured."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Tokens at most: of the first messages and of the last as they were, of the last request, of lines about
    decisions, open items and errors, and of the user's other words."""

    front: int
    tail: int
    request: int
    extra: int
    other: int


SMALL_REQUEST, SMALL_EXTRA = 0.1, 0.03
TAIL, REQUEST, EXTRA, OTHER, FRONT = 0.3, 0.35, 0.08, 0.07, 0.1


def shares(max_tokens: int) -> Shares:
    """The shares of a budget."""
    above = max(0, max_tokens - _SMALL)
    small = min(max_tokens, _SMALL)
    return Shares(
        front=int(FRONT * above),
        tail=int(TAIL * above),
        request=int(SMALL_REQUEST * small + REQUEST * above),
        extra=int(SMALL_EXTRA * small + EXTRA * above),
        other=int(OTHER * above),
    )
