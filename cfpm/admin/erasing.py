"""What an erasure means beside the store: which texts elsewhere hold what goes, and what has had its time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cfpm.model.erasures import Selector
from cfpm.pruner.retention import lives_until
from cfpm.store.selection import folded, text_of, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfpm.model.erasures import ErasurePlan
    from cfpm.settings import Settings
    from cfpm.store.store import Store

_SHORTEST = 12
"""Characters of a message from which a text that holds all of it is taken for a copy."""


def expired(store: Store, namespace: str, settings: Settings, now: datetime) -> Iterator[Selector]:
    """What is to be erased because its time to live has ended: old messages of the namespace, facts of a category."""
    if (days := settings.keep_days_by_namespace.get(namespace)) is not None:
        yield Selector(until=now - timedelta(days=days), aged=True)
    if not settings.keep_days:
        return
    said = store.candidates.last_said(namespace)
    over = [
        fact.id
        for fact in store.facts.find(namespace)
        if fact.category in settings.keep_days
        and (end := lives_until(fact, settings, said.get(fact.id, fact.created_at))) is not None
        and end <= now
    ]
    if over:
        yield Selector(ids=tuple(over), aged=True)


def holds_any(plan: ErasurePlan, selector: Selector) -> Callable[[str], bool]:
    """Whether a text holds the words that were chosen, a whole message or fact that goes, a part of a long one that
    was cut, or a word that would stand nowhere else."""
    query = folded(selector.query)
    texts = [text for text in {folded(text_of(one)) for one in plan.messages} if len(text) >= _SHORTEST]
    texts += [text for text in {folded(one.content) for one in plan.facts} if len(text) >= _SHORTEST]
    said = [folded(one.message.text) for one in plan.messages]
    texts += [text for text in said if len(text) >= _SHORTEST]
    heads = [folded(one.message.text[:_HEAD]) for one in plan.messages if one.cut]

    def holds(text: str) -> bool:
        if selector.everything:
            return True
        if not plan.orphans.isdisjoint(tokens(text)):
            return True
        whole = folded(text)
        return bool(query and query in whole) or any(part in whole for part in (*texts, *heads))

    return holds


_HEAD = 1_000
"""Characters of a cut message that are looked for: less than the log keeps of its head."""
