"""Turns what a strategy proposes into the model's view and the whole log, and refuses what breaks the budget."""

from __future__ import annotations

from collections.abc import Iterable

from cfpm.context.compaction.types import Compaction, Draft, Outcome, Request, Strategy
from cfpm.context.history import Group, Kind, Raw
from cfpm.context.tokens import total_tokens
from cfpm.context.visibility import plain


def apply(name: str, strategy: Strategy, request: Request) -> Compaction:
    """Runs a strategy. The view that comes out is within the budget, smaller than before, and valid where it was; else
    it is the view that went in, with the reason."""
    history = request.history
    before = history.tokens
    length = sum(len(g.entries) for g in history.groups if g.kind is not Kind.SYSTEM)
    if length < request.limits.minimum and not request.limits.manual:
        return _unchanged(name, request, Outcome.NOTHING, f"{length} messages, fewer than {request.limits.minimum}")
    draft = strategy(request)
    if draft is None:
        return _unchanged(name, request, Outcome.NOTHING, "all that could be compacted already is")
    system = [group for group in draft.first if group.kind is Kind.SYSTEM]
    spoken = [group for group in draft.first if group.kind is not Kind.SYSTEM]
    view = [*_sent(system), *_sent(spoken), *draft.notes, *_sent(draft.last)]
    after = sum(g.tokens for g in (*spoken, *draft.last)) + total_tokens(draft.notes, history.count)
    if after > request.limits.max_tokens:
        problem = f"{after} tokens at least, and the budget is {request.limits.max_tokens}"
        return _unchanged(name, request, Outcome.CANNOT_FIT, problem)
    if after >= before:
        return _unchanged(name, request, Outcome.NOT_SMALLER, f"{before} tokens before, {after} after")
    kept = {entry.position for group in (*draft.first, *draft.last) for entry in group.entries}
    return Compaction(
        name,
        Outcome.FAILED if draft.failure else Outcome.COMPACTED,
        tuple(view),
        tuple(_log(request, draft, kept)),
        before,
        after,
        draft.checkpoint,
        draft.failure,
        sum(1 for entry in history.entries if entry.position not in kept),
    )


def _unchanged(name: str, request: Request, outcome: Outcome, problem: str) -> Compaction:
    history = request.history
    log = sorted([*history.entries, *history.hidden], key=lambda entry: entry.position)
    return Compaction(
        name,
        outcome,
        tuple(plain(entry.raw) for entry in history.entries),
        tuple(_flagged(entry.raw) for entry in log),
        history.tokens,
        history.tokens,
        problem=problem,
    )


def _log(request: Request, draft: Draft, kept: set[int]) -> Iterable[Raw]:
    """Everything in its order; what was written stands before the first message of the end."""
    history = request.history
    notes = [{**note, "user_visible": False, "agent_visible": True} for note in draft.notes]
    end = min((entry.position for group in draft.last for entry in group.entries), default=None)
    for entry in sorted([*history.entries, *history.hidden], key=lambda entry: entry.position):
        if entry.position == end:
            yield from notes
        yield _flagged(entry.raw, hidden=entry.position not in kept)
    if end is None:
        yield from notes


def _flagged(raw: Raw, *, hidden: bool = False) -> Raw:
    return {**raw, "user_visible": raw.get("user_visible", True), "agent_visible": not hidden and _seen(raw)}


def _seen(raw: Raw) -> bool:
    return raw.get("agent_visible") is not False


def _sent(groups: Iterable[Group]) -> list[Raw]:
    return [plain(entry.raw) for group in groups for entry in group.entries]
