"""Late interaction: how near candidates come to each word of a question, and whether they look like an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cfpm.embedding.products import products
from cfpm.recall.candidates import as_shares, of_sessions
from cfpm.recall.question import answers
from cfpm.recall.subject import common, cosines
from cfpm.store.search import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from cfpm.embedding import Embedder
    from cfpm.recall.candidates import Rows, Values
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import TurnArrays


CLOSE = 0.3
"""Cosine of two word pieces from which one stands for the other in part."""

BESIDE = 0.7
"""What a word is worth that stands in the message before or after."""

WIDE, FADING = 4, 0.9
"""Messages on each side in which a word of the question may stand too, and what each step away leaves of it."""

VECTORS, HALF = 2, 0.5
"""Messages on each side whose vectors are added, and what each step away leaves of them."""

SPREAD = 100
"""Place of the candidate whose cosine is the nothing of `meaning_around`: sums of several messages all come near to a
question, so that shares of the greatest say little. Measured: 10 to 100 brought the same."""

LEAST_SPREAD = 0.02
"""Shares that lie closer together than this are alike."""

LONG = 300
"""Different word pieces of a message of full length; more do not come into its vector either."""

_TIME, _NUMBER, _QUESTION = 1, 2, 4


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The candidates and their neighbours, each once, with their pieces.

    `here`, `before` and `after` are the places of each candidate and its neighbours, the last place that of no
    neighbour. `wider` are rows: WIDE lines for what stands before the candidates, one for each step, then as many for
    what stands after them; -1 for nothing. In a chat with an assistant, whose messages speak for themselves, the wider
    surroundings brought nothing: there it is None.
    """

    rows: Rows
    flat: Rows
    starts: Rows
    here: Rows
    before: Rows
    after: Rows
    wider: Rows | None


def close_signals(
    turns: TurnArrays, rows: Rows, question: Question, embedder: Embedder, values: dict[str, Values], *, chat: bool
) -> tuple[dict[str, Values], Values]:
    """The signals, and how much of the question's words each candidate holds. `values` are those that are known."""
    around = _around(turns, rows, wide=chat)
    near, fits = _near(turns, around, question, embedder)
    if around.wider is not None and question.vector is not None:
        near["meaning_around"] = _meaning_around(turns, rows, around.wider, question.vector)
    return near | _shapes(around, question, embedder, values | near), fits


def rarity(turns: TurnArrays, question: Question) -> Values:
    """What each piece of the question counts: more, the fewer messages have it."""
    frequency = turns.frequency[list(question.pieces)]
    weights: Values = np.log((len(turns) + 1) / (frequency + 0.5)).clip(0.1).astype(np.float32)
    return weights


def _around(turns: TurnArrays, rows: Rows, *, wide: bool) -> _Surroundings:
    before, after = turns.before[rows], turns.after[rows]
    # Not `np.unique`, which loads all of numpy.ma. The least comes first, so that each row has another before it.
    every = np.sort(np.concatenate(((-1,), rows, before, after)))
    every = every[1:][every[1:] != every[:-1]]
    flat, starts = turns.pieces.of(every)
    here, left, right = np.searchsorted(every, (rows, before, after))
    left[before < 0] = len(every)
    right[after < 0] = len(every)
    wider = np.stack([*_steps(turns.before, before), *_steps(turns.after, after)]) if wide else None
    # Pieces are places in a table three times: made so once.
    return _Surroundings(every, flat.astype(np.intp), starts, here, left, right, wider)


def _steps(beside: Rows, rows: Rows) -> Iterator[Rows]:
    """These rows, the rows next to them, and so on; -1 beyond the end of a session."""
    yield rows
    for _ in range(WIDE - 1):
        rows = np.where(rows >= 0, beside.take(rows), -1)
        yield rows


def _near(
    turns: TurnArrays, around: _Surroundings, question: Question, embedder: Embedder
) -> tuple[dict[str, Values], Values]:
    """Each word of the question against the nearest word of the message, weighted by how rare it is here."""
    best = _nearest(around, question, embedder)
    rare = rarity(turns, question)
    single = products(best, rare)
    beside = np.maximum(best[around.before], best[around.after])
    beside *= np.float32(BESIDE)
    window = products(np.maximum(best[around.here], beside), rare)
    # Only the candidates take part, which is where the best of a session are.
    session = turns.session[around.rows]
    of_session = of_sessions(session, single[:-1], turns.sessions)[session[around.here]]
    top = max(float(single.max(initial=0)), 1e-6)
    values = {
        "near": single[around.here] / top,
        "near_before": single[around.before] / top,
        "near_after": single[around.after] / top,
        "near_session": of_session / top,
        "near_around": as_shares(window),
    }
    if around.wider is not None:
        values["near_wide"] = as_shares(products(_wide(around, around.wider, best), rare))
    return values, single[around.here] / rare.sum()


