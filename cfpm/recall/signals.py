"""What speaks for each message as an answer to a question: numbers from 0 to 1 by name. Weighs nothing: see `weights`.

First cheap signals over all messages, then closer ones over the few hundred that may be answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cfpm.models import Category, Role
from cfpm.recall.question import answers
from cfpm.store.landscape import CATEGORIES, ROLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cfpm.embedding import Embedder
    from cfpm.recall.items import Searchable
    from cfpm.recall.question import Question
    from cfpm.store.landscape import Facts, Turns

    Values = NDArray[np.float32]
    Rows = NDArray[np.int64]

CANDIDATES = 250
"""Messages that are looked at closely; the rest stood behind them in words, meaning and surroundings together."""

BUSY = 2_000
"""Messages that count for the score of their session."""

TOP = 3
"""A session is worth the mean of its best three messages: one alone may be chance, all of them dilute."""

CLOSE = 0.35
"""Cosine of two word pieces from which one stands for the other in part."""

BESIDE = 0.7
"""What a word is worth that stands in the message before or after."""

LONG = 300
"""Different word pieces of a message of full length; more do not come into its vector either."""

LATER = 10 * 86_400.0
"""Seconds after a time in which people still tell of it."""

_USER, _ASSISTANT = ROLES.index(Role.USER), ROLES.index(Role.ASSISTANT)
_STANDING = {name: CATEGORIES.index(name) for name in (Category.INSTRUCTION, Category.PREFERENCE)}
_TIME, _NUMBER, _QUESTION = 1, 2, 4


@dataclass(frozen=True, slots=True)
class Signals:
    """`values` has an array for each signal, in the order of `rows`, which are rows of the landscape.

    `fits` is how much of the question's words each message holds in words or in meaning, by itself. `facts` has the
    signals of each fact by itself, as if it were a message.
    """

    rows: Rows
    values: dict[str, Values]
    fits: Values
    facts: dict[str, Values]
    chat: bool


def is_chat(turns: Turns) -> bool:
    """True when people with names talk to each other; then nobody is instructed, and speakers matter."""
    named = [number for number, name in enumerate(turns.speakers) if name]
    return bool(named) and bool(2 * np.isin(turns.speaker, named).sum() > len(turns))


def turn_signals(
    store: Searchable, turns: Turns, facts: Facts, question: Question, embedder: Embedder | None
) -> Signals:
    """The signals of the messages that may be answers."""
    chat = is_chat(turns)
    wide, own = _wide(store, turns, facts, question)
    context = _context(turns, facts, question, chat=chat)
    rough = sum(wide[name] * weight for name, weight in _ROUGH.items()) + 0.1 * context["speaker"] + context["time"]
    rough = rough + 0.3 * (context["instruction_meaning"] + context["preference_meaning"])
    rows = np.argpartition(-rough, CANDIDATES)[:CANDIDATES] if len(turns) > CANDIDATES else np.arange(len(turns))
    rows = np.sort(rows)
    values = {name: value[rows] for name, value in (wide | context).items()}
    fits = np.zeros(len(rows), dtype=np.float32)
    if embedder is not None and question.pieces:
        close, fits = _close(turns, rows, question, embedder)
        values |= close
        values |= _shapes(turns, rows, question, embedder, values)
    return Signals(rows, values, fits, own, chat)


_ROUGH = {
    "words": 1.0, "words_before": 0.3, "words_after": 0.3, "words_session": 0.5,
    "meaning": 1.0, "meaning_before": 0.3, "meaning_after": 0.3, "meaning_session": 0.5,
    "fact_words": 0.3, "fact_meaning": 0.3,
}  # fmt: skip


def _wide(
    store: Searchable, turns: Turns, facts: Facts, question: Question
) -> tuple[dict[str, Values], dict[str, Values]]:
    """Words and meaning of every message, its facts, its neighbours and its session; and those of the facts alone."""
    words = _scattered(turns.seq, store.turn_words(question.words))
    meaning = np.zeros(len(turns), dtype=np.float32)
    fact_meaning = np.zeros(len(facts), dtype=np.float32)
    if question.vector is not None:
        meaning = turns.vectors @ question.vector
        fact_meaning = np.where(facts.active, facts.vectors @ question.vector, 0)
    fact_words = np.where(facts.active, _scattered(facts.seq, store.fact_words(question.words)), 0)
    found = {"words": _relative(words), "meaning": _relative(meaning)}
    for name in tuple(found):
        found |= _flow(turns, name, found[name])
    own = {"words": _relative(fact_words), "meaning": _relative(fact_meaning)}
    found["fact_words"] = _lifted(turns, facts, own["words"])
    found["fact_meaning"] = _lifted(turns, facts, own["meaning"])
    return found, own


def _scattered(seqs: Rows, found: list[tuple[int, float]]) -> Values:
    """Scores by `seq` as an array over the rows; those of other namespaces fall out."""
    scores = np.zeros(len(seqs), dtype=np.float32)
    if found and len(seqs):
        table = np.array(found, dtype=np.float64)
        rows = np.searchsorted(seqs, table[:, 0].astype(np.int64)).clip(max=len(seqs) - 1)
        here = seqs[rows] == table[:, 0]
        scores[rows[here]] = table[here, 1]
    return scores


def _relative(values: Values) -> Values:
    """As shares of the greatest; what is below nothing is nothing."""
    best = float(values.max(initial=0))
    if best <= 0:
        return np.zeros(len(values), dtype=np.float32)
    shares: Values = (np.maximum(values, 0) / best).astype(np.float32)
    return shares


def _flow(turns: Turns, name: str, values: Values) -> dict[str, Values]:
    """What the neighbours and the session of each message add."""
    padded = np.append(values, np.float32(0))
    return {
        f"{name}_before": padded[turns.before],
        f"{name}_after": padded[turns.after],
        f"{name}_session": _of_sessions(turns.session, values, len(turns.sessions))[turns.session],
    }


def _of_sessions(session: Rows, values: Values, count: int) -> Values:
    """The mean of the best three of each session."""
    best = np.argpartition(-values, BUSY)[:BUSY] if len(values) > BUSY else np.arange(len(values))
    order = best[np.lexsort((-values[best], session[best]))]
    starts = np.concatenate(([True], session[order[1:]] != session[order[:-1]])) if len(order) else np.zeros(0, bool)
    rank = np.arange(len(order)) - np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    top = order[rank < TOP]
    total: Values = (np.bincount(session[top], weights=values[top], minlength=count) / TOP).astype(np.float32)
    return total


def _lifted(turns: Turns, facts: Facts, values: Values) -> Values:
    """The best of a message's facts."""
    found = np.zeros(len(turns), dtype=np.float32)
    known = facts.turn >= 0
    np.maximum.at(found, facts.turn[known], values[known])
    return found


