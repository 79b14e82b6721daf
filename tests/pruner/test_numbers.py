"""Where the pruner draws its lines: how alike, how often and how old, on either side of each number that decides it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cfpm import Status
from cfpm.model import Category, Fact
from cfpm.pruner.relation.contradiction import contradicts
from cfpm.pruner.relation.sameness import same
from cfpm.pruner.retention import decayed, reinforced, stale_at
from cfpm.settings import Settings
from tests.pruner.test_updates import told

START = datetime(2026, 1, 10, tzinfo=UTC)


def a_fact(category: Category = Category.NOTE, confidence: float = 0.7) -> Fact:
    return Fact("fact_1", "n", category, "k", "c", created_at=START, confidence=confidence)


def is_one(one: str, other: str) -> bool:
    return same(one, other, threshold=Settings().fuzzy_threshold).same


# --- how alike ---


def test_a_letter_left_out_of_a_long_word_is_a_slip_and_of_a_short_one_another_word() -> None:
    assert is_one("The accommodation is booked", "The accomodation is booked")
    assert not is_one("The kettles stand in the kitchen", "The ketles stand in the kitchen")


ROUND = "Otis from the harbour office carries the parcels for the bakery to the castle of the old town by bicycle"


def test_one_more_word_in_a_long_sentence_is_the_same_and_two_more_are_not() -> None:
    long = f"{ROUND} through the orchard"
    assert is_one(long, long.replace("parcels", "heavy parcels"))
    assert not is_one(long, long.replace("parcels", "heavy brown parcels"))


def test_one_more_word_in_a_short_sentence_is_another_fact() -> None:
    assert len(told("The parcels are in the shed.", "The parcels are in the garden shed.")) == 2


def test_a_short_statement_turned_round_contradicts() -> None:
    assert contradicts("He is always late", "He is never late")


def test_a_new_value_is_found_behind_many_facts_with_the_same_words() -> None:
    others = [f"The choir of {place} sings in May." for place in ("Ghent", "Bruges", "Ostend", "Lier", "Mechelen")]
    facts = told("The choir has 14 singers this season.", *others, "The choir now has 19 singers.")
    assert facts["The choir has 14 singers this season."].status is Status.SUPERSEDED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I finished 10 of the drills.", "I finished 15 of the drills."),
        ("I ran 10 km of the route.", "I ran 15 km of the route."),
    ],
    ids=["little in common", "a measure and no tally"],
)
def test_a_greater_number_alone_takes_no_place(old: str, new: str) -> None:
    assert [fact.status for fact in told(old, new).values()] == [Status.ACTIVE, Status.ACTIVE]


def test_a_thing_named_in_several_words_is_denied_whatever_was_done_with_it() -> None:
    facts = told("I stored the folding kayak paddle in the harbour shed.", "I've never owned a folding kayak paddle.")
    assert all(fact.contradicts for fact in facts.values())
    facts = told("I stored the paddle in the harbour shed.", "I've never owned a paddle.")
    assert not any(fact.contradicts for fact in facts.values())


# --- how often ---


def test_what_was_seen_twice_is_believed_more_and_is_not_certain() -> None:
    assert 0.75 < reinforced(0.7, 1, Settings()) < 0.85


def test_what_was_seen_over_and_over_is_nearly_certain() -> None:
    confidence = 0.7
    for evidence in range(1, 100):
        confidence = reinforced(confidence, evidence, Settings())
    assert 0.9 < confidence < 1


# --- how old ---


@pytest.mark.parametrize(
    ("category", "after", "before"),
    [
        (Category.INVALID_PATH, 25, 75),
        (Category.OPEN_ITEM, 50, 120),
        (Category.GOAL, 130, 365),
        (Category.VERIFIED_ACTION, 130, 365),
        (Category.NOTE, 300, 730),
        (Category.DECISION, 300, 730),
        (Category.ARTIFACT, 300, 730),
        (Category.EVENT, 600, 1_500),
    ],
)
def test_what_nobody_confirms_goes_stale_in_its_time(category: Category, after: int, before: int) -> None:
    moment = stale_at(a_fact(category), Settings())
    assert moment is not None
    assert after < (moment - START).days < before


def test_in_the_end_next_to_nothing_is_left_of_what_nobody_confirms() -> None:
    assert 0 < decayed(a_fact(), START + timedelta(days=9_000), Settings()) < 0.15
