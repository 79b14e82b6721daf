"""The user's goals within what rules leave of the room: a session of a thousand requests has a checkpoint too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from cfpm.context.compaction.checkpoint import Section
from cfpm.recall.tokens import Count

SHARE = 0.75
"""Of the room behind the last request; the rest is for what happened. It costs no goal of the 234 cuts of SpecStory
sessions, at 1,000 to 8,000 tokens (`python -m benchmarks compaction`, with and without)."""

_OLDER = "({} older ones are only in the log, where recall finds them)"
_OLDER_PATTERN = re.compile(re.escape(_OLDER).replace(r"\{\}", r"(\d+)"))
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