def _context(turns: Turns, facts: Facts, question: Question, *, chat: bool) -> dict[str, Values]:
    """Who spoke and when, and what stands whatever is asked."""
    found = {"speaker": np.zeros(len(turns), dtype=np.float32)}
    if len(question.speakers) == 1:
        found["speaker"] = (turns.speaker == question.speakers[0]).astype(np.float32)
    found["time"], found["event_time"] = _times(turns, facts, question)
    for category, number in _STANDING.items():
        chosen = facts.active & (facts.category == number) & (not chat)
        close = facts.vectors @ question.vector if question.vector is not None else np.zeros(len(facts))
        found[f"{category}"] = _lifted(turns, facts, chosen.astype(np.float32))
        found[f"{category}_meaning"] = _lifted(turns, facts, _relative(np.where(chosen, close, 0)))
    # Asked for advice that was given, or for a summary, what the assistant said counts as much.
    told = not question.asks.isdisjoint({"advice", "summary"})
    found["user"] = ((turns.role == _USER) * (not chat and not told)).astype(np.float32)
    found["assistant"] = ((turns.role == _ASSISTANT) * told).astype(np.float32)
    return found


def _times(turns: Turns, facts: Facts, question: Question) -> tuple[Values, Values]:
    """1 for what was said in a time that the question names, less for soon after; the same of a fact's own time."""
    said = np.zeros(len(turns), dtype=np.float32)
    event = np.zeros(len(facts), dtype=np.float32)
    for begins, ends in question.times:
        said[(turns.at >= begins) & (turns.at < ends)] = 1
        soon = (turns.at >= ends) & (turns.at < ends + LATER)
        said[soon] = np.maximum(said[soon], 0.6)
        event[facts.active & (facts.event >= begins) & (facts.event < ends)] = 1
    return said, _lifted(turns, facts, event)


