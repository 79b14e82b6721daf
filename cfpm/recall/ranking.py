"""Ranks facts and passages of the log for a query. Lexical and deterministic; writes no prompt: see `block`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from cfpm.extractor.tool_orders import gives_orders
from cfpm.identity import same_speaker
from cfpm.models import PATH_CATEGORIES, Category, Fact, LoggedMessage, Role, Status
from cfpm.recall.items import RecallItem
from cfpm.settings import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from cfpm.recall.items import Searchable

WEIGHTS = {"lexical": 0.70, "confidence": 0.10, "evidence": 0.05, "recency": 0.05, "pinned": 0.10}
"""Share of each signal in a score of at most 1. Words decide; the rest orders what the words leave open."""

ROLE_FACTOR = {Role.USER: 1.0, Role.ASSISTANT: 0.9, Role.TOOL: 0.7, Role.SYSTEM: 0.5}
"""What people say is wanted before what a tool printed, at equal words."""

HALF_LIFE_DAYS = 180.0
"""Recency halves in this time before the newest item found; half a year, as for a verified action."""

UNDATED = 0.5
"""Recency of an item without a time: neither new nor old."""

POOL = 4
"""Items asked of each index for one that is wanted, so that dropping duplicates leaves enough."""

SHOWN_SHARE = 0.8
"""A turn of which the facts in the list say at least this share adds nothing and is dropped."""

MAX_FORGOTTEN = 500
"""Tombstones, newest first, whose words are kept out of passages."""

MAX_PASSAGE = 600
"""Characters of a message that an item shows; longer messages are cut around the words of the query."""

_Found = TypeVar("_Found", Fact, LoggedMessage)
_WORD = re.compile(r"[^\W_]{2,}")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2}")


def rank(
    store: Searchable, namespaces: Sequence[str], query: str, k: int, now: datetime | None = None
) -> list[RecallItem]:
    """The `k` best facts and passages. Without a word to search for: what stands, pinned facts and instructions.

    Only active facts are shown, and no passage that gives orders from a tool or holds what was forgotten; `now`
    replaces the newest item as the point that recency counts from.
    """
    if k <= 0 or not namespaces:
        return []
    if not query.strip():
        return _without_query(store, namespaces, k)
    found = store.search_facts(namespaces, query, k * POOL)
    known = store.facts_by_id(namespaces, [ident for ident, _ in found])
    facts = [(known[i], score) for i, score in found if i in known and known[i].status is Status.ACTIVE]
    turns = _fit_to_show(store, namespaces, store.search_messages(namespaces, query, k * POOL))
    newest = now or max(
        (at for at in [*(_fact_time(f) for f, _ in facts), *(m.message.created_at for m, _ in turns)] if at),
        default=None,
    )
    items = [_fact_item(fact, score, newest) for fact, score in _scaled(facts)]
    items += [_turn_item(turn, score, newest, query) for turn, score in _scaled(turns)]
    return _distinct(sorted(items, key=_order))[:k]


def _fit_to_show(
    store: Searchable, namespaces: Sequence[str], found: Sequence[tuple[LoggedMessage, float]]
) -> list[tuple[LoggedMessage, float]]:
    tombstones = store.facts(namespaces, status=Status.FORGOTTEN, limit=MAX_FORGOTTEN)
    # A path is part of many passages that have nothing to do with why it was forgotten.
    forgotten = [
        (_standing_alone(fact.content), fact.speaker) for fact in tombstones if fact.category not in PATH_CATEGORIES
    ]
    shown = []
    for turn, score in found:
        message = turn.message
        if message.role is Role.TOOL and gives_orders(message.text):
            continue
        folded = _folded(message.text) if forgotten else ""
        if not any(words.search(folded) for words, name in forgotten if not _another(name, message.name)):
            shown.append((turn, score))
    return shown


def _another(forgotten: str, name: str) -> bool:
    """True when one person's words were forgotten and another says the same."""
    return bool(forgotten and name) and not same_speaker(forgotten, name)


def _standing_alone(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(_folded(text))}(?!\w)")


def _scaled(found: Sequence[tuple[_Found, float]]) -> list[tuple[_Found, float]]:
    """BM25 scores as shares of the best one: the two indices have different scales."""
    best = max((score for _, score in found), default=0.0)
    return [(item, max(0.0, score) / best if best > 0 else 1.0) for item, score in found]


