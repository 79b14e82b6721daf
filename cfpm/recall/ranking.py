"""Makes items of the messages and facts that were retrieved for a query, in order, without repetitions.

Writes no prompt: see `block`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model import Category, Fact, LoggedMessage, Role, Status
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.items import DIGITS, RecallItem
from cfpm.recall.quarantine import Quarantine
from cfpm.recall.question import asks_for_history, cues
from cfpm.recall.running import InPrompt, folded
from cfpm.recall.verdicts import judged, marked, moved, within, without
from cfpm.recall.weights import load_weights
from cfpm.settings import DAY
from cfpm.store.sentence_vectors import SPOKEN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from cfpm.recall.deeds import Told
    from cfpm.recall.items import Neighbour
    from cfpm.recall.nearness import Nearness
    from cfpm.recall.passages import Passages
    from cfpm.recall.quarantine import Shown
    from cfpm.recall.retrieval import Match
    from cfpm.recall.verdicts import Judged
    from cfpm.recall.weights import Weights
    from cfpm.store.store import Store

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
MOST_SPARE = 24
"""Messages that are looked at for one that is wanted, and some more, so that dropping duplicates leaves enough; and the
most that are looked at beyond what is wanted."""

READ = 84
"""Messages whose sentences are ranked one by one where the budget decides: the mean of a long message says little of
the one sentence that answers."""

_OF_AGENTS = 4
"""Times as many candidates, where only those of one agent count: as many agents as commonly share a memory."""

TO_THE_POINT = 0.8
"""A fact that answers the question at least this well, compared with its whole message, stands for the message."""

ALIKE = 0.9
"""Share of words in common from which one of two items says nothing new; every number and negation is a word."""

REPEATED = 0.7
"""Share of the words of a sentence that stand in another one of its session which says the same."""

SHOWN_SHARE = 0.8
"""A turn of which the facts in the list say at least this share adds nothing and is dropped."""

MAX_PASSAGE = 600
"""Characters of a message that an item shows; longer messages are cut around the words of the query."""

_WORD = lazy_pattern(r"[^\W_]{2,}")
_CJK = lazy_pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2}")


class Found(NamedTuple):
    """The items of a query, best first, and how much of it the best holds; `passages` are single sentences and facts of
    the messages found, for a block, none where nothing tells which answer best. `held_fit` is how much of it the best
    holds that was left out because the prompt has it."""

    items: list[RecallItem]
    fit: float
    passages: Passages | None = None
    held_fit: float = 0.0


def rank(
    store: Store,
    namespaces: Sequence[str],
    query: str,
    k: int,
    now: datetime | None = None,
    weights: Mapping[str, Weights] | None = None,
    neighbours: Sequence[Neighbour] = (),
    quarantine: Quarantine | None = None,
) -> list[RecallItem]:
    """The `k` best facts and passages. Without a word to search for: what stands, pinned facts and instructions.

    Only active facts are shown, and of messages what the `quarantine` lets through and nobody forgot; `now`
    replaces the newest item as the point that recency and "last week" count from. A message and what was learnt from it
    take one place; the other one comes behind if there is room. `neighbours` are what an index outside of the store
    found near the query.
    """
    return find(store, namespaces, query, k, now, weights, neighbours, quarantine=quarantine).items


def find(
    store: Store,
    namespaces: Sequence[str],
    query: str,
    k: int,
    now: datetime | None = None,
    weights: Mapping[str, Weights] | None = None,
    neighbours: Sequence[Neighbour] = (),
    held: InPrompt | None = None,
    quarantine: Quarantine | None = None,
    *,
    cut: bool = False,
) -> Found:
    """The items of `rank`, and the greatest share of the query that any message or fact found holds, from 0 to 1.

    With `cut` also the facts and sentences of the messages found, for a block. Left out are messages that only repeat
    the query, and those that the prompt `held` already, these with the facts that were learnt from them.
    """
    if k <= 0 or not namespaces:
        return Found([], 0.0)
    if not query.strip():
        return Found(_without_query(store, namespaces, k), 1.0)
    from cfpm.recall.retrieval import NEAREST, retrieve, with_neighbours  # numpy, which what only stores does not need

    pool, read = min(k * POOL + SPARE, k + MOST_SPARE), READ if cut else 0
    if held is not None and held.agent is not None:
        # What others learnt goes from it.
        pool, read = pool * _OF_AGENTS, read * _OF_AGENTS
    matches = [
        match
        for namespace in dict.fromkeys(namespaces)
        for match in retrieve(store, namespace, query, pool, now, weights or load_weights(), read=read)
    ]
    if neighbours:
        matches = with_neighbours(store, namespaces, matches, neighbours)
    held = held or InPrompt.of(query)
    held_fit = max((match.fit for match in matches if _is_held(match, held)), default=0.0) if held.ids else 0.0
    best_match = min(matches, key=_match_order, default=None) if held.parts else None
    matches = [left for match in matches if (left := _told_anew(match, held))]
    matches.sort(key=_match_order)
    newest = now or max((at for match in matches for at in match.times()), default=None)
    quarantine = quarantine or Quarantine(store)
    rest = _rest(store, best_match, held, query, quarantine) if best_match else None
    shown = _fit_to_show(store, matches[: max(pool, read + NEAREST)], quarantine)
    doubts = _doubts(store, shown)
    deeds = _deeds(store, shown[: k + SPARE], quarantine, query)
    # The result of a call whose deed the prompt holds.
    known = {place for place, of in deeds.items() if held.ids and any(held.holds(one.message_id) for one in of)}
    fit = max((match.fit for place, (match, _) in enumerate(shown) if place not in known), default=0.0)
    fit = max(fit, rest.fit if rest else 0.0)
    held_fit = max([held_fit, *(shown[place][0].fit for place in known)])
    ranked = {
        place: list(_items(match, part, newest, query, doubts.get(place, ()), deeds.get(place, ())))
        for place, (match, part) in enumerate(shown)
        if place not in known
    }
    touching = [items for place, items in ranked.items() if shown[place][0].touches and items]
    best = distinct(sorted((items[0] for items in touching), key=_order), k)
    if len(best) < k:
        best = distinct([*best, *sorted((item for items in touching for item in items[1:]), key=_order)], k)
    passages = _passages(store, namespaces, query, [*ranked.values()], now) if cut else None
    if passages and rest:
        passages = passages._replace(items=[rest, *passages.items])
    return Found(best, min(1.0, fit), passages, min(1.0, held_fit))


def _passages(
    store: Store, namespaces: Sequence[str], query: str, ranked: Sequence[Sequence[RecallItem]], now: datetime | None
) -> Passages | None:
    embedder = store.vectors.embedder
    if embedder is None:
        return None
    from cfpm.recall.passages import passages  # numpy, which what only stores does not need
    from cfpm.recall.question import read_question

    def near(units: Sequence[RecallItem]) -> Nearness | None:
        return nearness_of(store, units, query)

    turns, _ = store.namespace_index.load(namespaces[0])
    return passages(ranked, read_question(query, turns.speakers, embedder, now or turns.newest), turns, embedder, near)


def nearness_of(store: Store, units: Sequence[RecallItem], query: str) -> Nearness | None:
    """How near facts and sentences are to the query, as far as their messages were read."""
    read = store.sentence_vectors.of({unit.seq for unit in units if unit.seq and not unit.deed})
    if not read:
        return None
    from cfpm.recall.nearness import nearness  # numpy, which what only stores does not need

    texts = [unit.text[slice(*unit.spans[0])] if unit.spans else unit.content for unit in units]
    spoken = [not unit.deed and unit.role in SPOKEN for unit in units]
    return nearness(texts, [None if unit.deed else read.get(unit.seq) for unit in units], spoken, query)


def said(
    store: Store, seqs: Collection[int], query: str, held: InPrompt, quarantine: Quarantine
) -> dict[int, RecallItem]:
    """Messages of the log as items, as far as they may be shown and are believed; none that repeats the query."""
    from cfpm.recall.retrieval import Match

    logged = store.log.by_seq(seqs)
    every = [Match(turn.message.id, 0.0, {}, turn, (), 0.0, 0.0, seq) for seq, turn in sorted(logged.items())]
    matches = [match for match in every if _told_anew(match, held)]
    shown = _fit_to_show(store, matches, quarantine)
    doubts = _doubts(store, shown)
    items = (
        _turn_item(match, match.turn, part, None, query, doubts.get(place, ()))
        for place, (match, part) in enumerate(shown)
        if match.turn and part
    )
    return {item.seq: item for item in items if not (item.doubt or item.marked or item.quarantined)}


def _fit_to_show(store: Store, matches: Sequence[Match], quarantine: Quarantine) -> list[tuple[Match, Shown | None]]:
    """The matches with what may be shown of their messages; the facts learnt from them stay."""
    buried = store.tombstones.exist()
    return [
        (match, quarantine.shown(match.turn) if match.turn and not _is_forgotten(store, match.turn, buried) else None)
        for match in matches
    ]


def _told_anew(match: Match, held: InPrompt) -> Match | None:
    """The match without a message that only repeats the question, or that the prompt holds with what was learnt from
    it; None when nothing is left."""
    turn = match.turn
    if turn is not None and (held.repeats(turn.message.text) or held.holds(turn.message.id)):
        match = replace(match, turn=None)
    if match.turn is not None and not held.admits(match.turn.agent):
        match = replace(match, turn=None)
    if held.ids or held.agent is not None:
        told = (one for one in match.facts if not held.tells(one[0]) and held.admits(one[0].agent))
        match = replace(match, facts=tuple(told))
    return match if match.turn is not None or match.facts else None


def _is_held(match: Match, held: InPrompt) -> bool:
    """Whether the prompt holds what was found, other than as the question."""
    turn = match.turn
    ident, text = (turn.message.id, turn.message.text) if turn is not None else ("", "")
    return held.answers(ident, text, (fact for fact, _, _ in match.facts))


def _rest(store: Store, match: Match, held: InPrompt, query: str, quarantine: Quarantine) -> RecallItem | None:
    """What the message that answers best says beside the facts of it that the prompt holds, questions aside: the cause,
    or the remedy, of what such a fact tells."""
    from cfpm.recall.passages import unsaid

    turn = match.turn
    if turn is None or turn.message.id not in held.parts or held.repeats(turn.message.text):
        return None
    ((_, part),) = shown = _fit_to_show(store, [match], quarantine)
    if part is None:
        return None
    item = _turn_item(match, turn, part, None, query, _doubts(store, shown).get(0, ()))
    spans = () if item.marked else unsaid(item.text, held.parts[turn.message.id])
    return replace(item, spans=spans) if spans else None


def _doubts(store: Store, shown: Sequence[tuple[Match, Shown | None]]) -> dict[int, tuple[Judged, ...]]:
    """What is not believed of the messages that are shown, by the place of the match."""
    turns = {place: match.turn for place, (match, part) in enumerate(shown) if match.turn is not None and part}
    places = list(turns)
    return {places[at]: stretches for at, stretches in judged(store, list(turns.values())).items()}


def _deeds(
    store: Store, shown: Sequence[tuple[Match, Shown | None]], quarantine: Quarantine, query: str
) -> dict[int, list[Told]]:
    """The tool calls that were made or answered in the messages, by the place of the match."""
    acting = {
        place: match.turn
        for place, (match, _) in enumerate(shown)
        if match.turn is not None and (match.turn.message.tool_calls or match.turn.message.role is Role.TOOL)
    }
    if not acting:
        return {}
    from cfpm.recall.deeds import Deeds  # rules of the extractor, which dialogues do not need

    deeds = Deeds(store, quarantine, query)
    calls_first = sorted(acting, key=lambda place: acting[place].message.role is Role.TOOL)
    told = {place: deeds.of(acting[place]) for place in calls_first}
    return {place: [deeds.newest(acting[place], one) for one in of] for place, of in told.items()}


def _is_forgotten(store: Store, turn: LoggedMessage, buried: bool) -> bool:
    return buried and store.tombstones.hides(turn.namespace, turn.message.text, turn.message.name)


def _items(
    match: Match,
    part: Shown | None,
    newest: datetime | None,
    query: str,
    doubts: Sequence[Judged] = (),
    deeds: Sequence[Told] = (),
) -> Iterator[RecallItem]:
    """The message, what was done with it and its facts as items, first the one that says it best; the others are seldom
    asked for."""
    told = list(match.facts)
    for deed in deeds:
        if not deed.looks and match.turn:
            yield _deed_item(match, match.turn, deed, newest)
    if part and told and told[0][2] >= TO_THE_POINT * match.own:
        yield _fact_item(told.pop(0)[0], match, newest)
    if match.turn and part and not _told_by(deeds, part.text):
        yield _turn_item(match, match.turn, part, newest, query, doubts)
    for fact, shares, _ in told:
        yield _fact_item(fact, match, newest, shares)
    for deed in deeds:
        if deed.looks and match.turn:
            yield _deed_item(match, match.turn, deed, newest)


def _told_by(deeds: Sequence[Told], text: str) -> bool:
    """Whether a message says nothing beside what its deeds tell."""
    whole = folded(text)
    return any(whole in folded(deed.text) for deed in deeds)


def _deed_item(match: Match, turn: LoggedMessage, deed: Told, newest: datetime | None) -> RecallItem:
    """What the agent did with a message, as the line tells it."""
    shares = dict(match.shares)
    if recency := round(SMALL["recency"] * _recency(deed.at, newest), DIGITS):
        shares["recency"] = recency
    return RecallItem(
        kind="turn",
        id=deed.message_id,
        text=deed.text,
        score=round(sum(shares.values()), DIGITS),
        why=shares,
        session=turn.session,
        message_id=deed.message_id,
        created_at=deed.at,
        category=None,
        role=Role.ASSISTANT,
        fit=match.fit,
        deed=True,
        seq=match.seq,
    )


def _fact_item(
    fact: Fact, match: Match, newest: datetime | None, shares: Mapping[str, float] | None = None
) -> RecallItem:
    evidence = max(1, fact.evidence_count)
    small = {
        "confidence": fact.confidence,
        "evidence": evidence / (evidence + 1),
        "recency": _recency(_fact_time(fact), newest),
        "pinned": 1.0 if fact.pinned else 0.0,
    }
    more = {name: share for name, value in small.items() if (share := round(SMALL[name] * value, DIGITS))}
    return as_item(fact, {**(match.shares if shares is None else shares), **more}, match.fit, match.seq)


def as_item(fact: Fact, shares: Mapping[str, float], fit: float = 0.0, seq: int = 0) -> RecallItem:
    """The fact as an item with these shares of its score, which are rounded; `seq` of its message."""
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
        fit=fit,
        seq=seq,
    )


def _turn_item(
    match: Match, turn: LoggedMessage, part: Shown, newest: datetime | None, query: str, doubts: Sequence[Judged]
) -> RecallItem:
    """A message without those of its words that are not believed, or, where nothing else is left or an outdated
    sentence says more than what changed, with their marks."""
    message, why = turn.message, match.shares
    doubts = moved(doubts, message.text, part.text)
    factor = ROLE_FACTOR[message.role]
    # Shares are rounded where they are made; most messages keep them.
    shares = dict(why) if factor == 1 else {name: round(share * factor, DIGITS) for name, share in why.items()}
    if recency := round(SMALL["recency"] * _recency(message.created_at, newest), DIGITS):
        shares["recency"] = recency
    believed = [fact for fact, _, _ in match.facts]
    more = any(one.says_more(part.text, believed) for one in doubts)
    whole = more or (bool(doubts) and asks_for_history(query))
    text = "" if whole else without(part.text, doubts)
    doubt = "" if text or whole else next((one.word for one in doubts if one.misleads), "")
    shown = passage(text or part.text, query)
    return RecallItem(
        kind="turn",
        id=message.id,
        text=shown if text else marked(shown, within(doubts, part.text, shown)),
        score=round(sum(shares.values()), DIGITS),
        why=shares,
        session=turn.session,
        message_id=message.id,
        created_at=message.created_at,
        category=None,
        role=message.role,
        speaker=message.name,
        doubt=doubt,
        marked=bool(doubts) and not text,
        fit=match.fit,
        source=part.source,
        seq=match.seq,
        quarantined=part.quarantined,
    )


def _recency(at: datetime | None, newest: datetime | None) -> float:
    if at is None or newest is None:
        return UNDATED
    days = max(0.0, (newest - at).total_seconds() / DAY)
    return float(0.5 ** min(days / HALF_LIFE_DAYS, 1_000.0))


def _fact_time(fact: Fact) -> datetime | None:
    return fact.updated_at or fact.created_at


def _match_order(match: Match) -> tuple[bool, float, str]:
    return (not match.touches, -match.score, match.ident)


def _order(item: RecallItem) -> tuple[float, str, str]:
    return (-item.score, item.kind, item.id)


def _without_query(store: Store, namespaces: Sequence[str], k: int) -> list[RecallItem]:
    pinned = store.facts.find(namespaces, status=Status.ACTIVE, pinned=True, limit=k)
    rules = store.facts.find(namespaces, category=Category.INSTRUCTION, status=Status.ACTIVE, limit=k)
    items = [as_item(fact, {"pinned": 1.0}) for fact in pinned]
    shown = {item.id for item in items}
    items += [as_item(fact, {"standing": 0.5}) for fact in rules if fact.id not in shown]
    return sorted(items, key=_order)[:k]


def distinct(items: Sequence[RecallItem], k: int) -> list[RecallItem]:
    """The first `k` that say something new: not what stands above, and no message that facts among them say as well."""
    facts = [folded(item.content) for item in items[: 2 * k] if item.kind == "fact"]
    kept: list[RecallItem] = []
    seen: dict[tuple[str, Category | None], list[frozenset[str]]] = {}
    for item in items:
        whole = folded(item.text)
        words = frozenset(whole.split())
        of_kind = seen.setdefault((item.kind, item.category), [])
        spoken = item.kind == "turn" and not item.deed
        if not any(_alike(words, other) for other in of_kind) and not (spoken and _told(whole, facts)):
            of_kind.append(words)
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
    denials = cues()["repetitions"]["denials"]
    return not any(word in denials or any(map(str.isdigit, word)) for word in one ^ other)


def repeats(words: Collection[str], told: Collection[str]) -> bool:
    """Whether a text with these words says mostly what one with those says: an assistant that takes note of what was
    said. Every number, and every denial, stands in both."""
    missing = [word for word in words if word not in told]
    if len(missing) > (1 - REPEATED) * len(words):
        return False
    denials = cues()["repetitions"]["denials"]
    return not any(word in denials or any(map(str.isdigit, word)) for word in missing)


def already_told(text: str, facts: Iterable[str]) -> bool:
    """True when these facts, which are `folded`, say nearly all of the text, word for word."""
    return _told(folded(text), facts)


def _told(whole: str, facts: Iterable[str]) -> bool:
    told = {fact for fact in facts if fact and fact in whole}
    return sum(map(len, told)) >= SHOWN_SHARE * len(whole)


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
