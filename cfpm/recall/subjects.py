"""Which of the passages found were said later on the subject of another: a block shows them together, the newest first.

Asks no encoder, and decides nothing: that both were said, and which of them later, is so whether or not one changes
the other.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from cfpm.model import Category, Role
from cfpm.recall.question import cues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cfpm.recall.candidates import Values
    from cfpm.recall.items import RecallItem

MOST = 40
"""Passages among which it is looked for, the likeliest answers: beyond them hardly anything has room in a block."""

LIKELY = -3.5
"""Log odds from which two passages are taken to be on one subject. Of what an answer of `benchmarks stories` replaced,
42 in 100 are so joined with it, and one in eight of all other passages with a later one."""

CERTAIN = -2.5
"""Log odds from which a passage brings the later one with it, however little that answers by itself."""

_DAY = 86_400


def later(
    passages: Sequence[RecallItem],
    texts: Sequence[str],
    directions: Values,
    held: Values,
    weights: Mapping[str, float],
) -> dict[int, tuple[int, float]]:
    """By the place of a passage that of the likeliest one that was said later on its subject, if there is any, and the
    log odds.

    `directions` are vectors of length 1, a row for each; `held` has for each passage how much of each word of the
    question it holds, so that the rows of two say how much both hold. `weights` are those of `signals`, and a constant.
    """
    columns, after = signals(passages, texts, directions, held)
    odds = sum((weights[name] * column for name, column in columns.items()), start=weights["constant"])
    # Rounded, so that the choice is the same on every processor.
    odds = np.where(after, np.round(odds, 3), -np.inf)
    newest, best = odds.argmax(axis=1).tolist(), odds.max(axis=1).tolist()
    return {older: (newest[older], best[older]) for older in range(len(best)) if best[older] >= LIKELY}


def signals(
    passages: Sequence[RecallItem], texts: Sequence[str], directions: Values, held: Values
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
    """What speaks for two passages being on one subject, and which pairs may be: a row for each of the likeliest as
    the older one, a column for each as the newer one."""
    shown = passages[:MOST]
    count = len(shown)
    ranks = np.log1p(np.arange(count))
    kinds = np.array([_values(text) for text in texts[:count]])
    at = np.array([one.created_at.timestamp() if one.created_at else np.nan for one in shown])
    found = {
        "meaning": directions[:count] @ directions[:count].T,
        "held": np.minimum(held[:count, None, :], held[None, :count, :]).sum(axis=2),
        "days_later": (at[None, :] - at[:, None] >= _DAY).astype(float),
        "rank": np.broadcast_to(ranks[None, :], (count, count)),
        "rank_of_older": np.broadcast_to(ranks[:, None], (count, count)),
        "same_kind": ((kinds[:, None] & kinds[None, :]) > 0).astype(float),
    }
    may = np.array([_may_change(one) for one in shown])
    asks = np.array([text.rstrip().endswith(("?", "？")) for text in texts[:count]])
    seqs, sessions = np.array([one.seq for one in shown]), np.array([one.session for one in shown])
    after = (seqs[:, None] > 0) & (seqs[:, None] < seqs[None, :]) & (sessions[:, None] != sessions[None, :])
    after &= ~(at[None, :] < at[:, None]) & may[:, None] & (may & ~asks)[None, :]
    return found, after


def _may_change(one: RecallItem) -> bool:
    """Whether something may take its place: not where that is known already, and not where it tells of a file or of
    what a tool did."""
    recorded = one.role is Role.TOOL or one.category in (Category.ARTIFACT, Category.VERIFIED_ACTION)
    return not (one.deed or one.marked or one.quarantined or one.contradicts or recorded)


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _values(text: str) -> int:
    """The kinds of values that stand in a text, a bit for each."""
    return sum(1 << place for place, pattern in enumerate(_patterns()) if pattern.search(text))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile("|".join(patterns), re.IGNORECASE) for patterns in cues()["values"].values())