def _fact_item(fact: Fact, lexical: float, newest: datetime | None) -> RecallItem:
    evidence = max(1, fact.evidence_count)
    signals = {
        "lexical": lexical,
        "confidence": fact.confidence,
        "evidence": evidence / (evidence + 1),
        "recency": _recency(_fact_time(fact), newest),
        "pinned": 1.0 if fact.pinned else 0.0,
    }
    return as_item(fact, {name: WEIGHTS[name] * value for name, value in signals.items()})


def as_item(fact: Fact, why: dict[str, float]) -> RecallItem:
    """The fact as an item with these shares of its score."""
    shares = {name: round(share, 6) for name, share in why.items() if share > 0}
    return RecallItem(
        kind="fact",
        id=fact.id,
        text=fact.attributed,
        score=round(sum(shares.values()), 6),
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


def _turn_item(turn: LoggedMessage, lexical: float, newest: datetime | None, query: str) -> RecallItem:
    message = turn.message
    shares = {
        "lexical": round(WEIGHTS["lexical"] * lexical * ROLE_FACTOR[message.role], 6),
        "recency": round(WEIGHTS["recency"] * _recency(message.created_at, newest), 6),
    }
    return RecallItem(
        kind="turn",
        id=message.id,
        text=passage(message.text, query),
        score=round(sum(shares.values()), 6),
        why={name: share for name, share in shares.items() if share > 0},
        session=turn.session,
        message_id=message.id,
        created_at=message.created_at,
        category=None,
        role=message.role,
        speaker=message.name,
    )


def passage(text: str, query: str, length: int = MAX_PASSAGE) -> str:
    """The part of the text, of at most `length` characters, that holds most different words of the query."""
    text = text.strip()
    if len(text) <= length:
        return text
    folded = text.lower()
    words = {found.lower() for found in [*_WORD.findall(query), *_CJK.findall(query)]}
    places = sorted({at for word in words if (at := folded.find(word)) >= 0})
    best, most = 0, 0
    for place in places:
        within = sum(1 for other in places if place <= other < place + length * 3 // 4)
        if within > most:
            best, most = place, within
    start = max(0, best - length // 4)
    if start:  # begin with a whole word
        space = text.find(" ", start, start + 40)
        start = space + 1 if space >= 0 else start
    return text[start : start + length].strip()


def _recency(at: datetime | None, newest: datetime | None) -> float:
    if at is None or newest is None:
        return UNDATED
    days = max(0.0, (newest - at).total_seconds() / DAY)
    return float(0.5 ** min(days / HALF_LIFE_DAYS, 1_000.0))


def _fact_time(fact: Fact) -> datetime | None:
    return fact.updated_at or fact.created_at


def _order(item: RecallItem) -> tuple[float, str, str]:
    return (-item.score, item.kind, item.id)


def _distinct(items: Iterable[RecallItem]) -> list[RecallItem]:
    """Drops what says again what stands above it, and a turn that a fact in the list says as well."""
    items = list(items)
    facts = [item.content for item in items if item.kind == "fact"]
    kept, seen = [], set()
    for item in items:
        text = _folded(item.text)
        key = (item.kind, item.category, text)
        if key not in seen and not (item.kind == "turn" and already_told(item.text, facts)):
            seen.add(key)
            kept.append(item)
    return kept


def already_told(text: str, facts: Iterable[str]) -> bool:
    """True when these facts say nearly all of the text, word for word."""
    whole = _folded(text)
    told = {fact for fact in map(_folded, facts) if fact and fact in whole}
    return sum(map(len, told)) >= SHOWN_SHARE * len(whole)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?。！？")


def _without_query(store: Searchable, namespaces: Sequence[str], k: int) -> list[RecallItem]:
    pinned = [fact for fact in store.facts(namespaces, status=Status.ACTIVE, limit=k) if fact.pinned]
    rules = store.facts(namespaces, category=Category.INSTRUCTION, status=Status.ACTIVE, limit=k)
    items = [as_item(fact, {"pinned": 1.0}) for fact in pinned]
    shown = {item.id for item in items}
    items += [as_item(fact, {"standing": 0.5}) for fact in rules if fact.id not in shown]
    return sorted(items, key=_order)[:k]
