"""Which standing rules a statement ends, by the weights that ship."""

from __future__ import annotations

import pytest

from benchmarks.train.pairs import alone
from cfpm.text.heads.rule_change import MANY, READ, Signals
from cfpm.text.heads.rule_change import ended as ended_by
from cfpm.text.heads.rule_change import signals as signals_of

RULES = [
    "Write string literals with single quotes.",
    "Every public function gets a docstring.",
    "Keep lines under 80 columns.",
    "Ask me before you install a package.",
]


def ended(newer: str, rules: list[str]) -> list[tuple[int, int]]:
    return ended_by(newer, alone(newer, rules))


def signals(newer: str, rules: list[str]) -> dict[int, Signals]:
    return signals_of(newer, alone(newer, rules))


@pytest.mark.parametrize(
    ("newer", "rule"),
    [
        ("Use double quotes for string literals from now on.", 0),
        ("You can leave out the docstrings on public functions.", 1),
        ("Lines of 120 columns are fine.", 2),
    ],
)
def test_a_change_ends_the_rule_that_it_is_about(newer: str, rule: int) -> None:
    assert [place for place, _ in ended(newer, RULES)] == [rule]


@pytest.mark.parametrize(
    "newer",
    [
        "Name the branches after the ticket.",
        "Put tests beside the module that they test.",
        "Please rename the helper in this file to parse_rows.",
        "The importer is slow today.",
    ],
)
def test_another_rule_or_an_order_ends_none(newer: str) -> None:
    assert ended(newer, RULES) == []


def test_without_rules_nothing_is_ended() -> None:
    assert ended("Use tabs.", []) == []


def test_only_the_nearest_are_read() -> None:
    read = signals("Use double quotes for string literals.", [*RULES, "Answer in German.", "Call me Sam."])
    assert len(read) == READ
    assert read[0].words.rank == 0
    assert read[0].words.gap > 0


def test_how_many_rules_stand_near_and_which_is_meant_is_known() -> None:
    rules = [*RULES, "Answer in German.", *(f"Name file {number} after its class." for number in range(8))]
    read = signals("Use double quotes for string literals from now on.", rules)
    meant = read[0]

    assert meant.many == MANY < len(rules)
    assert meant.others == max(one.update + one.contradict for place, one in read.items() if place != 0)
    assert signals("Use tabs.", RULES[:1])[0].others == 0