def _nearest(around: _Surroundings, question: Question, embedder: Embedder) -> Values:
    """For each message and each piece of the question the cosine of the nearest piece, 0 if none is close."""
    best = np.zeros((len(around.rows) + 1, len(question.pieces)), dtype=np.float32)
    # By marking, not by sorting: there are some ten thousand pieces, of a small vocabulary.
    there = np.zeros(embedder.vocabulary, dtype=np.bool_)
    there[around.flat] = True
    different = np.flatnonzero(there)
    cosines = embedder.closeness(question.pieces, different)
    # One piece in ten is close to any word: only these are looked up in the messages.
    close = np.flatnonzero((cosines >= CLOSE).any(axis=0))
    # A row for each piece of the messages, so that gathering copies whole rows.
    rows = np.ascontiguousarray(cosines.take(close, axis=1).T)
    rows *= rows >= CLOSE
    place = np.full(embedder.vocabulary, -1, dtype=np.int32)
    place[different[close]] = np.arange(len(close))
    places = place.take(around.flat)
    kept = np.flatnonzero(places >= 0)
    starts = np.searchsorted(kept, around.starts)
    full = np.flatnonzero(starts[1:] > starts[:-1])
    if len(full):
        best[full] = np.maximum.reduceat(rows.take(places[kept], axis=0), starts[full], axis=0)
    return best


def _wide(around: _Surroundings, wider: Rows, best: Values) -> Values:
    """For each candidate and each piece of the question the nearest in it or around it, of what has been compared."""
    window = best[around.here]
    places = np.searchsorted(around.rows, wider)
    places[around.rows.take(places, mode="clip") != wider] = len(around.rows)
    for step, beside in enumerate(places.reshape(2, WIDE, -1).swapaxes(0, 1), 1):
        found = best.take(beside, axis=0).max(axis=0)
        found *= np.float32(FADING**step)
        np.maximum(window, found, out=window)
    return window


def _meaning_around(turns: TurnArrays, rows: Rows, wider: Rows, vector: Values) -> Values:
    """Cosines of each message together with those around it, which say what it talks about when it is short."""
    mean = common(turns)
    summed = turns.vectors.take(rows, axis=0) - mean
    for step, beside in enumerate(wider.reshape(2, WIDE, -1).swapaxes(0, 1)[:VECTORS], 1):
        for others in beside:
            summed += (turns.vectors.take(others, axis=0) - mean) * ((others >= 0) * np.float32(HALF**step))[:, None]
    return spread(cosines(summed, vector - mean))


def spread(values: Values) -> Values:
    """From 0 for the one at the place SPREAD, or the least of fewer, to 1 for the greatest; down to -2 for others."""
    shares = as_shares(values)
    if not len(shares):
        return shares
    place = max(0, len(shares) - 1 - SPREAD)
    nothing = np.partition(shares, place)[place]
    shares -= nothing
    shares /= max(np.float32(1) - nothing, np.float32(LEAST_SPREAD))
    return np.maximum(shares, np.float32(-2), out=shares)


def _shapes(
    around: _Surroundings, question: Question, embedder: Embedder, values: dict[str, Values]
) -> dict[str, Values]:
    """Whether a message has the form of an answer: a time, a number, no question; or answers the message before it."""
    every = _flags(around, answers(embedder))
    flags, asked = every[around.here], every[around.before] & _QUESTION > 0
    count = around.starts[around.here + 1] - around.starts[around.here]
    size = np.log1p(count).astype(np.float32) / np.float32(np.log1p(LONG))
    return {
        "asking": (flags & _QUESTION > 0).astype(np.float32),
        "tells_time": ((flags & _TIME > 0) & ("when" in question.asks)).astype(np.float32),
        "tells_number": ((flags & _NUMBER > 0) & ("number" in question.asks)).astype(np.float32),
        "reply_words": values["words_before"] * asked,
        "reply_meaning": values["meaning_before"] * asked,
        "reply_near": values["near_before"] * asked,
        "length": size,
        "user_words": values["user"] * values["words"],
        "user_meaning": values["user"] * values["meaning"],
        "user_near": values["user"] * values["near"],
        "user_length": values["user"] * size,
    }


def _flags(around: _Surroundings, kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the pieces of each message tell; nothing for no neighbour, which stands last."""
    found = np.zeros(len(around.rows) + 1, dtype=np.uint8)
    full = np.flatnonzero(around.starts[1:] > around.starts[:-1])
    if len(full):
        found[full] = np.bitwise_or.reduceat(kinds.take(around.flat), around.starts[full])
    return found


def answerability(text: str, question: Question, turns: TurnArrays, embedder: Embedder | None) -> float:
    """The share of the question that a text holds, from 0 to 1: as `Signals.fits`; without an embedder, by words."""
    if embedder is None or not question.pieces:
        wanted, there = content_words(question.words), set(content_words(text))
        return sum(word in there for word in wanted) / len(wanted) if wanted else 0.0
    pieces = embedder.pieces(text)
    if not pieces:
        return 0.0
    best = embedder.closeness(question.pieces, np.array(pieces)).max(axis=1)
    rare = rarity(turns, question)
    return float(rare @ np.where(best >= CLOSE, best, 0) / rare.sum())
