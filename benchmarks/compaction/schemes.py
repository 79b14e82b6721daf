"""The ways to shorten a history that ours are held against. None is used outside this benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from benchmarks.compaction.extractive import cut_end, extract
from cfpm.context.history import Kind
from cfpm.context.strategies.division import back, front
from cfpm.context.strategies.types import Limits
from cfpm.context.tokens import PER_MESSAGE, message_tokens

if TYPE_CHECKING:
    from benchmarks.compaction.gold import Heard
    from benchmarks.compaction.names import Name
    from cfpm.context.history import Entry, Group, History, Raw
    from cfpm.context.strategies.types import Request

Scheme = Callable[["Request", Sequence["Heard"]], list["Raw"]]
"""Makes a view of a history without system messages, from what is known of each of its messages."""

_FADE = 0.98
"""What a use is worth for each message that came after it: the best of 0.95, 0.98, 0.99 and 1 on SpecStory at 1k."""


def tail(request: Request, heard: Sequence[Heard]) -> list[Raw]:
    """Plain tail truncation: the last messages, and of the first that does not fit the last lines."""
    return _last(list(request.history.entries), request)


def tail_without_results(request: Request, heard: Sequence[Heard]) -> list[Raw]:
    """The tail of what was said and called; no tool result is kept."""
    return _last([entry for entry in request.history.entries if not entry.results], request)


def _last(entries: Sequence[Entry], request: Request) -> list[Raw]:
    """A message that is cut is shown as text of its role, so that its tokens can be told."""
    room, count = request.limits.max_tokens, request.history.count
    kept: list[Raw] = []
    for entry in reversed(entries):
        if entry.tokens <= room:
            room -= entry.tokens
            kept.append(entry.raw)
            continue
        text = "\n".join(part.text for part in entry.parts)
        if end := cut_end(text, room - 2 * PER_MESSAGE, count):
            kept.append(_cut(entry, end))
        break
    return kept[::-1]


def _cut(entry: Entry, text: str) -> Raw:
    if not entry.results:
        return {"role": entry.raw.get("role", "user"), "content": text}
    results = [part.tool_result for part in entry.parts if part.tool_result]
    return {"role": "tool", "tool_call_id": results[0].call_id, "content": text}


def names_used(request: Request, heard: Sequence[Heard]) -> list[Raw]:
    """The names that the agent and the user used, by frequency and recency, and nothing else: for reference, since such
    a list tells nobody what the names are."""
    used = _weights(heard, used=True)
    return _listed(sorted(used, key=lambda name: (-used[name], name)), request)


def names_seen(request: Request, heard: Sequence[Heard]) -> list[Raw]:
    """The same, and behind them the names that only stood in tool results: what a list can hold at all."""
    used, seen = (_weights(heard, used=used) for used in (True, False))
    return _listed(sorted(seen, key=lambda name: (-used.get(name, 0.0), -seen[name], name)), request)


def _listed(names: Iterable[Name], request: Request) -> list[Raw]:
    room = request.limits.max_tokens - PER_MESSAGE
    chosen: list[str] = []
    for name in names:
        cost = request.history.count(name.text) + 1
        if cost > room:
            break
        room -= cost
        chosen.append(name.text)
    return [{"role": "user", "content": "\n".join(chosen)}]


def _weights(heard: Sequence[Heard], *, used: bool) -> dict[Name, float]:
    """A use weighs one, less for each message that came after it."""
    weights: dict[Name, float] = {}
    for age, one in enumerate(reversed(heard)):
        for name in one.used if used else one.names:
            weights[name] = weights.get(name, 0.0) + _FADE**age
    return weights


def groups_and_summary(request: Request, heard: Sequence[Heard]) -> list[Raw]:
    """A tail of whole groups, each a user's message with all up to the next, of a fifth of the budget and at least one;
    before it a summary of the rest. Where that one group is longer than the budget, the last groups of calls that fit
    four fifths of it."""
    history, budget = request.history, request.limits.max_tokens
    spoken = [group for group in history.groups if group.kind is not Kind.SYSTEM]
    start = len(spoken)
    taken = 0
    while start > 0 and taken < budget / 5:
        opening = next((n for n in range(start - 1, -1, -1) if spoken[n].opens), 0)
        size = sum(group.tokens for group in spoken[opening:start])
        if taken and taken + size > budget * 4 / 5:
            break
        taken += size
        start = opening
    last = spoken[start:]
    if taken > budget * 4 / 5:
        last = list(back(history, Limits(budget, keep_last=len(history.groups) * 9), budget * 4 // 5))
    return _summarised(request, [], last, "[Compacted context from previous session]")


def ends_and_summary(request: Request, heard: Sequence[Heard]) -> list[Raw]:
    """The first three messages within an eighth of the budget and the last ten within three tenths; between them a
    summary of the middle."""
    budget = request.limits.max_tokens
    limits = Limits(budget, keep_first=3, keep_last=10)
    first = front(request.history, limits, budget * 12 // 100)
    last = back(request.history, limits, budget * 30 // 100, first)
    return _summarised(request, list(first), list(last), "Summary of the conversation so far:")


def _summarised(request: Request, first: Sequence[Group], last: Sequence[Group], heading: str) -> list[Raw]:
    history = request.history
    kept = set(map(id, (*first, *last)))
    middle = [entry for group in history.groups if id(group) not in kept for entry in group.entries]
    room = request.limits.max_tokens - sum(group.tokens for group in (*first, *last)) - 2 * PER_MESSAGE
    text = extract(middle, room - history.count(heading) - 2, history.count)
    summary: Raw = {"role": "user", "content": f"{heading}\n{text}"}
    return [*_raws(first), summary, *_raws(last)]


def _raws(groups: Sequence[Group]) -> list[Raw]:
    return [entry.raw for group in groups for entry in group.entries]


SCHEMES: dict[str, tuple[Scheme, str]] = {
    "tail": (tail, "the last messages; of the first that does not fit, its last lines"),
    "tail-without-results": (tail_without_results, "the same without tool results"),
    "names-used": (names_used, "reference only: the names used, by frequency and recency, one a line"),
    "names-seen": (names_seen, "reference only: the same, and behind them the names that only stood in tool results"),
    "groups-and-summary": (
        groups_and_summary,
        "a fifth of the budget in whole user-led groups, and a summary before it",
    ),
    "ends-and-summary": (ends_and_summary, "keep first 3 and last 10, and a summary of the middle"),
}
"""By name, with what each stands for. Both summaries are extractive (SumBasic), where the schemes ask a model."""


def tokens_of(view: Sequence[Raw], history: History) -> int:
    """The size of a view."""
    return sum(message_tokens(raw, history.count) for raw in view)


def unfinished(entries: Sequence[Entry]) -> int:
    """How many messages at the end are results that still follow."""
    return len(list(takewhile(lambda entry: bool(entry.results), entries)))
