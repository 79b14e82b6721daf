"""Divides a history into what stays in front, what is compacted and what stays at the end. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from cfpm.context.history import Group, History, Kind, spoken_tokens
from cfpm.context.strategies.types import Limits, Request


def front(history: History, limits: Limits, max_tokens: int) -> tuple[Group, ...]:
    """The first groups within `keep_first` messages and so many tokens, from a user's message on; never notes or broken
    groups.

    System messages all stay, and count for neither. Ends where the first group does not fit.
    """
    kept = list(history.system)
    room, places = max_tokens, limits.keep_first
    for group in takewhile(lambda g: g.kind not in (Kind.NOTE, Kind.BROKEN), history.spoken):
        begins = places == limits.keep_first
        if group.tokens > room or len(group.entries) > places or (begins and not group.opens):
            break
        kept.append(group)
        room -= group.tokens
        places -= len(group.entries)
    return tuple(kept)


def back(history: History, limits: Limits, max_tokens: int, behind: Sequence[Group] = ()) -> tuple[Group, ...]:
    """The last groups within `keep_last` messages and so many tokens, none of them in `behind`; notes and broken groups
    are left out. Ends before the first group, seen from the end, that does not fit."""
    taken = set(map(id, behind))
    kept: list[Group] = []
    room, places = max_tokens, last_messages(history, limits)
    for group in reversed(history.spoken):
        if group.kind is Kind.NOTE or id(group) in taken:
            break
        if group.kind is Kind.BROKEN:
            continue
        if group.tokens > room or len(group.entries) > places:
            break
        kept.append(group)
        room -= group.tokens
        places -= len(group.entries)
    return tuple(reversed(kept))


def last_messages(history: History, limits: Limits) -> int:
    """How many messages may stay at the end: those of the last `keep_turns` turns where the history has more turns,
    else `keep_last`."""
    if not limits.keep_turns:
        return limits.keep_last
    spoken = [group for group in history.spoken if group.kind not in (Kind.NOTE, Kind.BROKEN)]
    starts = turn_starts(spoken)
    if len(starts) > limits.keep_turns:
        return _messages(spoken[starts[-limits.keep_turns] :])
    # What an earlier compaction left are the turns that were to stay.
    compacted = any(group.kind is Kind.NOTE for group in history.groups)
    return max(limits.keep_last, _messages(spoken)) if compacted else limits.keep_last


def turn_starts(groups: Sequence[Group]) -> list[int]:
    """Where turns begin: with a user's message and, where nobody speaks in between, behind an agent's answer or where
    another agent takes over."""
    return [
        place
        for place, group in enumerate(groups)
        if place == 0
        or group.opens
        or (
            not groups[place - 1].opens
            and (groups[place - 1].kind is Kind.ASSISTANT or _takes_over(group, groups[place - 1]))
        )
    ]


def _takes_over(group: Group, before: Group) -> bool:
    name, last = group.entries[0].raw.get("name"), before.entries[0].raw.get("name")
    return isinstance(name, str) and isinstance(last, str) and name != last


def middle(history: History, first: Sequence[Group], last: Sequence[Group]) -> tuple[Group, ...]:
    """All groups that are in neither part, prior notes included."""
    kept = set(map(id, (*first, *last)))
    return tuple(group for group in history.groups if id(group) not in kept)


HEAD_SHARE = 0.12
TAIL_SHARE = 0.30
"""Shares of the budget for the first and the last messages, as in the reference."""

LAST_SHARE = 0.5
"""Share of the budget that the very last group may take when it is larger than the tail: without what happened last
the agent does not know where it stands."""

LEAST_MIDDLE = 120
"""Tokens of a middle that are worth a note: the frame of a checkpoint alone takes about 60."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A history in three parts; `room` is how many tokens are left for what is written in place of the middle."""

    first: tuple[Group, ...]
    middle: tuple[Group, ...]
    last: tuple[Group, ...]
    room: int


def divide(request: Request) -> Parts | None:
    """The parts of a history that is too long, or None when nothing in it is worth compacting: one within the budget is
    divided only when somebody asks for it (`Limits.asked`).

    Calls that still wait for their results stay, whatever their size: the host will append the results.
    """
    history, limits = request.history, request.limits
    if settled(history, limits):
        return None
    first = front(history, limits, int(limits.max_tokens * HEAD_SHARE))
    last = _end(history, limits, first)
    parts = _parts(history, limits, first, last)
    new = sum(group.tokens for group in parts.middle if group.kind is not Kind.NOTE)
    if history.tokens <= limits.max_tokens and new < LEAST_MIDDLE:
        return None
    return parts if parts.middle else None


def lengthened(request: Request, parts: Parts, written: int) -> Parts:
    """The same with a longer end, when what was written takes less than the room. `written` is in tokens."""
    history, limits = request.history, request.limits
    last = back(history, limits, parts.room - written + spoken_tokens(parts.last), parts.first)
    if len(last) <= len(parts.last):
        return parts
    longer = _parts(history, limits, parts.first, last)
    return longer if any(group.kind is not Kind.NOTE for group in longer.middle) else parts


def settled(history: History, limits: Limits) -> bool:
    """Whether nothing is to be done: the history is within the budget and nobody asked, or it is what a compaction with
    these limits leaves: notes in one place, and no more messages before and after them than may stay."""
    if history.tokens > limits.max_tokens:
        return False
    if not limits.asked:
        return True
    spoken = history.spoken
    kinds = [group.kind for group in spoken]
    if Kind.NOTE not in kinds or Kind.BROKEN in kinds:
        return False
    begin, end = kinds.index(Kind.NOTE), len(kinds) - kinds[::-1].index(Kind.NOTE)
    after = spoken[end:]
    return (
        all(kind is Kind.NOTE for kind in kinds[begin:end])
        and _messages(spoken[:begin]) <= limits.keep_first
        and (_messages(after) <= last_messages(history, limits) or len(after) == 1)
    )


def _end(history: History, limits: Limits, first: tuple[Group, ...]) -> tuple[Group, ...]:
    kept = back(history, limits, int(limits.max_tokens * TAIL_SHARE), first)
    if kept:
        return kept
    if not history.groups:
        return ()
    alone = replace(limits, keep_turns=0, keep_last=max(limits.keep_last, _messages(history.groups[-1:])))
    newest = back(history, alone, limits.max_tokens, first)[-1:]
    waits = bool(newest) and waiting(newest[-1])
    if not newest and waiting(history.groups[-1]) and history.groups[-1] not in first:
        return history.groups[-1:]
    return newest if waits or spoken_tokens(newest) <= limits.max_tokens * LAST_SHARE else ()


def waiting(group: Group) -> bool:
    """Whether a call of it has no result yet."""
    return group.kind is Kind.CALLS and not group.results.keys() >= group.calls.keys()


def _parts(history: History, limits: Limits, first: tuple[Group, ...], last: tuple[Group, ...]) -> Parts:
    return Parts(first, middle(history, first, last), last, limits.max_tokens - spoken_tokens((*first, *last)))


def _messages(groups: Sequence[Group]) -> int:
    return sum(len(group.entries) for group in groups)
