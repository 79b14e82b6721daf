"""Runs strategies over the cuts of sessions, one session a process, and adds up what came out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from benchmarks.compaction.gold import Gold, gold, hear
from benchmarks.compaction.schemes import SCHEMES, tokens_of, unfinished
from benchmarks.compaction.scoring import Original, Score, score
from benchmarks.compaction.stored_facts import facts_at
from cfpm.context.history import read_history
from cfpm.context.strategies.registry import NAMES
from cfpm.context.strategies.types import Limits, Outcome, Request, Strategy
from cfpm.context.views import apply
from cfpm.recall.tokens import ESTIMATE, counter

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.compaction.gold import Heard
    from benchmarks.compaction.sessions import Session
    from cfpm.context.history import Entry, Raw
    from cfpm.recall.tokens import Count

SHARES = (30, 50, 70)
"""Where a session is cut, in per cent of its messages."""
BUDGETS = (1_000, 2_000, 4_000, 8_000)
"""Tokens of the view."""
OURS = tuple(sorted(NAMES))

QUARTER = "chars/4"
"""The count of tokens by which many hosts estimate: a quarter of the characters."""


@cache
def count_of(name: str) -> Count:
    """A count by name: `chars/4`, or one of the package's own; what was counted is remembered."""
    counting: Count = (lambda text: -(-len(text) // 4)) if name == QUARTER else counter(name)
    return lru_cache(maxsize=1 << 16)(counting)


@dataclass(frozen=True, slots=True)
class Case:
    """One strategy on one session, cut and budget. `problem` says why there is no view, or is empty."""

    set: str
    session: str
    share: int
    budget: int
    strategy: str
    score: Score
    before_tokens: int
    after_tokens: int
    seconds: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """A cut that could not be measured: `why` is `within the budget` or `nothing used again`."""

    set: str
    session: str
    share: int
    budget: int
    why: str


@cache
def ours(name: str) -> Strategy | None:
    """A strategy of the package by its own name, or None when it has none of that name."""
    if name not in OURS:
        return None
    try:
        registry = import_module("cfpm.context.strategies.registry")
    except ModuleNotFoundError:
        return _own_module(name)
    _, found = registry.named(name)
    return cast("Strategy", found)


def _own_module(name: str) -> Strategy | None:
    try:
        module = import_module(f"cfpm.context.strategies.{name}")
    except ModuleNotFoundError:
        return None
    return cast("Strategy", module.compact)


def strategies() -> list[str]:
    """All that can be measured here: ours first."""
    return [*(name for name in OURS if ours(name)), *SCHEMES]


def run(
    found: Iterable[Session], names: Sequence[str], *, jobs: int = 1, facts: Path | None = None, tokens: str = ESTIMATE
) -> Iterator[Case | Left]:
    """All cases, session by session in their order; `facts` is the folder in which a memory's facts are kept."""
    work = partial(measure, names=tuple(names), kept=facts, tokens=tokens)
    if jobs <= 1:
        for session in found:
            yield from work(session)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for cases in pool.map(work, found):
            yield from cases


def measure(session: Session, names: Sequence[str], kept: Path | None, tokens: str) -> list[Case | Left]:
    """All cuts of one session."""
    count = count_of(tokens)
    whole = list(read_history(session.messages, count).entries)
    heard = [hear(entry) for entry in whole]
    cuts = {share: _cut(whole, share) for share in SHARES}
    out: list[Case | Left] = []
    facts = facts_at(session, sorted(set(cuts.values())), kept) if any(map(ours, names)) else {}
    for share, cut in cuts.items():
        history = read_history(session.messages[:cut], count)
        wanted = gold(heard, cut)
        original = Original.of(history.entries)
        for budget in BUDGETS:
            why = "within the budget" if history.tokens <= budget else "" if wanted.reused else "nothing used again"
            if why:
                out.append(Left(session.set, session.name, share, budget, why))
                continue
            request = Request(history, Limits(budget, manual=True), facts.get(cut, ()))
            for name in names:
                case = one(name, request, heard[:cut], wanted, original)
                out.append(replace(case, set=session.set, session=session.name, share=share))
    return out


def _cut(whole: Sequence[Entry], share: int) -> int:
    """So many per cent of the messages, and the results that still follow."""
    at = len(whole) * share // 100
    return at + unfinished(whole[at:])


def one(name: str, request: Request, heard: Sequence[Heard], wanted: Gold, original: Original) -> Case:
    """One strategy on one history."""
    started = time.perf_counter()
    view, problem = view_of(name, request, heard)
    seconds = time.perf_counter() - started
    size = tokens_of(view, request.history) if view is not None else 0
    if size > request.limits.max_tokens:
        view, problem = None, f"{size} tokens for a budget of {request.limits.max_tokens}"
    entries = list(read_history(view, request.history.count).entries) if view is not None else None
    found = score(entries, wanted, original)
    return Case("", "", 0, request.limits.max_tokens, name, found, request.history.tokens, size, seconds, problem)


def view_of(name: str, request: Request, heard: Sequence[Heard]) -> tuple[Sequence[Raw] | None, str]:
    """What the model would see, or None and why the strategy gave no shorter view."""
    if strategy := ours(name):
        compaction = apply(name, strategy, request)
        if compaction.outcome is not Outcome.COMPACTED:
            return None, f"{compaction.outcome.value}: {compaction.problem}"
        return compaction.messages, ""
    scheme, _ = SCHEMES[name]
    return scheme(request, heard), ""
