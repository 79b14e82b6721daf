"""What a user says and means for every time is a standing rule; facts, plans and reasons about the same are none."""

from __future__ import annotations

import pytest

from cfpm.text.heads.sentence import judge
from cfpm.text.heads.standing import surely_a_rule, values


def surely(text: str, *, by_pattern: bool = False, asked: bool = False) -> int:
    (told,) = judge([text])
    return surely_a_rule(text, told, by_pattern=by_pattern, asked=asked)


@pytest.mark.parametrize(
    ("rule", "fact"),
    [
        (
            "Anything over forty euros for the greenhouse goes past Henk first.",
            "Henk paid forty euros for the greenhouse last week.",
        ),
        (
            "Whenever you write to the orchestra, put the rehearsal room in the subject.",
            "The orchestra wrote that the rehearsal room is flooded again.",
        ),
        ("发给合唱团的通知一律不超过三行。", "合唱团的通知昨天发了，三行。"),
    ],
)
def test_a_rule_is_surer_than_a_fact_about_the_same(rule: str, fact: str) -> None:
    assert surely(rule) >= 600
    assert surely(fact) < 400


def test_words_that_show_a_rule_speak_for_one_and_a_request_against() -> None:
    text = "The labels of the seed bags are printed in green."
    assert surely(text, asked=True) < surely(text) < surely(text, by_pattern=True)


def test_what_is_weighed_is_finite_where_the_encoder_read_nothing() -> None:
    (told,) = judge(["Seed bags have green labels."])
    unread = told._replace(meant={})
    assert (
        values("", unread, by_pattern=False, asked=False).keys()
        == values("x", told, by_pattern=True, asked=False).keys()
    )
    assert 0 <= surely_a_rule("Seed bags have green labels.", unread, by_pattern=False, asked=False) <= 1_000
