"""What an agent gets back: facts and passages ranked for a query, and the block for its prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.auditor.path_rules import stored_problem
from cfpm.model import PATH_CATEGORIES, Category
from cfpm.model.patterns import lazy_pattern
from cfpm.model.trust import TrustTable
from cfpm.recall.block import NO_SESSION, NOTHING_FITS, block, dated, further_facts, in_order, standing_facts
from cfpm.recall.documents import find_documents
from cfpm.recall.items import DIGITS, Block, Neighbour, Recall, RecallItem
from cfpm.recall.quarantine import Quarantine
from cfpm.recall.ranking import already_told, as_item, find, rank, said
from cfpm.recall.replaced import outdone, replaced
from cfpm.recall.running import InPrompt, folded
from cfpm.recall.tokens import Count, counter, estimated
from cfpm.recall.verdicts import worth_showing
from cfpm.recall.weights import load_threshold, load_weights, margin
from cfpm.store.sentence_vectors import SPOKEN
from cfpm.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from cfpm.model import Fact
    from cfpm.recall.items import Key
    from cfpm.recall.nearness import Nearness
    from cfpm.recall.passages import Passages
    from cfpm.store.store import Store

__all__ = [
    "Block",
    "Neighbour",
    "Quarantine",
    "Recall",
    "RecallItem",
    "block",
    "counter",
    "load_weights",
    "rank",
    "recall",
    "standing_facts",
]


_TOKENS_AN_ITEM = 45
"""About what a line of a block takes, with its id and date."""

_LEAST_ITEMS, _MOST_ITEMS = 8, 60
"""Items that are looked for where the budget decides."""

_CHARS_A_TOKEN = 4
"""About, in English."""

_PARTS = lazy_pattern(r"[^\W_]{3,}")
_SEPARATORS = lazy_pattern(r"[\\/]+")


def recall(
    store: Store,
    namespaces: Sequence[str],
    query: str,
    *,
    k: int | None = None,
    max_tokens: int = 1200,
    max_chars: int | None = None,
    count: Count = estimated,
    neighbours: Sequence[Neighbour] = (),
    exclude: Collection[str] = (),
    trust: TrustTable | None = None,
    include_quarantined: bool = False,
    agent: str | None = None,
    near: float = 0.0,
    now: datetime | None = None,
) -> Recall:
    """The best items for the query, at most `k`, and a block of at most `max_tokens` by `count`.

    Without a `k` the budget decides: as many as it may hold. What only repeats the query, the messages in `exclude`,
    and the one that was said last in a session, if it is the query, with what was learnt from them, are left out: the
    host shows them itself.

    With `max_chars`, the block has at most that many characters instead, and names what did not fit. It also holds what
    stands whatever the query: pinned facts, instructions, preferences, invalid paths. Passages of documents come last,
    each with its place. When nothing fits a question, it ends with one line that says so. `neighbours` are what an
    index outside of the store found near the query. What tools, pastes and other participants say is shown only with
    `include_quarantined`, and then labelled; `trust` says how far each is trusted. With `agent` only what was observed
    under that name, or under none. With `near`, the block has what holds at least this share of what the best holds, in
    the prompt or not; where nothing answers, only facts. `now` is the moment of the query, where the host knows it.
    """
    if cut := k is None:
        k = _fitting(max_tokens if max_chars is None else max_chars // _CHARS_A_TOKEN)
    parts: dict[str, tuple[str, ...]] = {}
    if exclude:
        # A fact that the prompt holds stands there in the words of its message.
        for fact in store.facts.by_id(namespaces, exclude).values():
            if fact.message_id not in exclude:
                parts[fact.message_id] = (*parts.get(fact.message_id, ()), folded(fact.content))
        exclude = {*exclude, *parts}
    quarantine = Quarantine(store, trust or TrustTable(), include_quarantined)
    held = replace(InPrompt.of(query, exclude, store, namespaces), agent=agent, parts=parts)
    items, fit, passages, held_fit = find(
        store, namespaces, query, k, neighbours=neighbours, held=held, quarantine=quarantine, cut=cut
    )
    read = find_documents(store, namespaces, query, exclude=exclude, include_quarantined=include_quarantined)
    nearest = passages.nearest if passages else None
    from cfpm.recall.recap import recap
    from cfpm.recall.whole import whole

    sessions, asks_for_sessions = whole(store, namespaces, query, held), False
    if not sessions:
        sessions, asks_for_sessions = recap(store, namespaces, query, held, now)
    # What the prompt holds already answers as well.
    answered = bool(sessions) or margin(fit, nearest) >= 0 or max(read.fit, held_fit) >= load_threshold()
    fit = max(fit, read.fit)
    from cfpm.recall.question import wants_an_answer

    none_then = asks_for_sessions and not sessions
    sessions = tuple(one for one in sessions if one.id not in held.ids)
    note = NO_SESSION if none_then else NOTHING_FITS if not answered and wants_an_answer(query) else ""
    standing = standing_facts(store, namespaces) if namespaces else []
    budget, unit = (max_tokens, count) if max_chars is None else (max_chars, len)
    room = budget if max_chars is None else budget // _CHARS_A_TOKEN
    further, unseen = further_facts(store, namespaces, standing, room) if standing else ([], {})

    def stands(fact: Fact) -> bool:
        told = fact.id in exclude or not (fact.pinned or not held.holds(fact.message_id))
        return not told and held.admits(fact.agent) and _helps(fact) and not fact.is_one_try

    standing, behind = outdone(in_order(filter(stands, (*standing, *further))))
    believed = [item for item in worth_showing(passages.items if passages else items) if _helps(item)]
    believed = _without_guesses(store, namespaces, believed, query)
    if near:
        least = near * max(fit, held_fit)
        believed = [
            item
            for item in believed
            if item.fit >= least > 0 and (item.kind == "fact" or _tells(item, abstain=not answered))
        ]
    newer = _newer(store, namespaces, [] if passages else believed, standing, query, held, quarantine)
    if passages:
        newer |= passages.beside
    found = {item.id for item in believed if item.kind == "fact"}
    before = replaced(
        store,
        namespaces,
        [*standing, *(item for item in believed if item.kind == "fact")],
        lambda fact: fact.id not in exclude and held.admits(fact.agent),
    )
    before = behind | before
    # Its words stand behind the newer fact.
    told = {one.message_id for ident, one in before.items() if ident in found}
    believed = [item for item in believed if not (item.marked and item.id in told)]
    asked = passages.question if passages else None
    shown = block(
        believed,
        standing,
        budget,
        unit,
        headers=max_chars is not None,
        note=note,
        newer=newer,
        beside=passages.beside if passages else None,
        shape=asked.shape if asked else None,
        acts=asked is not None and asked.acts,
        tells=asked is not None and asked.tells,
        relevance=_relevance(store, namespaces, standing, query, passages) if standing else {},
        documents=read.items,
        unseen=unseen,
        replaced=before,
        sessions=sessions,
    )
    items = [*sessions, *items][:k]
    facts = [item for item in shown.items if item.kind == "fact"]
    return Recall(
        items=tuple(sorted([*items, *read.items], key=lambda item: -item.score)[:k] if read.items else items),
        block=shown.text,
        tokens=shown.tokens if max_chars is None else count(shown.text),
        lines=shown.lines,
        contents=_and_dated(facts, lambda item, text: item.without_name(text)),
        attributed=_and_dated([item for item in facts if item.speaker], lambda _, text: text),
        fact_ids=tuple(item.id for item in facts),
        message_ids=tuple(item.id for item in shown.items if item.kind == "turn"),
        fit=round(fit, DIGITS),
        held_fit=round(held_fit, DIGITS),
        nearest=nearest,
        abstain=not answered,
    )


def _without_guesses(store: Store, namespaces: Sequence[str], items: list[RecallItem], query: str) -> list[RecallItem]:
    """The items without paths that were tried once in vain, of which the query does not name the last part."""
    paths = [item for item in items if item.category is Category.INVALID_PATH]
    if not paths:
        return items
    facts = store.facts.by_id(namespaces, [item.id for item in paths])
    named = set(_PARTS.findall(query.lower()))
    left_out = {
        item.id
        for item in paths
        if (fact := facts.get(item.id)) and fact.is_one_try
        if named.isdisjoint(_PARTS.findall(_SEPARATORS.split(fact.content.rstrip("\\/"))[-1].lower()))
    }
    return [item for item in items if item.id not in left_out]


def _tells(item: RecallItem, *, abstain: bool) -> bool:
    """Whether a passage or a deed is worth telling unasked: it answers, is believed, and is no question itself."""
    from cfpm.recall.passages import asks

    return not (abstain or item.doubt) and (item.deed or not asks(item.shown))


def _relevance(
    store: Store, namespaces: Sequence[str], standing: Sequence[Fact], query: str, passages: Passages | None
) -> Mapping[str, float]:
    """What is the sooner shown of what stands, where not all has room: for what is to be done how much it has to do
    with it; for all else, which is answered by other things, how surely it is a rule at all."""
    from cfpm.recall.passages import how_surely_rules, relevance
    from cfpm.recall.question import Shape

    embedder = store.vectors.embedder
    asked = passages.question if passages is not None else None
    if asked is None or embedder is None or not (asked.acts or asked.shape is Shape.TEXT):
        return how_surely_rules(standing)

    def near(units: Sequence[RecallItem]) -> Nearness | None:
        from cfpm.recall.nearness import nearness

        learnt_from = store.facts.messages_of(one.id for one in units)
        read = store.sentence_vectors.of(set(learnt_from.values()))
        messages = [read.get(learnt_from.get(one.id, 0)) for one in units]
        return nearness([one.content for one in units], messages, [one.role in SPOKEN for one in units], query)

    turns, _ = store.namespace_index.load(namespaces[0])
    ordered = replace(asked, shape=Shape.TEXT)
    return relevance([as_item(fact, {}) for fact in standing], ordered, turns, embedder, near)


def _helps(one: RecallItem | Fact) -> bool:
    """False for what is stored as a path and is none: a date, a broken text. Older rules, or an import, let it in."""
    if one.category is None or one.category not in PATH_CATEGORIES:
        return True
    return stored_problem(one.category, one.content, one.role) is None


def _newer(
    store: Store,
    namespaces: Sequence[str],
    items: Sequence[RecallItem],
    standing: Sequence[Fact],
    query: str,
    held: InPrompt,
    quarantine: Quarantine,
) -> dict[Key, RecallItem]:
    """By the keys of items and standing facts, what was said later and likely changes them; for that again, too."""
    if store.vectors.embedder is None or not (items or standing):
        return {}
    from cfpm.recall.later import later
    from cfpm.recall.passages import nearest_sentence

    of_messages = {item.id: item.seq for item in items if item.seq}
    of_messages |= store.facts.messages_of(fact.id for fact in standing if fact.id not in of_messages)
    found = later(store, namespaces, of_messages.values())
    found |= later(store, namespaces, found.values())
    shown = said(store, set(found.values()), query, held, quarantine)
    facts = {item.seq: item for item in items if item.kind == "fact" and item.seq in shown}
    # A fact that says what its message says stands there in its place.
    shown |= {seq: one for seq, one in facts.items() if already_told(shown[seq].text, [folded(one.text)])}
    listed = [*items, *(as_item(fact, {}) for fact in standing)]
    of_messages |= {item.id: seq for seq, item in shown.items()}
    pairs = [
        (item, shown[seq])
        for item in (*listed, *shown.values())
        if (seq := found.get(of_messages.get(item.id, 0))) in shown
    ]
    return {item.key: nearest_sentence(change, item.text, store.vectors.embedder) for item, change in pairs}


def _fitting(tokens: int) -> int:
    """How many items a block of so many tokens may hold."""
    return min(_MOST_ITEMS, max(_LEAST_ITEMS, tokens // _TOKENS_AN_ITEM))


def _and_dated(facts: Sequence[RecallItem], cut: Callable[[RecallItem, str], str]) -> tuple[str, ...]:
    """The texts, then as the block shows those in which a date stands beside the words."""
    texts = [cut(item, item.text) for item in facts]
    shown = (cut(item, dated(item.text, item.created_at, item.event_time)) for item in facts)
    return (*texts, *(text for text in shown if text not in texts))
