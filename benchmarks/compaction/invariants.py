"""Whether every strategy keeps its word on every real session: what the property tests hold over generated ones."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.compaction.provider_rules import refused
from benchmarks.compaction.runs import ours
from cfpm.context.compaction.types import Limits, Request
from cfpm.context.compaction.viewing import apply
from cfpm.context.history import read_history
from cfpm.recall.tokens import estimated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.compaction.sessions import Session
    from cfpm.context.compaction.types import Compaction
    from cfpm.context.history import Raw

BUDGETS = (500, 2_000, 8_000)
"""Tokens of a view; the first is too small for some sessions, which must then be left as they are."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One strategy on one session and budget. `broken` names what did not hold, of which session."""

    strategy: str
    outcome: str
    broken: tuple[str, ...]


def invariants(sessions: Iterable[Session], names: Sequence[str], jobs: int) -> list[str]:
    """A table of how often each strategy changed a view, and all that did not hold."""
    known = [name for name in names if ours(name) is not None]
    counts: Counter[tuple[str, str]] = Counter()
    broken: list[str] = []
    for checked in _all(sessions, known, jobs):
        counts[checked.strategy, checked.outcome] += 1
        broken += checked.broken
    lines = ["Every view is held to the providers' types and rules of order, its budget, the input, and a second run."]
    for name in known:
        total = sum(count for (strategy, _), count in counts.items() if strategy == name)
        each = ", ".join(f"{outcome} {n}" for (strategy, outcome), n in sorted(counts.items()) if strategy == name)
        lines.append(f"{name:<10} {total} views: {each}")
    return [*lines, f"broken: {len(broken)}", *broken]


def _all(sessions: Iterable[Session], names: Sequence[str], jobs: int) -> Iterator[Checked]:
    check = partial(_session, tuple(names))
    if jobs == 1:
        for session in sessions:
            yield from check(session)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(check, sessions):
            yield from found


def _session(names: Sequence[str], session: Session) -> list[Checked]:
    before = _bytes(session.messages)
    found = []
    for name in names:
        for budget in BUDGETS:
            done = _compacted(name, session.messages, budget)
            broken = [*_problems(done, session.messages, budget), *_again(name, done, session.messages, budget)]
            if _bytes(session.messages) != before:
                broken.append("the input was changed")
            where = f"{name} at {budget} on {session.set}/{session.name}"
            found.append(Checked(name, done.outcome.value, tuple(f"{where}: {problem}" for problem in broken)))
    return found


def _compacted(name: str, messages: Sequence[Raw], budget: int) -> Compaction:
    strategy = ours(name)
    if strategy is None:
        raise LookupError(name)
    return apply(name, strategy, Request(read_history(messages, estimated), Limits(budget, manual=True)))


def _problems(done: Compaction, messages: Sequence[Raw], budget: int) -> Iterator[str]:
    if not done.changed:
        if list(done.messages) != list(messages):
            yield f"{done.outcome.value}, and yet another view"
        return
    yield from refused(done.messages)
    size = read_history(done.messages, estimated).tokens
    if size != done.after_tokens or size > budget:
        yield f"{size} tokens, said to be {done.after_tokens}"
    if size >= done.before_tokens:
        yield f"not smaller: {done.before_tokens} before, {size} after"


def _again(name: str, done: Compaction, messages: Sequence[Raw], budget: int) -> Iterator[str]:
    if _compacted(name, messages, budget) != done:
        yield "another view the second time"
    if _compacted(name, done.messages, budget).messages != done.messages:
        yield "the view is compacted further"


def _bytes(messages: Sequence[Raw]) -> str:
    return json.dumps(list(messages), ensure_ascii=False, default=str)
