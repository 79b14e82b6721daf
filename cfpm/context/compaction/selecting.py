"""Which groups of a history stay as they are in front and at the end. Writes no notes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from cfpm.context.compaction.types import Limits
from cfpm.context.history import Group, History, Kind


def front(history: History, limits: Limits, max_tokens: int) -> tuple[Group, ...]:
    """The first groups within `keep_first` messages and so many tokens, from a user's message on; never notes or broken
    groups.

    System messages all stay, and count for neither. Ends where the first group does not fit.
    """
    kept: list[Group] = [group for group in history.groups if group.kind is Kind.SYSTEM]
    room, places = max_tokens, limits.keep_first
    for group in takewhile(lambda g: g.kind not in (Kind.NOTE, Kind.BROKEN), _spoken(history)):
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
    room, places = max_tokens, limits.keep_last
    for group in reversed(_spoken(history)):
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


def middle(history: History, first: Sequence[Group], last: Sequence[Group]) -> tuple[Group, ...]:
    """All groups that are in neither part, prior notes included."""
    kept = set(map(id, (*first, *last)))
    return tuple(group for group in history.groups if id(group) not in kept)


def _spoken(history: History) -> list[Group]:
    return [group for group in history.groups if group.kind is not Kind.SYSTEM]
