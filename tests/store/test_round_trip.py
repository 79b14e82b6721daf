"""Every value comes back from the store, and from an export, exactly as it went in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from cfpm.auditor.reasons import REASONS
from cfpm.model import (
    Action,
    Candidate,
    Category,
    Decision,
    Fact,
    LoggedMessage,
    Message,
    Origin,
    Role,
    Source,
    Span,
    Status,
    ToolCall,
    ToolResult,
)
from cfpm.model.ids import digest, fact_id
from cfpm.store.store import Store
from tests.store.making import change, exported, imported, words

pytestmark = pytest.mark.slow

HOSTILE = [
    "'; DROP TABLE memory_facts; --",
    '"',
    "a\nb\r\n\tc",
    "\0",
    "😀",
    "数据库",
    "\u202e\u2066abc\u200f",
    "%s ? :x {wanted}",
    "\ufeff",
]
TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TIMES = st.none() | st.datetimes(min_value=datetime(101, 1, 1), max_value=datetime(9899, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
WHOLE = st.integers(-(2**63), 2**63 - 1)
SHARES = st.floats(0, 1)
RATINGS = st.integers(-10_000, 10_000).map(lambda parts: parts / 10_000)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(ToolCall, TEXTS, TEXTS, st.dictionaries(TEXTS, JSON, max_size=3))
MESSAGES = st.builds(
    Message,
    st.sampled_from(Role),
    TEXTS,
    TEXTS,
    TIMES,
    TEXTS,
    st.sampled_from(Origin),
    st.lists(CALLS, max_size=2).map(tuple),
    st.none() | st.builds(ToolResult, TEXTS, st.none() | st.booleans(), st.none() | WHOLE),
)
LOGGED = st.builds(LoggedMessage, TEXTS, TEXTS, st.integers(0, 9), st.integers(0, 9), MESSAGES, st.integers(0), TEXTS)
FACTS = st.builds(
    Fact,
    id=TEXTS,
    namespace=TEXTS,
    category=st.sampled_from(Category),
    key=TEXTS,
    content=TEXTS,
    status=st.sampled_from(Status),
    pinned=st.booleans(),
    source=st.sampled_from(Source),
    confidence=SHARES,
    evidence_count=WHOLE,
    created_at=TIMES,
    updated_at=TIMES,
    last_validated_at=TIMES,
    valid_from=TIMES,
    valid_to=TIMES,
    stale_at=TIMES,
    event_time=TIMES,
    validation_command=st.none() | TEXTS,
    session=TEXTS,
    agent=TEXTS,
    role=st.sampled_from(Role),
    message_id=TEXTS,
    span_start=WHOLE,
    span_end=WHOLE,
    topic=TEXTS,
    value=TEXTS,
    superseded_by=TEXTS,
    speaker=TEXTS,
    salience=RATINGS,
    contradicts=TEXTS,
)
CANDIDATES = st.builds(
    Candidate,
    id=TEXTS,
    namespace=TEXTS,
    session=TEXTS,
    turn=WHOLE,
    decision=st.sampled_from(Decision),
    reason=TEXTS,
    rule=TEXTS,
    detail=TEXTS,
    category=st.sampled_from(Category),
    content=TEXTS,
    role=st.sampled_from(Role),
    span=st.builds(Span, TEXTS, WHOLE, WHOLE),
    fact_id=TEXTS,
    confidence=SHARES,
    extractor=TEXTS,
    marks=st.lists(TEXTS, max_size=3).map(tuple),
    line=TEXTS,
    event_time=TIMES,
    validation_command=st.none() | TEXTS,
    created_at=TIMES,
    reviewed=st.booleans(),
    speaker=TEXTS,
    salience=RATINGS,
    shares=st.lists(st.tuples(TEXTS, RATINGS), max_size=3).map(tuple),
)


def possible_fact(fact: Fact) -> Fact:
    """The fact with an id of its own, times in order, and a span; everything else may be anything."""
    created, updated = ordered(fact.created_at, fact.updated_at)
    start, end = sorted((abs(fact.span_start // 2), abs(fact.span_end // 2)))
    return replace(
        fact,
        id=fact_id(fact.namespace, fact.category, fact.key),
        created_at=created,
        updated_at=updated,
        span_start=start,
        span_end=end,
        evidence_count=abs(fact.evidence_count // 2) + 1,
    )


def possible_candidate(row: Candidate) -> Candidate:
    """The candidate with an id and a reason code of its own, and a span; everything else may be anything."""
    start, end = sorted((abs(row.span.start // 2), abs(row.span.end // 2)))
    span = Span(row.span.message_id, start, end)
    place = f"{span.message_id}:{span.start}:{span.end}"
    ident = "cand_" + digest(row.namespace, row.session, place, row.category, row.extractor, row.content)
    return replace(row, id=ident, span=span, reason=sorted(REASONS)[len(row.reason) % len(REASONS)], fact_id="f")


def ordered(one: datetime | None, two: datetime | None) -> tuple[datetime | None, datetime | None]:
    return (min(one, two), max(one, two)) if one and two else (one, two)


def through_an_export(store: Store) -> Store:
    copy = Store.open("sqlite://")
    imported(copy, exported(store))
    assert exported(copy) == exported(store)
    return copy


@hypothesis_settings(max_examples=80, deadline=None)
@given(LOGGED.filter(lambda row: row.cut < 2**63))
def test_message(row: LoggedMessage) -> None:
    with Store.open("sqlite://") as store:
        store.log.append([row])
        for one in (store, through_an_export(store)):
            assert one.log.get(row.namespace, row.message.id, row.session) == row
            assert one.log.messages(row.namespace, session=row.session, turn=row.turn) == [row]


@hypothesis_settings(max_examples=80, deadline=None)
@given(FACTS.map(possible_fact), FACTS.map(possible_fact))
def test_fact_and_its_history(fact: Fact, later: Fact) -> None:
    later = replace(later, id=fact.id, namespace=fact.namespace, category=fact.category, key=fact.key)
    with Store.open("sqlite://") as store:
        store.fact_writer.apply(
            fact.namespace, [change(None, fact), change(fact, later, Action.EDIT)], block_keys=words
        )
        for one in (store, through_an_export(store)):
            assert one.facts.get(fact.namespace, fact.id) == later
            assert one.events.as_of(fact.namespace, 1) == [fact]
            assert one.events.as_of(fact.namespace, 0) == []


@hypothesis_settings(max_examples=80, deadline=None)
@given(CANDIDATES.map(possible_candidate))
def test_candidate(row: Candidate) -> None:
    with Store.open("sqlite://") as store:
        store.candidates.add([row])
        for one in (store, through_an_export(store)):
            assert one.candidates.find(row.namespace) == [row]
