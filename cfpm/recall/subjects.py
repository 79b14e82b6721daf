"""Which of the passages found were said later on the subject of another: a block shows them together, the newest first.

Asks no encoder, and decides nothing: that both were said, and which of them later, is so whether or not one changes
the other.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cfpm.model import Category, Role
from cfpm.model.bytecode import compiled
from cfpm.recall.question import cues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cfpm.recall.candidates import Values
    from cfpm.recall.items import RecallItem

MOST = 40
"""Passages among which it is looked for, the likeliest answers: beyond them hardly anything has room in a block."""

LIKELY = -4.0
"""Log odds from which two passages are taken to be on one subject. On the twelve stories learnt from, -3.5 leaves
183 of 256 blocks without an outdated value unmarked, -4 185, -4.5 193; but at -4.5 one line in seven is so joined, at
-3.5 one in twelve, and about half of these with another subject."""

CERTAIN = -3.0
"""Log odds from which a passage brings the later one with it, however little that answers by itself."""

_DAY = 86_400


class Likeliest(NamedTuple):
    """The likeliest answers, at most MOST of them, in their order; of arrays a row for each.

    `directions` and `directions_around` are vectors of length 1, without and with what was said before; `held` is how
    much of each word of the question it holds, `words` which word pieces it has, by their rarity, of length 1;
    `answers` whether it holds what is asked for, such as a number.
    """

    passages: Sequence[RecallItem]
    texts: Sequence[str]
    directions: Values
    directions_around: Values
    held: Values
    words: Values
    answers: NDArray[np.bool_]


def later(best: Likeliest, weights: Mapping[str, float]) -> dict[int, tuple[int, float]]:
    """By the place of a passage that of the likeliest one that was said later on its subject, if there is any, and the
    log odds. `weights` are those of `signals`, and a constant."""
    columns, after = signals(best)
    odds = sum((weights[name] * column for name, column in columns.items()), start=weights["constant"])
    # Rounded, so that the choice is the same on every processor.
    odds = np.where(after, np.round(odds, 3), -np.inf)
    newest, likely = odds.argmax(axis=1).tolist(), odds.max(axis=1).tolist()
    return {older: (newest[older], likely[older]) for older in range(len(likely)) if likely[older] >= LIKELY}


def signals(best: Likeliest) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
    """What speaks for two passages being on one subject, and which pairs may be: a row for each of the likeliest as
    the older one, a column for each as the newer one."""
    shown, held = best.passages, best.held
    count = len(shown)
    ranks = np.log1p(np.arange(count))
    kinds = np.array([_values(text) for text in best.texts])
    at = np.array([one.created_at.timestamp() if one.created_at else np.nan for one in shown])
    users = np.array([one.role is Role.USER for one in shown])
    changes = np.array([_tells_change(text) for text in best.texts])

    def of_newer(values: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.broadcast_to(values.astype(np.float64)[None, :], (count, count))

    found = {
        "meaning": best.directions @ best.directions.T,
        "meaning_around": best.directions @ best.directions_around.T,
        "words": best.words @ best.words.T,
        "held": np.minimum(held[:, None, :], held[None, :, :]).sum(axis=2),
        "days_later": (at[None, :] - at[:, None] >= _DAY).astype(float),
        "rank": of_newer(ranks),
        "rank_of_older": of_newer(ranks).T,
        "same_kind": ((kinds[:, None] & kinds[None, :]) > 0).astype(float),
        "answers": of_newer(best.answers),
        "both_answer": (best.answers[:, None] & best.answers[None, :]).astype(float),
        "user": of_newer(users),
        "changes": of_newer(changes),
    }
    may = np.array([_may_change(one) for one in shown])
    asks = np.array([text.rstrip().endswith(("?", "？")) for text in best.texts])
    seqs, sessions = np.array([one.seq for one in shown]), np.array([one.session for one in shown])
    after = (seqs[:, None] > 0) & (seqs[:, None] < seqs[None, :]) & (sessions[:, None] != sessions[None, :])
    # A question holds no value that another one takes the place of, and takes none's.
    may &= ~asks
    after &= ~(at[None, :] < at[:, None]) & may[:, None] & may[None, :]
    return found, after


def _may_change(one: RecallItem) -> bool:
    """Whether something may take its place: not where that is known already, and not where it tells of a file or of
    what a tool did."""
    recorded = one.role is Role.TOOL or one.category in (Category.ARTIFACT, Category.VERIFIED_ACTION)
    return not (one.deed or one.marked or one.quarantined or one.contradicts or recorded)


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _tells_change(text: str) -> bool:
    """Whether it has a plain word of change; most changes have none."""
    return _change().search(text) is not None


@cache
def _change() -> re.Pattern[str]:
    return compiled("|".join(cues()["change"]["words"]), re.IGNORECASE)


@lru_cache(maxsize=4_096)
def _values(text: str) -> int:
    """The kinds of values that stand in a text, a bit for each."""
    return sum(1 << place for place, pattern in enumerate(_patterns()) if pattern.search(text))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(compiled("|".join(patterns), re.IGNORECASE) for patterns in cues()["values"].values())
