"""A rule's vector lies near to what is ordered and the rule concerns, in whatever words."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cfpm.text.heads.asking import wide_vector
from cfpm.text.heads.concerns import concerns

RULES = (
    "Whatever leaves the workshop gets a photograph first.",
    "prices only with tax in them, the neighbours complained",
    "no phone calls while the kiln is firing",
    "sign letters with my full name",
    "Anything over 300 euros I decide myself.",
)


_TELL = """
import json, sys
from cfpm.text.heads.concerns import rule_vectors
print(json.dumps([vector.round(4).tolist() for vector in rule_vectors(sys.argv[1:])]))
"""


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


def test_vectors_have_length_1_and_are_the_same_alone_and_together() -> None:
    """In two processes: one keeps what it has read."""
    together, alone = (
        json.loads(subprocess.run([sys.executable, "-c", _TELL, *rules], check=True, capture_output=True).stdout)
        for rules in (RULES, RULES[2:3])
    )
    assert together[2] == alone[0]
    assert abs(sum(one * one for one in alone[0]) - 1) < 1e-3


def test_what_has_no_word_concerns_nothing() -> None:
    assert concerns("Ship it.", ["", " \n"]) == [0.0, 0.0]
    assert concerns("", RULES) == [0.0] * len(RULES)
    assert not wide_vector("").any()
    assert concerns("Ship it.", []) == []
