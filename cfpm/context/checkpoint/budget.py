"""How the budget of a view is shared, and what of the user's goals and of the last request stays within its share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cfpm.context.checkpoint.checkpoint import Section
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.tokens import Count

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


SHARE = 0.75
"""Of the room behind the last request; the rest is for what happened. It costs no goal of the 234 cuts of SpecStory
sessions, at 1,000 to 8,000 tokens (`python -m benchmarks compaction`, with and without)."""

_OLDER = "({} older ones are only in the log, where recall finds them)"
_OLDER_PATTERN = lazy_pattern(re.escape(_OLDER).replace(r"\{\}", r"(\d+)"))
_COUNT_TOKENS = 20
"""Tokens of the line that tells how many are older."""


def limited(demands: Mapping[Section, Sequence[str]], room: int, count: Count) -> dict[Section, list[str]]:
    """All of them where they fit; else all rules, the newest goals, and a line that says how many are older.

    A rule holds until it is lifted, so none is left out. What a prior checkpoint had left out is counted in.
    """
    goals, gone = _split(demands.get(Section.GOALS, ()))
    sizes = [count(line) + 2 for line in goals]
    allowed = int(SHARE * room) - sum(count(line) + 2 for line in demands.get(Section.RULES, ()))
    if sum(sizes) > allowed:
        first = _newest(sizes, allowed - _COUNT_TOKENS)
        goals, gone = goals[first:], gone + first
    told = [_OLDER.format(gone)] if gone else []
    return {**{section: list(lines) for section, lines in demands.items()}, Section.GOALS: [*told, *goals]}


def _newest(sizes: Sequence[int], allowed: int) -> int:
    """The place of the first of the last lines that fit together."""
    used, first = 0, len(sizes)
    while first and used + sizes[first - 1] <= allowed:
        first -= 1
        used += sizes[first]
    return first


def _split(lines: Sequence[str]) -> tuple[list[str], int]:
    """The lines, and how many were left out before."""
    found = [(line, _OLDER_PATTERN.fullmatch(line)) for line in lines]
    return [line for line, told in found if not told], sum(int(told[1]) for _, told in found if told)


_LEFT_OUT = 12
"""Tokens of the line that says how much of a request is left out."""

_FOLD = 560
"""Characters after which a longer line of a request goes on in the next."""


def shortened(text: str, allowed: int, count: Count) -> list[str]:
    """The lines of a request, those in the middle left out when it takes more than `allowed` tokens.

    The beginning of its first line is always there.
    """
    lines = [line.rstrip() for line in text.expandtabs(4).splitlines() if line.strip()]
    lines = [part for line in lines for part in _folded(line)]
    sizes = [count(line) + 2 for line in lines]
    if sum(sizes) <= allowed:
        return lines
    left = allowed - _LEFT_OUT
    head = _beginning(lines[0], left // 2, count)
    first, last, left = 1, len(lines), left - count(head) - 2
    ends = {True: True, False: True}
    while first < last and any(ends.values()):
        # By turns from the end and from the front: both say what is wanted.
        front = ends[True] and (first <= len(lines) - last or not ends[False])
        at = first if front else last - 1
        if sizes[at] > left:
            ends[front] = False
            continue
        left -= sizes[at]
        first, last = (first + 1, last) if front else (first, last - 1)
    gone = sum(map(len, lines[first:last])) + len(lines[0]) - len(head)
    told = [f"… ({gone} characters left out) …"] if gone else []
    return [head, *lines[1:first], *told, *lines[last:]]


def _beginning(line: str, allowed: int, count: Count) -> str:
    """As many whole words of a line as `allowed` tokens hold, at least one."""
    if count(line) + 2 <= allowed:
        return line
    words = line.split(" ")
    at = bisect_right(range(1, len(words) + 1), allowed, key=lambda n: count(" ".join(words[:n])) + 2)
    return " ".join(words[: max(at, 1)])


def _folded(line: str) -> Iterator[str]:
    return (line[at : at + _FOLD] for at in range(0, len(line), _FOLD))
