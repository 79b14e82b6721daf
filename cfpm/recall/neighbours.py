"""Lets what an index outside of the store found near a question take part in the ranking. Asks no such index itself.

What it found is only a hint: the message or fact is read from the store, and passes every check that others pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.model import Status
from cfpm.recall.gathering import Source
from cfpm.recall.items import DIGITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cfpm.model import Fact, LoggedMessage
    from cfpm.recall.items import Neighbour, Searchable

WEIGHT = 0.1
"""Share of the score for the nearest neighbour; all other signals together give at most about 1.

Measured on LoCoMo, neighbours by a sentence transformer beside the static table: 0.1 changes recall by less than half a
point, 0.2 costs one to two. It brings in what no other signal touches, and hardly moves what they agree on."""

LEAST = 0.15
"""Cosine below which a neighbour says nothing: most pairs of texts on different subjects are under it."""

SHARE = "neighbour"
"""The name under which it stands in `why`."""


def with_neighbours(
    store: Searchable, namespaces: Sequence[str], sources: Sequence[Source], neighbours: Sequence[Neighbour]
) -> list[Source]:
    """The sources, those that are neighbours with more score, and behind them neighbours that were not among them.

    Facts that are not active, and what belongs to another namespace, are left out.
    """
    shares = _shares(neighbours)
    turns = store.messages_by_seq(found.seq for found in shares if found.kind == "turn")
    facts = store.facts_by_seq(found.seq for found in shares if found.kind == "fact")
    of_turns = {
        _place(turn): (share, turn)
        for found, share in shares.items()
        if found.kind == "turn" and (turn := turns.get(found.seq)) and turn.namespace in namespaces
    }
    of_facts = {
        fact.id: (share, fact)
        for found, share in shares.items()
        if found.kind == "fact" and (fact := facts.get(found.seq)) and fact.namespace in namespaces
        if fact.status is Status.ACTIVE
    }
    raised = [_raised(source, of_turns, of_facts) for source in sources]
    known = {_place(source.turn) for source in sources if source.turn}
    told = {fact.id for source in sources for fact, _, _ in source.facts}
    new = [_of_turn(turn, share) for place, (share, turn) in of_turns.items() if place not in known]
    loose = [_of_fact(fact, share) for ident, (share, fact) in of_facts.items() if ident not in told]
    return [*raised, *new, *loose]


def _shares(neighbours: Iterable[Neighbour]) -> dict[Neighbour, float]:
    """What each adds: nothing at LEAST, WEIGHT for the nearest."""
    near = [found for found in neighbours if found.closeness > LEAST]
    best = max((found.closeness for found in near), default=1.0)
    return {found: round(WEIGHT * (found.closeness - LEAST) / (best - LEAST), DIGITS) for found in near}


def _place(turn: LoggedMessage) -> tuple[str, str, str]:
    return turn.namespace, turn.session, turn.message.id


def _raised(
    source: Source,
    of_turns: Mapping[tuple[str, str, str], tuple[float, LoggedMessage]],
    of_facts: Mapping[str, tuple[float, Fact]],
) -> Source:
    share = of_turns[_place(source.turn)][0] if source.turn and _place(source.turn) in of_turns else 0.0
    facts = []
    for fact, why, itself in source.facts:
        more = of_facts[fact.id][0] if fact.id in of_facts else 0.0
        facts.append((fact, {**why, SHARE: more} if more else why, itself + more))
        share = max(share, more)
    if not share:
        return source
    why = {**source.shares, SHARE: share}
    return replace(source, score=source.score + share, shares=why, facts=tuple(facts))


def _of_turn(turn: LoggedMessage, share: float) -> Source:
    return Source(turn.message.id, share, {SHARE: share}, turn, (), share, 1.0)


def _of_fact(fact: Fact, share: float) -> Source:
    return Source(fact.id, share, {SHARE: share}, None, ((fact, {SHARE: share}, share),), 0.0, 1.0)
