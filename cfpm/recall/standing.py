"""Which facts stand in every block, whatever the query: pinned, instructions, preferences, profile, invalid paths."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cfpm.model import Category, Fact, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.recall.items import Searchable

QUOTAS = {Category.INSTRUCTION: 16, Category.PREFERENCE: 10, Category.PROFILE: 10, Category.INVALID_PATH: 8}
"""Facts of each kind that stand in a block. Instructions are the most costly to miss."""

PINNED = 24
"""Pinned facts in a block; somebody chose each by hand."""

_SECTIONS = {category: place for place, category in enumerate(QUOTAS, 1)}
_UNDATED = datetime.min.replace(tzinfo=UTC)


def standing_facts(store: Searchable, namespaces: Sequence[str]) -> list[Fact]:
    """The facts that stand, in the order of the block.

    The order of a kind is that of learning, so that a prompt cache holds: a new fact comes behind the old ones, and a
    reinforced one keeps its place.
    """
    chosen = {fact.id: fact for fact in store.facts(namespaces, status=Status.ACTIVE, pinned=True, limit=PINNED)}
    for category, quota in QUOTAS.items():
        for fact in store.facts(namespaces, category=category, status=Status.ACTIVE, limit=quota):
            chosen.setdefault(fact.id, fact)
    # The store answers newest first; undated facts have no other order than that in which they were learnt.
    oldest_first = list(reversed(chosen.values()))
    return sorted(oldest_first, key=_place)


def _place(fact: Fact) -> tuple[int, datetime, int, str]:
    section = _SECTIONS.get(fact.category, len(QUOTAS))
    if fact.pinned and fact.category is not Category.INVALID_PATH:
        section = 0
    if fact.created_at is None:
        return (section, _UNDATED, 0, "")
    return (section, fact.created_at, fact.span_start, fact.id)
