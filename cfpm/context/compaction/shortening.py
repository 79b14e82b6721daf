"""A user's request within a few tokens: lines in its middle are left out, its beginning is always there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from cfpm.recall.tokens import Count

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
