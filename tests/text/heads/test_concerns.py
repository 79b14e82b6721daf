"""A rule's vector lies near to what is ordered and the rule concerns, in whatever words."""

from __future__ import annotations

import pytest

from cfpm.text.heads.asking import wide_vector
from cfpm.text.heads.concerns import concerns, rule_vector

RULES = (
    "Whatever leaves the workshop gets a photograph first.",
    "prices only with tax in them, the neighbours complained",
    "no phone calls while the kiln is firing",
    "sign letters with my full name",
    "Anything over 300 euros I decide myself.",
)


@pytest.mark.parametrize(
    ("order", "rule"),
    [
        ("Pack the blue vase for Mrs Amsel and ship it tonight.", RULES[0]),
        ("What would twelve soup bowls cost her?", RULES[1]),
        ("Buy us the bigger wheel, the one for 1,150.", RULES[4]),
    ],
)
def test_the_rule_that_concerns_an_order_is_nearest(order: str, rule: str) -> None:
    told = concerns(order, RULES)
    assert RULES[told.index(max(told))] == rule


def test_vectors_have_length_1_and_are_the_same_each_time() -> None:
    found = rule_vector(RULES[0])
    assert abs(float(found @ found) - 1) < 1e-5
    rule_vector.cache_clear()
    assert (found == rule_vector(RULES[0])).all()


def test_what_has_no_word_concerns_nothing() -> None:
    assert concerns("Ship it.", ["", " \n"]) == [0.0, 0.0]
    assert concerns("", RULES) == [0.0] * len(RULES)
    assert not wide_vector("").any()
    assert concerns("Ship it.", []) == []
