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
from cfpm.recall.items import RULES
from cfpm.recall.question import cues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cfpm.recall.candidates import Values
    from cfpm.recall.items import RecallItem

MOST = 40
"""Passages among which it is looked for, the likeliest answers: beyond them hardly anything has room in a block."""

LIKELY = -1.5
"""Log odds from which two passages are taken to be about one point: the newer one comes with the older, and before it.
Of 1,420 pairs of 18 stories, read by five, three in four of the right ones are so joined, and 44 in 100 of what is
joined is right; by signals that were learnt from questions it was 30. From -0.6 on two in three are right, but in
twelve stories of 199 blocks with an older value 155 mark it, and not 163."""

LIKELY_OF_A_RULE = -1.0
"""The same where the older one is a standing rule: of such pairs from -1.5 on one in three is a change, from -1 on
nearly every second; of 600 blocks two more hold an old value."""


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
    near: Values | None = None
    """The vectors of their sentences, of length 1, which were made with what stands around them; None without."""


def later(best: Likeliest, weights: Mapping[str, Mapping[str, float]]) -> dict[int, int]:
    """By the place of a passage that of the likeliest one that was said later on its subject, if there is any.
    `weights` are those of `signals` and a constant, for two passages whose sentences have vectors and for others."""
    columns, after = signals(best)
    odds = _odds(columns, weights["later_unread"])
    if best.near is not None:
        read = np.abs(best.near).sum(axis=1) > 0
        odds = np.where(read[:, None] & read[None, :], _odds(columns, weights["later"]), odds)
    # Rounded, so that the choice is the same on every processor.
    odds = np.where(after, np.round(odds, 3), -np.inf)
    newest, likely = odds.argmax(axis=1).tolist(), odds.max(axis=1).tolist()
    least = [LIKELY_OF_A_RULE if one.category in RULES else LIKELY for one in best.passages]
    return {older: newest[older] for older in range(len(likely)) if likely[older] >= least[older]}


def _odds(columns: Mapping[str, NDArray[np.float64]], weights: Mapping[str, float]) -> NDArray[np.float64]:
    constant = np.full_like(columns["words"], weights["constant"])
    return sum((weights[name] * column for name, column in columns.items() if name in weights), start=constant)


def signals(best: Likeliest) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
    """What speaks for two passages being on one subject, and which pairs may be: a row for each of the likeliest as
    the older one, a column for each as the newer one."""
    shown, held = best.passages, best.held
    count = len(shown)
    ranks = np.log1p(np.arange(count))
    kinds = np.array([_values(text) for text in best.texts])
    at = np.array([one.created_at.timestamp() if one.created_at else np.nan for one in shown])
    recorded = np.array([_recorded(one) for one in shown])

    def of_newer(values: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.broadcast_to(values.astype(np.float64)[None, :], (count, count))

    found = {
        "meaning": best.directions @ best.directions.T,
        "meaning_around": best.directions @ best.directions_around.T,
        "words": best.words @ best.words.T,
        "held": np.minimum(held[:, None, :], held[None, :, :]).sum(axis=2),
        "rank": of_newer(ranks),
        "rank_of_older": of_newer(ranks).T,
        "same_kind": ((kinds[:, None] & kinds[None, :]) > 0).astype(float),
        "answers": of_newer(best.answers),
        "both_answer": (best.answers[:, None] & best.answers[None, :]).astype(float),
        "recorded": of_newer(recorded).T,
    }
    if best.near is not None:
        found["near"] = (best.near @ best.near.T).astype(np.float64)
    may = np.array([not (one.marked or one.quarantined or one.contradicts) for one in shown])
    asks = np.array([text.rstrip().endswith(("?", "？")) for text in best.texts])
    seqs, sessions = np.array([one.seq for one in shown]), np.array([one.session for one in shown])
    after = (seqs[:, None] > 0) & (seqs[:, None] < seqs[None, :]) & (sessions[:, None] != sessions[None, :])
    # A question holds no value that another one takes the place of, and takes none's.
    may &= ~asks
    # What tells of a file or of what a tool did is outdated by what is said, and outdates nothing.
    after &= ~(at[None, :] < at[:, None]) & may[:, None] & (may & ~recorded)[None, :]
    return found, after


def _recorded(one: RecallItem) -> bool:
    """Whether it tells of a file or of what a tool did."""
    return one.deed or one.role is Role.TOOL or one.category in (Category.ARTIFACT, Category.VERIFIED_ACTION)


# The same messages are found again and again.
@lru_cache(maxsize=4_096)
def _values(text: str) -> int:
    """The kinds of values that stand in a text, a bit for each."""
    return sum(1 << place for place, pattern in enumerate(_patterns()) if pattern.search(text))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(compiled("|".join(patterns), re.IGNORECASE) for patterns in cues()["values"].values())
