"""Makes items of the messages and facts that were gathered for a query, in order. Writes no prompt: see `block`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.extractor.tool_orders import gives_orders
from cfpm.model import PATH_CATEGORIES, Category, Fact, LoggedMessage, Role, Status
from cfpm.recall.items import DIGITS, RecallItem
from cfpm.recall.passages import passage
from cfpm.recall.repeating import distinct, folded
from cfpm.recall.weights import load_weights
from cfpm.settings import DAY
from cfpm.text.canonical import same_speaker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from cfpm.recall.gathering import Source
    from cfpm.recall.items import Neighbour, Searchable
    from cfpm.recall.weights import Weights

SMALL = {"confidence": 0.004, "evidence": 0.002, "recency": 0.002, "pinned": 0.006}
"""Shares that order what words and meaning leave open; a score is at most about 1, and most differ by hundredths."""

ROLE_FACTOR = {Role.USER: 1.0, Role.ASSISTANT: 1.0, Role.TOOL: 0.7, Role.SYSTEM: 0.5}
"""What people say is wanted before what a tool printed; user and assistant are weighed by signals of their own."""

HALF_LIFE_DAYS = 180.0
"""Recency halves in this time before the newest item found; half a year, as for a verified action."""

UNDATED = 0.5
"""Recency of an item without a time: neither new nor old."""

POOL = 2
SPARE = 8
"""Messages that are looked at for one that is wanted, and some more, so that dropping duplicates leaves enough."""

TO_THE_POINT = 0.8
"""A fact that answers the question at least this well, compared with its whole message, stands for the message."""

MAX_FORGOTTEN = 500
"""Tombstones, newest first, whose words are kept out of passages."""


def rank(
    store: Searchable,
    namespaces: Sequence[str],
    query: str,
    k: int,
    now: datetime | None = None,
    weights: Mapping[str, Weights] | None = None,
    neighbours: Sequence[Neighbour] = (),
) -> list[RecallItem]:
    """The `k` best facts and passages. Without a word to search for: what stands, pinned facts and instructions.

    Only active facts are shown, and no passage that gives orders from a tool or holds what was forgotten; `now`
    replaces the newest item as the point that recency and "last week" count from. A message and what was learnt from it
    take one place; the other one comes behind if there is room. `neighbours` are what an index outside of the store
    found near the query.
    """
    return find(store, namespaces, query, k, now, weights, neighbours)[0]


def find(
    store: Searchable,
    namespaces: Sequence[str],
    query: str,
    k: int,
    now: datetime | None = None,
    weights: Mapping[str, Weights] | None = None,
    neighbours: Sequence[Neighbour] = (),
) -> tuple[list[RecallItem], float]:
    """The items of `rank`, and the greatest share of the query that any message or fact found holds, from 0 to 1."""
    if k <= 0 or not namespaces:
        return [], 0.0
    if not query.strip():
        return _without_query(store, namespaces, k), 1.0
    from cfpm.recall.gathering import gather  # numpy, which what only stores does not need

    sources = [
        source
        for namespace in dict.fromkeys(namespaces)
        for source in gather(store, namespace, query, k * POOL + SPARE, now, weights or load_weights())
    ]
    if neighbours:
        from cfpm.recall.neighbours import with_neighbours

        sources = with_neighbours(store, namespaces, sources, neighbours)
    sources.sort(key=lambda source: (-source.score, source.ident))
    newest = now or max((at for source in sources for at in source.times()), default=None)
    shown = _fit_to_show(store, namespaces, sources[: k * POOL + SPARE])
    fit = min(1.0, max((source.fit for source in shown), default=0.0))
    ranked = [_items(source, newest, query) for source in shown]
    firsts = (first for items in ranked if (first := next(items, None)))
    best = distinct(sorted(firsts, key=_order), k)
    if len(best) == k:
        return best, fit
    return distinct([*best, *sorted((item for items in ranked for item in items), key=_order)], k), fit


def _fit_to_show(store: Searchable, namespaces: Sequence[str], sources: Sequence[Source]) -> list[Source]:
    """Without messages that give orders or hold forgotten words; the facts learnt from them stay."""
    tombstones = store.facts(namespaces, status=Status.FORGOTTEN, limit=MAX_FORGOTTEN)
    # A path is part of many passages that have nothing to do with why it was forgotten.
    forgotten = [
        (_standing_alone(fact.content), fact.speaker) for fact in tombstones if fact.category not in PATH_CATEGORIES
    ]
    return [
        source if source.turn is None or _may_show(source.turn, forgotten) else replace(source, turn=None)
        for source in sources
    ]


def _may_show(turn: LoggedMessage, forgotten: Sequence[tuple[re.Pattern[str], str]]) -> bool:
    message = turn.message
    if message.role is Role.TOOL and gives_orders(message.text):
        return False
    said = folded(message.text) if forgotten else ""
    return not any(words.search(said) for words, name in forgotten if not _another(name, message.name))


def _another(forgotten: str, name: str) -> bool:
    """True when one person's words were forgotten and another says the same."""
    return bool(forgotten and name) and not same_speaker(forgotten, name)


