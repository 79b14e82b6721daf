"""All that is known of a kind, for a query that asks for it as a whole: the standing rules, what is still open, what is
known of the user or the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.model import Category, Role
from cfpm.recall.block import standing_facts
from cfpm.recall.items import RULES, RecallItem
from cfpm.recall.ranking import as_item
from cfpm.recall.recap import last_session, running_sessions
from cfpm.text.heads.recap import asks_for_sessions
from cfpm.text.heads.wholes import WHOLES, asks_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.model import Fact
    from cfpm.recall.brief.packing import BriefLine
    from cfpm.recall.running import InPrompt
    from cfpm.store.store import Store

ASKED = 500
"""Thousandths from which a query asks for a whole: of three authors, each by what is learnt of the others, 57 to 80 in
100 queries for rules, 60 to 74 for what is open and 55 to 85 for the user are above it, of others at most 3."""

LONGEST_QUERY = 240
"""Characters of what asks for nothing else."""

LOOKED_AT = 4_000
"""Tokens of the brief whose lines are told."""

SESSION_LINES = 2
"""Lines of the last session that stand with what is open."""

_SECTIONS = {"open": ("open",), "me": ("project", "decisions")}
"""The sections of the brief that tell it."""


def whole(store: Store, namespaces: Sequence[str], query: str, held: InPrompt) -> tuple[RecallItem, ...]:
    """What the query asks for, rules as they were learnt, else the worthiest first; nothing where it asks for something
    else, or for sessions."""
    if not namespaces or len(query) > LONGEST_QUERY:
        return ()
    shares = {name: asks_for(name, query) for name in WHOLES}
    likely = max(shares, key=shares.__getitem__)
    if shares[likely] < max(ASKED, asks_for_sessions(query)):
        return ()
    if likely == "rules":
        standing = [fact for fact in standing_facts(store, namespaces) if fact.category in RULES]
        return tuple(_as_item(fact) for fact in standing if fact.id not in held.ids and held.admits(fact.agent))
    from cfpm.recall.brief import brief  # hardly a query asks so

    running = next(iter(running_sessions(store, namespaces[0], held)), "")
    told = brief(store, namespaces, max_tokens=LOOKED_AT, exclude=held.ids, running=running, agent=held.agent).lines
    lines = [line for line in told if line.section in _SECTIONS[likely]]
    facts = store.facts.by_id(namespaces, [line.id for line in lines])
    if likely == "me":
        lines.sort(key=lambda line: _place(facts.get(line.id)))
    items = [_as_item(fact) if (fact := facts.get(line.id)) else _line(line) for line in lines]
    if likely == "open":
        items += last_session(store, namespaces, held)[:SESSION_LINES]
    return tuple(items)


def _place(fact: Fact | None) -> int:
    """What somebody says of themselves comes before what else is known."""
    return 0 if fact is not None and fact.category is Category.PROFILE else 1


def _as_item(fact: Fact) -> RecallItem:
    return as_item(fact, {"whole": 1.0})


def _line(line: BriefLine) -> RecallItem:
    """What an agent reported, by its message."""
    return RecallItem(
        kind="turn",
        id=line.id,
        text=line.text.rpartition(" (")[0],
        score=1.0,
        why={"whole": 1.0},
        session="",
        message_id=line.id,
        created_at=None,
        category=None,
        role=Role.ASSISTANT,
    )
