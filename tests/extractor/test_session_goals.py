"""What a session opens with is its goal."""

from __future__ import annotations

from cfpm.model import Category
from tests.extractor.saying import clean, drafts, user

ASKED = "Explain this change to me 3f2a91c What does it do to the cart exactly?"


def test_an_opening_request_that_runs_into_a_question_is_a_goal() -> None:
    assert clean(drafts(user(ASKED), opening=True), Category.GOAL) == [ASKED]


def test_later_on_it_is_a_question() -> None:
    assert clean(drafts(user(ASKED)), Category.GOAL) == []


def test_that_something_holds_no_longer_is_told_and_no_goal() -> None:
    text = "The Leeds fair is off, the hall burnt down."
    assert clean(drafts(user(text), opening=True), Category.GOAL) == []
