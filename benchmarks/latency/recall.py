"""Measures recall and indexing with many messages in one memory. The words follow Zipf's law; no data is needed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.latency.figures import Goal, Row
from benchmarks.latency.temporary_memory import fresh_memory
from cfpm.embedding import static_embedder
from cfpm.model import LoggedMessage, Message, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cfpm import Memory

GOALS = {6_000: 4.0, 100_000: 15.0, 1_000_000: 120.0}
"""Milliseconds for the median of a recall, by messages in the memory."""

INDEXING = Goal("below", 1.0)
"""Milliseconds for storing and indexing a message of twenty words."""

QUESTIONS = 200
"""About a second's work: of forty, the median was that of a moment."""
WORDS = 20
SESSION = 40
AT_ONCE = 1_000
FIRST, LAST = 1_996, 29_000
"""The part of the vocabulary that has words, about in the order of their frequency."""

STOPS = 30
"""Of the commonest words a text of words alone has none: a question's stop words are not searched."""


def recalling(sizes: Sequence[int] = tuple(GOALS)) -> list[Row]:
    """Rows for each size: the median recall, the first one of a process, and what storing cost a message."""
    return [row for size in sizes for row in _rows(size)]


def _rows(size: int) -> list[Row]:
    write = _writer()
    with fresh_memory() as memory:
        stored = _fill(memory, size, write)
        begun = perf_counter()
        memory.recall(write(WORDS), k=8)
        first = perf_counter() - begun
        wall, cpu = [], []
        for _ in range(QUESTIONS):
            question = write(8)
            begun, worked = perf_counter(), process_time()
            memory.recall(question, k=8)
            wall.append(perf_counter() - begun)
            cpu.append(process_time() - worked)
    note = f"{size:,} messages of {WORDS} words, questions of 8, k=8, median of {QUESTIONS}"
    goal = Goal("at most", GOALS[size])
    return [
        Row("recall", f"recall, {size:,}", 1e3 * float(np.median(wall)), "ms", 1e3 * float(np.median(cpu)), goal, note),
        Row("recall", f"first recall, {size:,}", 1e3 * first, "ms", note="reads all vectors of the namespace"),
        Row(
            "recall", f"storing a message, {size:,}", 1e3 * stored / size, "ms", goal=INDEXING, note="log, text, vector"
        ),
    ]


def _fill(memory: Memory, size: int, write: Callable[[int], str]) -> float:
    begins, spent = datetime(2025, 1, 1, tzinfo=UTC), 0.0
    for first in range(0, size, AT_ONCE):
        rows = [
            LoggedMessage(
                memory.scope.namespace,
                f"s{number // SESSION}",
                number % SESSION,
                0,
                Message(
                    Role.ASSISTANT if number % 2 else Role.USER,
                    write(WORDS),
                    f"m{number}",
                    begins + timedelta(minutes=number),
                ),
            )
            for number in range(first, min(first + AT_ONCE, size))
        ]
        begun = perf_counter()
        memory.store.append_messages(rows)
        spent += perf_counter() - begun
    return spent


def _writer() -> Callable[[int], str]:
    embedder = static_embedder()
    spelled = [word for word in map(embedder.spelled, range(FIRST, LAST)) if word.isalpha()]
    shares = 1 / np.arange(STOPS, len(spelled) + STOPS)
    sums = np.cumsum(shares / shares.sum())
    chance = np.random.default_rng(1)

    def write(count: int) -> str:
        places = np.searchsorted(sums, chance.random(count)).clip(max=len(spelled) - 1)
        return " ".join(spelled[place] for place in places)

    return write
