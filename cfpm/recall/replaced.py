"""What may still hold of a fact when another took its place: a block shows it behind the newer one.

"Reports may have three pages" takes the place of "Reports in French, signed by both of us, two pages at most", and says
nothing of who signs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.recall.items import RULES
from cfpm.recall.ranking import as_item
from cfpm.recall.running import folded
from cfpm.store.search import content_words
from cfpm.text.changes import excepts
from cfpm.text.parts import parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from cfpm.model import Fact
    from cfpm.recall.items import RecallItem
    from cfpm.store.store import Store

_ASKED = lazy_pattern(r".*[?？]\s*")
"""A question before its answer, which the newer statement need not repeat."""
_LEAST = 2
"""Words that say something which a clause must have."""


def replaced(
    store: Store, namespaces: Sequence[str], facts: Iterable[Fact | RecallItem], admits: Callable[[Fact], bool]
) -> dict[str, RecallItem]:
    """By the ids of facts, what each took the place of, where a part of that may still hold."""
    newer = {one.id: one.content for one in facts}
    if not newer or not namespaces:
        return {}
    shown = [folded(text) for text in newer.values()]
    return {
        ident: as_item(fact, {})
        for ident, fact in store.facts.replaced(namespaces, newer).items()
        if admits(fact) and holds_more(fact.content, newer[ident]) and not _stands(fact.content, shown)
    }


def outdone(standing: Sequence[Fact]) -> tuple[list[Fact], dict[str, RecallItem]]:
    """What stands, without the rules of which a later one changes a part though both stand; and these by the later
    one's id: a block shows them behind that. What an exception limits stands by itself."""
    rules = {fact.id: fact for fact in standing if fact.category in RULES and fact.created_at}
    pairs = ((rules[name], older) for older in rules.values() for name in older.contradicts.split() if name in rules)
    behind = {
        newer.id: older
        for newer, older in pairs
        if not older.pinned and _is_later(newer, older) and not excepts(newer.content)
    }
    gone = {fact.id for fact in behind.values()}
    left = [fact for fact in standing if fact.id not in gone]
    return left, {name: as_item(fact, {}) for name, fact in behind.items()}


def _is_later(one: Fact, other: Fact) -> bool:
    return one.created_at is not None and other.created_at is not None and one.created_at > other.created_at


def _stands(older: str, facts: Sequence[str]) -> bool:
    """Whether what is left of it became a fact of its own."""
    whole = folded(older)
    return any(fact in whole for fact in facts if fact)


def holds_more(older: str, newer: str) -> bool:
    """Whether a clause of a statement of several shares no word with what took its place."""
    known = {*content_words(newer)}
    said = _ASKED.sub("", older, count=1) or older
    clauses = [{*content_words(said[start:end])} for start, end in parts(said)]
    return len(clauses) > 1 and any(len(words) >= _LEAST and known.isdisjoint(words) for words in clauses)
