"""Which of the passages found were said later on the subject of another: a block shows them together, the newest first.

Asks no encoder, and decides nothing: that both were said, and which of them later, is so whether or not one changes
the other.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
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
42 in 100 are so joined with it, and one in eight of all other passages with a later one."""

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
    shown = passages[:MOST]
    count = len(shown)
    odds = _CONSTANT + _MEANING * (directions[:count] @ directions[:count].T)
    odds += _HELD * np.minimum(held[:count, None, :], held[None, :count, :]).sum(axis=2)
    ranks = np.log1p(np.arange(count))
    odds += _RANK * ranks[None, :] + _RANK_OF_OLDER * ranks[:, None]
    kinds = np.array([_values(text) for text in texts[:count]])
    odds += _SAME_KIND * ((kinds[:, None] & kinds[None, :]) > 0)
    at = np.array([one.created_at.timestamp() if one.created_at else np.nan for one in shown])
    odds += _LATER * (at[None, :] - at[:, None] >= _DAY)
    may = np.array([not (one.deed or one.marked or one.quarantined or one.contradicts) for one in shown])
    asks = np.array([text.rstrip().endswith(("?", "？")) for text in texts[:count]])
    seqs, sessions = np.array([one.seq for one in shown]), np.array([one.session for one in shown])
    after = (seqs[:, None] > 0) & (seqs[:, None] < seqs[None, :]) & (sessions[:, None] != sessions[None, :])
    after &= ~(at[None, :] < at[:, None]) & may[:, None] & (may & ~asks)[None, :]
    # Rounded, so that the choice is the same on every processor.
    odds = np.where(after, np.round(odds, 3), -np.inf)
    newest, best = odds.argmax(axis=1).tolist(), odds.max(axis=1).tolist()
    return {older: (newest[older], best[older]) for older in range(count) if best[older] >= LIKELY}


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _values(text: str) -> int:
    """The kinds of values that stand in a text, a bit for each."""
    return sum(1 << place for place, pattern in enumerate(_patterns()) if pattern.search(text))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile("|".join(patterns), re.IGNORECASE) for patterns in cues()["values"].values())