def _standing_alone(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(folded(text))}(?!\w)")


def _items(source: Source, newest: datetime | None, query: str) -> Iterator[RecallItem]:
    """The message and its facts as items, first the one that says it best; the others are seldom asked for."""
    told = list(source.facts)
    if source.turn and told and told[0][2] >= TO_THE_POINT * source.own:
        yield _fact_item(told.pop(0)[0], source.shares, newest)
    if source.turn:
        yield _turn_item(source.turn, source.shares, newest, query)
    for fact, shares, _ in told:
        yield _fact_item(fact, shares, newest)


def _fact_item(fact: Fact, shares: Mapping[str, float], newest: datetime | None) -> RecallItem:
    evidence = max(1, fact.evidence_count)
    small = {
        "confidence": fact.confidence,
        "evidence": evidence / (evidence + 1),
        "recency": _recency(_fact_time(fact), newest),
        "pinned": 1.0 if fact.pinned else 0.0,
    }
    more = {name: share for name, value in small.items() if (share := round(SMALL[name] * value, DIGITS))}
    return as_item(fact, {**shares, **more})


def as_item(fact: Fact, shares: Mapping[str, float]) -> RecallItem:
    """The fact as an item with these shares of its score, which are rounded."""
    return RecallItem(
        kind="fact",
        id=fact.id,
        text=fact.attributed,
        score=round(sum(shares.values()), DIGITS),
        why=shares,
        session=fact.session,
        message_id=fact.message_id,
        created_at=fact.created_at,
        category=fact.category,
        role=fact.role,
        pinned=fact.pinned,
        event_time=fact.event_time,
        speaker=fact.speaker,
        contradicts=fact.contradicts,
    )


def _turn_item(turn: LoggedMessage, why: Mapping[str, float], newest: datetime | None, query: str) -> RecallItem:
    message = turn.message
    factor = ROLE_FACTOR[message.role]
    # Shares are rounded where they are made; most messages keep them.
    shares = dict(why) if factor == 1 else {name: round(share * factor, DIGITS) for name, share in why.items()}
    if recency := round(SMALL["recency"] * _recency(message.created_at, newest), DIGITS):
        shares["recency"] = recency
    return RecallItem(
        kind="turn",
        id=message.id,
        text=passage(message.text, query),
        score=round(sum(shares.values()), DIGITS),
        why=shares,
        session=turn.session,
        message_id=message.id,
        created_at=message.created_at,
        category=None,
        role=message.role,
        speaker=message.name,
    )


def _recency(at: datetime | None, newest: datetime | None) -> float:
    if at is None or newest is None:
        return UNDATED
    days = max(0.0, (newest - at).total_seconds() / DAY)
    return float(0.5 ** min(days / HALF_LIFE_DAYS, 1_000.0))


def _fact_time(fact: Fact) -> datetime | None:
    return fact.updated_at or fact.created_at


def _order(item: RecallItem) -> tuple[float, str, str]:
    return (-item.score, item.kind, item.id)


def _without_query(store: Searchable, namespaces: Sequence[str], k: int) -> list[RecallItem]:
    pinned = store.facts(namespaces, status=Status.ACTIVE, pinned=True, limit=k)
    rules = store.facts(namespaces, category=Category.INSTRUCTION, status=Status.ACTIVE, limit=k)
    items = [as_item(fact, {"pinned": 1.0}) for fact in pinned]
    shown = {item.id for item in items}
    items += [as_item(fact, {"standing": 0.5}) for fact in rules if fact.id not in shown]
    return sorted(items, key=_order)[:k]
