"""What speaks for each message as an answer to a question: numbers up to 1 by name. Weighs nothing: see `weights`.

First cheap signals over all messages (`candidates`), then closer ones over the few hundred that may be answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cfpm.model import Category, Role
from cfpm.recall.candidates import FACTS, SPEAKER, as_shares, best_of_facts, candidates, coarse_scores
from cfpm.recall.late_interaction import close_signals
from cfpm.recall.priors import fresh, telling
from cfpm.recall.subject import apart
from cfpm.store.namespace_arrays import CATEGORIES, ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.embedding import Embedder
    from cfpm.recall.candidates import CoarseScores, Rows, Values
    from cfpm.recall.question import Question
    from cfpm.store.namespace_arrays import FactArrays, TurnArrays
    from cfpm.store.store import Store

LATER = 10 * 86_400.0
"""Seconds after a time in which people still tell of it."""

GAP = 30 * 86_400.0
"""Seconds from a time in which what was said loses most of its nearness to it: people tell of months by months."""

_USER, _ASSISTANT = ROLES.index(Role.USER), ROLES.index(Role.ASSISTANT)
_STANDING = {name: CATEGORIES.index(name) for name in (Category.INSTRUCTION, Category.PREFERENCE)}
_ROUGH = {
    "fact_words": FACTS,
    "fact_meaning": FACTS,
    "speaker": SPEAKER,
    "time": 1.0,
    "instruction_meaning": FACTS,
    "preference_meaning": FACTS,
}
"""What speaks for a candidate beside words and meaning of messages."""


@dataclass(frozen=True, slots=True)
class Signals:
    """`values` has an array for each signal, in the order of `rows`, which are rows of the arrays.

    `fits` is how much of the question's words each message holds in words or in meaning, by itself. `facts` has the
    signals of each fact by itself, as if it were a message.
    """

    rows: Rows
    values: dict[str, Values]
    fits: Values
    facts: dict[str, Values]
    chat: bool


def is_chat(turns: TurnArrays) -> bool:
    """True when people with names talk to each other; then nobody is instructed, and speakers matter."""
    return 2 * turns.named > len(turns)


def turn_signals(
    store: Store,
    turns: TurnArrays,
    facts: FactArrays,
    question: Question,
    embedder: Embedder | None,
    nearest: Sequence[int] = (),
) -> Signals:
    """The signals of the messages that may be answers, among them those in the `nearest` rows."""
    chat = is_chat(turns)
    coarse = coarse_scores(store, turns, facts, question)
    context = _context(turns, facts, question, coarse, chat=chat)
    counted = [(weight, known) for name, weight in _ROUGH.items() if (known := context[name]) is not None]
    rows = candidates(turns, coarse, counted)
    if nearest:
        rows = np.array(sorted({*rows.tolist(), *nearest}), dtype=np.int64)
    nothing = np.zeros(len(rows), dtype=np.float32)
    values = coarse.of(turns, rows)
    # Measured: people among themselves are asked about best by the whole of a question, an agent by its subject.
    if (vector := question.vector if chat else question.subject) is not None:
        values["meaning"] = as_shares(apart(turns, rows, vector))
    values |= {name: nothing if value is None else value[rows] for name, value in context.items()}
    values |= _roles(turns.role[rows], question, chat=chat)
    fits = nothing
    if embedder is not None and question.pieces:
        close, fits = close_signals(turns, rows, question, embedder, values, chat=chat)
        values |= close
    values["fresh"] = fresh(turns, rows)
    values["telling"] = nothing if embedder is None else telling(turns, rows, embedder, chat=chat)
    return Signals(rows, values, fits, {"words": coarse.fact_words, "meaning": coarse.fact_meaning}, chat)


def _context(
    turns: TurnArrays, facts: FactArrays, question: Question, coarse: CoarseScores, *, chat: bool
) -> dict[str, Values | None]:
    """What was learnt from each message, who spoke and when, and what stands whatever is asked; None for nothing."""
    found: dict[str, Values | None] = {
        "fact_words": best_of_facts(turns, facts, coarse.fact_words),
        "fact_meaning": best_of_facts(turns, facts, coarse.fact_meaning),
        "speaker": None,
    }
    if len(question.speakers) == 1:
        found["speaker"] = (turns.speaker == question.speakers[0]).astype(np.float32)
    found["time"], near, found["event_time"] = _times(turns, facts, question)
    if chat:
        found["time_near"] = near
    # Rules are for what is to be done now; asked what was said, or for a summary of it, they answer little.
    asked_back = not question.asks.isdisjoint({"past", "summary"})
    for category, number in _STANDING.items():
        chosen = facts.active & (facts.category == number) & (not chat)
        close = as_shares(np.where(chosen, coarse.fact_closeness, np.float32(0)))
        found[f"{category}"] = best_of_facts(turns, facts, chosen.astype(np.float32))
        found[f"{category}_meaning"] = best_of_facts(turns, facts, close)
        for name in (f"{category}", f"{category}_meaning"):
            found[f"{name}_asked_back"] = found[name] if asked_back else None
    return found


def _roles(roles: Rows, question: Question, *, chat: bool) -> dict[str, Values]:
    """Who of user and assistant speaks. Asked for advice that was given, or for a summary, the assistant counts."""
    told = not question.asks.isdisjoint({"advice", "summary"})
    return {
        "user": ((roles == _USER) * (not chat and not told)).astype(np.float32),
        "assistant": ((roles == _ASSISTANT) * told).astype(np.float32),
    }


def _times(
    turns: TurnArrays, facts: FactArrays, question: Question
) -> tuple[Values | None, Values | None, Values | None]:
    """1 for what was said in a time that the question names, less for soon after; how near to one it was said; and 1

    for facts whose own time it is.
    """
    if not question.times:
        return None, None, None
    said = np.zeros(len(turns), dtype=np.float32)
    gap = np.full(len(turns), np.inf)
    event = np.zeros(len(facts), dtype=np.float32)
    for begins, ends in question.times:
        said[(turns.at >= begins) & (turns.at < ends)] = 1
        soon = (turns.at >= ends) & (turns.at < ends + LATER)
        said[soon] = np.maximum(said[soon], 0.6)
        np.fmin(gap, np.maximum(begins - turns.at, turns.at - ends), out=gap)
        event[facts.active & (facts.event >= begins) & (facts.event < ends)] = 1
    return said, np.exp(-gap.clip(0) / GAP).astype(np.float32), best_of_facts(turns, facts, event)
