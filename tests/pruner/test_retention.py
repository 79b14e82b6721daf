"""How belief grows with evidence, fades with time, and what is kept when there is too much."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from cfpm.model import Category, Fact, Source
from cfpm.pruner.retention import decayed, reinforced, stale_at, utility
from cfpm.settings import Settings

SETTINGS = Settings()
START = datetime(2026, 1, 10, tzinfo=UTC)
DECAYING = sorted(SETTINGS.half_life_days)

confidences = st.floats(min_value=0.05, max_value=1.0)
evidences = st.integers(min_value=1, max_value=10_000)
days = st.floats(min_value=0, max_value=20_000)


def a_fact(**changes: object) -> Fact:
    plain = Fact(id="fact_1", namespace="n", category=Category.NOTE, key="k", content="c", created_at=START)
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_a_second_sighting_raises_confidence() -> None:
    assert reinforced(0.7, 1, SETTINGS) > 0.7


def test_each_further_sighting_adds_less() -> None:
    gains, confidence = [], 0.5
    for evidence in range(1, 20):
        grown = reinforced(confidence, evidence, SETTINGS)
        gains.append(grown - confidence)
        confidence = grown
    assert gains == sorted(gains, reverse=True)


@examples(max_examples=150)
@given(confidences, evidences)
def test_what_is_learnt_never_becomes_certain_and_never_falls_by_evidence(confidence: float, evidence: int) -> None:
    grown = reinforced(confidence, evidence, SETTINGS)
    assert confidence <= grown <= 1.0
    assert grown < 1.0 or confidence == 1.0


@pytest.mark.parametrize("strange", [math.nan, -5.0, 0.0, 7.0, math.inf, -math.inf])
def test_strange_numbers_end_within_the_bounds(strange: float) -> None:
    fact = a_fact(confidence=strange)
    assert 0.05 <= reinforced(strange, 0, SETTINGS) <= 1.0
    assert 0.05 <= decayed(fact, START, SETTINGS) <= 1.0
    assert 0.0 <= utility(fact, START) <= 1.0


def test_half_the_confidence_is_left_after_one_half_life() -> None:
    fact = a_fact(confidence=0.8)
    later = START + timedelta(days=SETTINGS.half_life_days[Category.NOTE])
    assert decayed(fact, later, SETTINGS) == pytest.approx(0.4)


def test_what_was_seen_often_fades_slowly() -> None:
    later = START + timedelta(days=120)
    assert decayed(a_fact(evidence_count=8), later, SETTINGS) > decayed(a_fact(), later, SETTINGS)


def test_a_validation_restarts_the_decay() -> None:
    later = START + timedelta(days=100)
    assert decayed(a_fact(last_validated_at=later), later, SETTINGS) == 0.7


@examples(max_examples=150)
@given(confidences, evidences, days, days, st.sampled_from(DECAYING))
def test_decay_never_rises_with_time(
    confidence: float, evidence: int, first: float, second: float, category: Category
) -> None:
    fact = a_fact(confidence=confidence, evidence_count=evidence, category=category)
    early, late = sorted((first, second))
    before = decayed(fact, START + timedelta(days=early), SETTINGS)
    after = decayed(fact, START + timedelta(days=late), SETTINGS)
    assert 0.05 <= after <= before <= confidence


@pytest.mark.parametrize(
    "lasting",
    [
        {"pinned": True},
        {"source": Source.USER},
        {"category": Category.INSTRUCTION},
        {"category": Category.PREFERENCE},
        {"category": Category.PROFILE},
        {"created_at": None},
    ],
    ids=str,
)
def test_pinned_user_undated_and_lasting_facts_never_go_stale(lasting: dict[str, object]) -> None:
    fact = a_fact(**lasting)
    assert stale_at(fact, SETTINGS) is None
    assert decayed(fact, START + timedelta(days=9_000), SETTINGS) == 0.7


@examples(max_examples=150)
@given(st.floats(min_value=0.31, max_value=1.0), st.integers(min_value=1, max_value=500), st.sampled_from(DECAYING))
def test_stale_at_is_when_decay_crosses_the_threshold(confidence: float, evidence: int, category: Category) -> None:
    fact = a_fact(confidence=confidence, evidence_count=evidence, category=category)
    moment = stale_at(fact, SETTINGS)
    assert moment is not None
    assert decayed(fact, moment - timedelta(hours=1), SETTINGS) > SETTINGS.stale_below - 1e-9
    assert decayed(fact, moment + timedelta(hours=1), SETTINGS) < SETTINGS.stale_below + 1e-9


def test_a_fact_below_the_threshold_is_stale_from_the_start() -> None:
    assert stale_at(a_fact(confidence=0.2), SETTINGS) == START


def test_a_half_life_beyond_the_calendar_means_never() -> None:
    settings = Settings(half_life_days={Category.NOTE: 1e12})
    assert stale_at(a_fact(), settings) is None


def test_pinned_is_worth_more_than_the_users_and_that_more_than_learnt() -> None:
    pinned = a_fact(pinned=True, confidence=0.05)
    told = a_fact(source=Source.USER, confidence=0.05)
    learnt = a_fact(confidence=1.0, evidence_count=10_000)
    later = START + timedelta(days=4_000)
    assert utility(pinned, later) > utility(told, START) > utility(learnt, START)


@examples(max_examples=150)
@given(confidences, confidences, evidences, evidences, days, days)
def test_utility_grows_with_confidence_evidence_and_recency(
    c1: float, c2: float, e1: int, e2: int, d1: float, d2: float
) -> None:
    now = START + timedelta(days=20_000)
    worse = a_fact(confidence=min(c1, c2), evidence_count=min(e1, e2), created_at=now - timedelta(days=max(d1, d2)))
    better = a_fact(confidence=max(c1, c2), evidence_count=max(e1, e2), created_at=now - timedelta(days=min(d1, d2)))
    assert 0.0 <= utility(worse, now) <= utility(better, now) <= 1.0


def test_naive_times_are_taken_as_utc() -> None:
    assert stale_at(a_fact(created_at=START.replace(tzinfo=None)), SETTINGS) == stale_at(a_fact(), SETTINGS)
