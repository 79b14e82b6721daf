"""Leaves out what says nothing new: items alike, and messages that facts among them tell as well. Orders nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.model import Category
    from cfpm.recall.items import RecallItem

ALIKE = 0.9
"""Share of words in common from which one of two items says nothing new; every number and negation is a word."""

SHOWN_SHARE = 0.8
"""A turn of which the facts in the list say at least this share adds nothing and is dropped."""

_DENIALS = frozenset({"not", "no", "never", "without", "不", "没"})


def distinct(items: Sequence[RecallItem], k: int) -> list[RecallItem]:
    """The first `k` that say something new: not what stands above, and no message that facts among them say as well."""
    facts = [folded(item.content) for item in items[: 2 * k] if item.kind == "fact"]
    kept: list[RecallItem] = []
    seen: list[tuple[str, Category | None, frozenset[str]]] = []
    for item in items:
        words = frozenset(folded(item.text).split())
        again = any(
            item.kind == kind and item.category == category and _alike(words, other) for kind, category, other in seen
        )
        if not again and not (item.kind == "turn" and already_told(item.text, facts)):
            seen.append((item.kind, item.category, words))
            kept.append(item)
            if len(kept) == k:
                break
    return kept


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    # Counted before the words are named: most items are about something else.
    shared = len(one & other)
    every = len(one) + len(other) - shared
    if every - shared > (1 - ALIKE) * every:
        return False
    return not any(word in _DENIALS or any(map(str.isdigit, word)) for word in one ^ other)


def already_told(text: str, facts: Iterable[str]) -> bool:
    """True when these facts, which are `folded`, say nearly all of the text, word for word."""
    whole = folded(text)
    told = {fact for fact in facts if fact and fact in whole}
    return sum(map(len, told)) >= SHOWN_SHARE * len(whole)


def folded(text: str) -> str:
    """The text in small letters, with single spaces, without what stands at its edges."""
    return " ".join(text.casefold().split()).strip(" .!?。！？")
