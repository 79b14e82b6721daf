"""What an erasure means beside the store: which texts elsewhere hold what goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.store.selection import folded, text_of, tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfpm.model.erasures import ErasurePlan, Selector

_SHORTEST = 12
"""Characters of a message from which a text that holds all of it is taken for a copy."""


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