def _close(turns: Turns, rows: Rows, question: Question, embedder: Embedder) -> tuple[dict[str, Values], Values]:
    """Each word of the question against the nearest word of the message, weighted by how rare it is here."""
    around = np.unique(np.concatenate((rows, turns.before[rows], turns.after[rows])))
    around = around[around >= 0]
    best = _nearest(turns, around, question, embedder)
    rare = np.log((len(turns) + 1) / (turns.frequency[list(question.pieces)] + 0.5)).clip(0.1).astype(np.float32)
    place = np.full(len(turns) + 1, len(around))
    place[around] = np.arange(len(around))
    best = np.concatenate((best, np.zeros((len(best), 1), dtype=np.float32)), axis=1)
    # The last place is that of row -1, no neighbour, where nothing is close.
    here, before, after = place[rows], place[turns.before[rows]], place[turns.after[rows]]
    single = rare @ best
    window = rare @ np.maximum(best[:, here], BESIDE * np.maximum(best[:, before], best[:, after]))
    whole = rare.sum()
    # Only the candidates take part, which is where the best of a session are.
    session = _of_sessions(turns.session[around], single[:-1], len(turns.sessions))[turns.session[rows]]
    top = max(float(single.max(initial=0)), 1e-6)
    values = {
        "near": single[here] / top,
        "near_before": single[before] / top,
        "near_after": single[after] / top,
        "near_session": session / top,
        "near_around": _relative(window),
    }
    return values, single[here] / whole


def _nearest(turns: Turns, rows: Rows, question: Question, embedder: Embedder) -> Values:
    """For each piece of the question and each message the cosine of the nearest piece, 0 if none is close."""
    flat, starts = turns.pieces.of(rows)
    # By marks, not by sorting: there are some ten thousand pieces, of a small vocabulary.
    present = np.zeros(len(turns.frequency), dtype=np.bool_)
    present[flat] = True
    different, place = np.flatnonzero(present), (np.cumsum(present) - 1)[flat]
    cosines = embedder.closeness(question.pieces, different)
    cosines[cosines < CLOSE] = 0
    best = np.zeros((len(question.pieces), len(rows)), dtype=np.float32)
    full = starts[1:] > starts[:-1]
    if full.any():
        best[:, full] = np.maximum.reduceat(cosines[:, place], starts[:-1][full], axis=1)
    return best


def _shapes(
    turns: Turns, rows: Rows, question: Question, embedder: Embedder, values: dict[str, Values]
) -> dict[str, Values]:
    """Whether a message has the form of an answer: a time, a number, no question; or answers the message before it."""
    kinds = answers(embedder)
    flags = _flags(turns, rows, kinds)
    before = turns.before[rows]
    asked = (before >= 0) & (_flags(turns, np.maximum(before, 0), kinds) & _QUESTION > 0)
    count = turns.pieces.starts[rows + 1] - turns.pieces.starts[rows]
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


def _flags(turns: Turns, rows: Rows, kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    flat, starts = turns.pieces.of(rows)
    found = np.zeros(len(rows), dtype=np.uint8)
    full = starts[1:] > starts[:-1]
    if full.any():
        found[full] = np.bitwise_or.reduceat(kinds[flat], starts[:-1][full])
    return found
