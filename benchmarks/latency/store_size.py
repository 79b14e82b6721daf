"""Measures what the same fresh turns cost in a small and in a large store."""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.latency.figures import Goal, Row, Timing, best, ratio, timed
from benchmarks.latency.generated_sessions import Writer, small_turns
from cfpm import Category, Fact, Memory, Settings
from cfpm.model import Action, FactChange
from cfpm.model.ids import fact_id
from cfpm.pruner.candidates import fact_keys
from cfpm.store.store import Store
from cfpm.text.canonical import canonical_key
from cfpm.text.quantities.slots import topic_and_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.latency.generated_sessions import Message

RATIO = Goal("at most", 1.5)
"""Cost of the turns in the large store over their cost in the small one."""

SMALL, LARGE = 1_000, 100_000
"""Facts."""

TURNS = 200
NAMESPACE = "project:shop"
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
BATCH = 1_000
"""Facts that are written together."""

MIX = {
    Category.NOTE: 18,
    Category.ARTIFACT: 18,
    Category.VERIFIED_ACTION: 18,
    Category.INVALID_PATH: 10,
    Category.DECISION: 8,
    Category.OPEN_ITEM: 7,
    Category.GOAL: 6,
    Category.EVENT: 5,
    Category.INSTRUCTION: 4,
    Category.PREFERENCE: 4,
    Category.PROFILE: 2,
}
"""Shares of a hundred: what real sessions leave behind, none above the capacity of a category."""

_PHRASES = {
    Category.GOAL: "asks",
    Category.INSTRUCTION: "rules",
    Category.PREFERENCE: "asides",
    Category.PROFILE: "asides",
    Category.OPEN_ITEM: "asks",
    Category.VERIFIED_ACTION: "closings",
}


def filling(runs: int) -> list[Row]:
    """The ratio, and the cost of a turn in each store."""
    turns = small_turns(12, TURNS)
    timings: dict[int, list[Timing]] = {SMALL: [], LARGE: []}
    with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder:
        filled = {count: _filled(Path(folder), count) for count in timings}
        for _ in range(runs):
            for count, taken in timings.items():
                taken.append(_timed_on_copy(filled[count], turns))
    small, large = (best(taken) for taken in timings.values())
    wall, cpu = ratio(*timings.values())
    note = f"the same {TURNS} turns, median of {runs} rounds"
    return [
        Row("store size", f"{LARGE:,} facts over {SMALL:,}", wall, "times", cpu, RATIO, note),
        *(
            Row("store size", f"a turn beside {count:,} facts", cost.wall / TURNS * 1e3, "ms", cost.cpu / TURNS * 1e3)
            for count, cost in ((SMALL, small), (LARGE, large))
        ),
    ]


def facts(count: int) -> Iterator[Fact]:
    """Different facts in the given mix, learnt one a minute; one of a topic at most, as the memory leaves them."""
    writer = Writer(11)
    topics = set[str]()
    order = [category for category, share in MIX.items() for _ in range(share)]
    writer.chance.shuffle(order)
    for number in range(count):
        category = order[number % len(order)]
        content = _content(writer, category, number)
        topic, value = topic_and_value(content)
        while topic in topics:
            content = _content(writer, category, number)
            topic, value = topic_and_value(content)
        if topic:
            topics.add(topic)
        key = canonical_key(category, content)
        at = START + timedelta(minutes=number)
        yield Fact(
            fact_id(NAMESPACE, category, key),
            NAMESPACE,
            category,
            key,
            content,
            confidence=0.5 + number % 50 / 100,
            evidence_count=1 + number % 3,
            created_at=at,
            updated_at=at,
            valid_from=at,
            stale_at=at + timedelta(days=365),
            session=f"session-{number // 40}",
            topic=topic,
            value=value,
        )


def _content(writer: Writer, category: Category, number: int) -> str:
    if category in (Category.ARTIFACT, Category.INVALID_PATH):
        return f"/srv/shop/{number % 211}/{number}/{writer.path()}"
    return f"{writer.phrase(_PHRASES.get(category, 'prose'))[:-1]}, see ticket {number}."


def _filled(folder: Path, count: int) -> Path:
    file = folder / f"{count}.db"
    with Store.open(f"sqlite:///{file}", Settings()) as store:
        waiting: list[FactChange] = []
        for fact in facts(count):
            waiting.append(FactChange(None, fact, Action.CREATE, "benchmark", fact.created_at))
            if len(waiting) == BATCH:
                store.fact_writer.apply(NAMESPACE, waiting, block_keys=fact_keys)
                waiting.clear()
        store.fact_writer.apply(NAMESPACE, waiting, block_keys=fact_keys)
    return file


def _timed_on_copy(filled: Path, turns: list[list[Message]]) -> Timing:
    copy = filled.with_name("copy.db")
    for ending in ("", "-head", "-key"):
        shutil.copy(f"{filled}{ending}", f"{copy}{ending}")
    # Else the turns wait for the copy on its way to the disk.
    os.sync()
    with Memory.open(f"sqlite:///{copy}", namespace=NAMESPACE) as memory:
        timing = timed(lambda: [memory.observe(turn, session="fresh") for turn in turns])
    for left in filled.parent.glob("copy.db*"):
        left.unlink()
    return timing
