"""The ways to find messages for a question: recall by the front door, and the plain searches it is held against."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cfpm.recall import load_weights, rank

if TYPE_CHECKING:
    from cfpm import Memory

DEPTH = 50
"""Messages that are asked of each search before fusion."""

RANK_CONSTANT = 60
"""Of reciprocal rank fusion, as its authors chose it."""

Method = Callable[["Memory", str, int], list[str]]
"""The ids of the messages that the best `k` items come from, best first; an item takes a place even if it repeats."""


def recalled(memory: Memory, query: str, k: int) -> list[str]:
    """What a host gets: the items of `Memory.recall`."""
    return [item.message_id for item in memory.recall(query, k=k).items]


def words(memory: Memory, query: str, k: int) -> list[str]:
    """BM25 over the log alone."""
    return [found.message.id for found, _ in memory.store.search.messages([memory.scope.namespace], query, k)]


def dense(memory: Memory, query: str, k: int) -> list[str]:
    """Cosine of the default embedder alone."""
    turns, _ = memory.store.namespace_index.load(memory.scope.namespace)
    embedder = memory.store.vectors.embedder
    if embedder is None:
        return []
    scores = turns.vectors @ embedder.embed([query])[0]
    seqs = turns.seq[np.argsort(-scores, kind="stable")[:k]].tolist()
    found = memory.store.log.by_seq(seqs)
    return [found[seq].message.id for seq in seqs]


def fused(memory: Memory, query: str, k: int) -> list[str]:
    """Reciprocal ranks of both, summed."""
    scores: dict[str, float] = {}
    for search in (words, dense):
        for place, ident in enumerate(search(memory, query, DEPTH), 1):
            scores[ident] = scores.get(ident, 0.0) + 1 / (RANK_CONSTANT + place)
    return sorted(scores, key=lambda ident: (-scores[ident], ident))[:k]


def without(*signals: str) -> Method:
    """Recall with some signals left out. A name with a star at its end leaves out all that begin so."""

    def search(memory: Memory, query: str, k: int) -> list[str]:
        weights = {
            name: table.without([known for known in table.by_name if any(_names(signal, known) for signal in signals)])
            for name, table in load_weights().items()
        }
        found = rank(memory.store, [memory.scope.namespace], query, k, weights=weights)
        return [item.message_id for item in found]

    return search


def _names(signal: str, known: str) -> bool:
    return known.startswith(signal[:-1]) if signal.endswith("*") else known == signal


BASELINES: dict[str, Method] = {"BM25": words, "dense (static)": dense, "RRF of both": fused}

ABLATIONS: dict[str, Method] = {
    "without meaning": without("meaning*", "fact_meaning", "reply_meaning", "user_meaning"),
    "without near words": without("near*", "reply_near", "user_near"),
    "without any vector": without(
        "meaning*", "fact_meaning", "reply_meaning", "user_meaning", "near*", "reply_near", "user_near",
        "instruction_meaning", "preference_meaning",
    ),
    "without neighbours": without(
        "words_before", "words_after", "meaning_before", "meaning_after", "near_before", "near_after", "near_around",
        "near_wide", "meaning_around", "reply*",
    ),
    "without wider surroundings": without("near_wide", "meaning_around"),
    "without sessions": without("words_session", "meaning_session", "near_session"),
    "without replies": without("reply*"),
    "without facts": without("fact*", "event_time"),
    "without speaker": without("speaker"),
    "without time": without("time", "time_near", "event_time", "tells_time"),
    "without forms of answers": without("asking", "tells_time", "tells_number", "length"),
    "without what is told": without("fresh", "telling"),
    "without standing kinds": without("instruction*", "preference*"),
    "without asking back": without(
        "instruction_asked_back", "instruction_meaning_asked_back", "preference_asked_back",
        "preference_meaning_asked_back",
    ),
    "without user or assistant": without("user*", "assistant*"),
}  # fmt: skip
