"""The strategy `window`: the oldest exchanges leave, nothing is written.

Invariants:
- deterministic, no model;
- the view is a slice that ends where the history ends, before it the user's message to which the slice still belongs,
  before that all notes of earlier compactions;
- it opens with a user's message wherever the history has one, and at least one group stays;
- a history within the budget is left alone, or asked for keeps its last `keep_turns` turns; `keep_first` and
  `keep_last` say nothing here.
"""

from __future__ import annotations

from itertools import accumulate, dropwhile

from cfpm.context.history import Group, Kind
from cfpm.context.strategies.division import turn_starts
from cfpm.context.strategies.types import ProposedView, Request


def compact(request: Request) -> ProposedView | None:
    """The longest slice that fits; None when all of it does."""
    history, limits = request.history, request.limits
    budget = limits.max_tokens
    fits = history.tokens <= budget
    if fits and not limits.asked:
        return None
    notes = [group for group in history.groups if group.kind is Kind.NOTE]
    spoken = [group for group in history.spoken if group.kind not in (Kind.NOTE, Kind.BROKEN)]
    # A continuation without the checkpoint that it answers would open the view.
    pinned = tuple(dropwhile(lambda note: note.entries[0].raw.get("role") != "user", notes))
    if fits:
        starts = turn_starts(spoken)
        if not limits.keep_turns or len(starts) <= limits.keep_turns:
            return None
        budget = sum(group.tokens for group in (*pinned, *spoken[starts[-limits.keep_turns] :]))
    opening, start = _start(spoken, budget - sum(group.tokens for group in pinned))
    first = () if opening is None else (opening,)
    return ProposedView((*history.system, *pinned, *first), (), tuple(spoken[start:]))


def _start(spoken: list[Group], room: int) -> tuple[Group | None, int]:
    """Where the slice starts, and the user's message that opens the turn in whose midst that is."""
    behind = list(accumulate((group.tokens for group in reversed(spoken)), initial=0))[::-1]
    opening: Group | None = None
    best: tuple[Group | None, int] = (None, 0)
    for place, group in enumerate(spoken):
        if group.opens:
            opening = group
        before = None if group.opens else opening
        best = before, place
        if behind[place] + (before.tokens if before else 0) <= room:
            break
    return best
