"""What a store holds of where a session stands, as items to put before the model again. Reads no message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.context.approvals import one_line
from cfpm.context.rehydration import Block, block, items, of_deeds
from cfpm.model.state import Approval, Held, Item

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cfpm.model import Fact
    from cfpm.recall.tokens import Count
    from cfpm.store.store import Store

DEFAULT_TOKENS = 2_000
"""Tokens of what is put before the model again, unless somebody says how many: a quarter of a view."""

_MAX_FIRST = 300
"""Characters of what a session was opened with, which is its goal where nothing else is."""


def stored_items(
    store: Store,
    namespace: str,
    session: str,
    facts: Sequence[Fact] = (),
    approvals: Collection[Approval] | None = None,
    *,
    opening: bool = True,
) -> tuple[Item, ...]:
    """What the store holds of a session, with what these facts add; with `approvals` these in place of its own.

    Where no goal is held, `opening` adds what the session was opened with. What was forgotten is not among it.
    """
    approvals = store.state.approvals(namespace, session) if approvals is None else approvals
    refused = {approval.message_id for approval in approvals if not approval.granted}
    deeds = store.deeds.of_session(namespace, session)
    named = store.log.ids(deed.result for deed in deeds if deed.result is not None) if refused else {}
    done = (deed for deed in deeds if named.get(deed.result or 0) not in refused)
    found = items(store.state.entries(namespace, session), approvals, facts=facts, others=of_deeds(done))
    if opening and not any(item.kind is Held.GOAL for item in found):
        first = store.log.first_said(namespace, session)
        found = (*found, Item(Held.GOAL, f"asked first: {one_line(first, _MAX_FIRST)}", "message")) if first else found
    if store.tombstones.exist():
        found = tuple(item for item in found if not store.tombstones.hides(namespace, item.text))
    return found


def reattach(store: Store, namespace: str, session: str, facts: Sequence[Fact], max_tokens: int, count: Count) -> Block:
    """All of it as a block for the model of at most so many tokens."""
    return block(stored_items(store, namespace, session, facts), max_tokens, count)
