"""Which of the passages found were said later on the subject of another: a block shows them together, the newest first.

Asks no encoder, and decides nothing: that both were said, and which of them later, is so whether or not one changes
the other.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cfpm.recall.question import cues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.recall.candidates import Values
    from cfpm.recall.items import RecallItem

MOST = 40
"""Passages among which it is looked for, the likeliest answers: beyond them hardly anything has room in a block."""

LIKELY = -3.5
"""Log odds from which two passages are taken to be on one subject. Of what an answer of `benchmarks stories` replaced,
half is so joined with it, and one in five of all other passages with a later one."""

CERTAIN = -2.5
"""Log odds from which a passage brings the later one with it, however little that answers by itself."""

_CONSTANT = -4.94
_MEANING, _HELD, _LATER, _RANK, _RANK_OF_OLDER, _SAME_KIND = 3.4, 2.46, 1.25, -0.5, -0.78, 1.62
"""Logistic regression on pairs of passages found for the questions of `benchmarks stories`: whether the older one holds
the value that was replaced, and the newer one the answer."""

_DAY = 86_400


def later(
    passages: Sequence[RecallItem], texts: Sequence[str], directions: Values, held: Values
) -> dict[int, tuple[int, float]]:
    """By the place of a passage that of the likeliest one that was said later on its subject, if there is any, and the
    log odds.

    `directions` are vectors of length 1, a row for each; `held` has for each passage how much of each word of the
    question it holds, so that the rows of two say how much both hold.
    """
    count = min(MOST, len(passages))
    kinds = [_values(text) for text in texts[:count]]
    asks = [text.rstrip().endswith(("?", "？")) for text in texts[:count]]
    close = directions[:count] @ directions[:count].T
    found: dict[int, tuple[int, float]] = {}
    for older in range(count):
        if not _may_change(passages[older]):
            continue
        best, newest = LIKELY, -1
        for newer in range(count):
            days = _days_between(passages[older], passages[newer])
            if days is None or asks[newer] or not _may_change(passages[newer]):
                continue
            both = float(np.minimum(held[older], held[newer]).sum())
            odds = _CONSTANT + _MEANING * float(close[older, newer]) + _HELD * both + _LATER * (days >= 1)
            odds += _RANK * float(np.log1p(newer)) + _RANK_OF_OLDER * float(np.log1p(older))
            odds += _SAME_KIND * (not kinds[older].isdisjoint(kinds[newer]))
            # Rounded, so that the choice is the same on every processor.
            if round(odds, 3) > best:
                best, newest = round(odds, 3), newer
        if newest >= 0:
            found[older] = newest, best
    return found


def _may_change(passage: RecallItem) -> bool:
    return not (passage.deed or passage.marked or passage.quarantined or passage.contradicts)


def _days_between(older: RecallItem, newer: RecallItem) -> float | None:
    """None where the second was not said after the first, in another session."""
    if not (older.seq and newer.seq and older.seq < newer.seq) or older.session == newer.session:
        return None
    if older.created_at is None or newer.created_at is None:
        return 0.0
    seconds = (newer.created_at - older.created_at).total_seconds()
    return seconds / _DAY if seconds >= 0 else None


def _values(text: str) -> frozenset[str]:
    """The kinds of values that stand in a text."""
    return frozenset(name for name, pattern in _patterns().items() if pattern.search(text))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join(patterns), re.IGNORECASE) for name, patterns in cues()["values"].items()}
