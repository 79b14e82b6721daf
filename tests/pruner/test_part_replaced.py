"""What changes one of several things that a fact says leaves the others as they were."""

import pytest

from cfpm import Memory
from cfpm.model import Category, Status
from cfpm.pruner.changes import untouched


def told(*texts: str) -> dict[str, str]:
    """What is active after these sessions, by content the kind."""
    with Memory.open(":memory:") as memory:
        for number, text in enumerate(texts):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        return {fact.content: fact.category.value for fact in memory.facts(status=Status.ACTIVE)}


@pytest.mark.parametrize(
    ("older", "newer", "left"),
    [
        (
            "Lines are at most 88 columns, and every function has a docstring.",
            "100 columns now instead of 88.",
            "every function has a docstring.",
        ),
        (
            "Use tabs, never spaces, and put the ticket in each commit.",
            "Four spaces instead of tabs.",
            "put the ticket in each commit.",
        ),
        ("Answer in Italian and keep the code samples small.", "Larger code samples are fine.", "Answer in Italian"),
        (
            "Use British spelling, and print a packing list for each parcel.",
            "American spelling from here on.",
            "print a packing list for each parcel.",
        ),
        ("回复用中文，提交信息用英文写。", "提交信息改用中文写。", "回复用中文"),
    ],
)
def test_the_part_of_a_rule_that_nothing_changes_stays(older: str, newer: str, left: str) -> None:
    found = untouched(older, newer, Category.INSTRUCTION)

    assert found is not None
    assert older[found[0] : found[1]] == left


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Write tests table-driven.", "A function for each test case instead."),
        ("Keep answers short, I read them on my phone.", "You can write longer answers now."),
        ("Keep replies short and write them in German.", "Replies in English from now on."),
        ("Use tabs and never spaces.", "Four spaces instead of tabs."),
    ],
)
def test_of_a_rule_that_goes_as_a_whole_nothing_stays(older: str, newer: str) -> None:
    assert untouched(older, newer, Category.INSTRUCTION) is None


def test_a_new_value_of_one_thing_leaves_the_value_of_another() -> None:
    older = "The API listens on port 8080, and the staging database is db-3."
    newer = "Correction: the API listens on port 9090 now."

    found = told(older, newer)

    assert older not in found
    assert any("9090" in content for content in found)
    assert "the staging database is db-3." in found


def test_a_changed_part_of_a_rule_leaves_the_other_a_rule_that_is_grounded() -> None:
    older = "Always write commit messages in English, and never push to main."

    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": older}], session="first")
        memory.observe([{"role": "user", "content": "From now on write commit messages in German."}], session="second")
        active = {fact.content: fact for fact in memory.facts(status=Status.ACTIVE)}

    left = active["never push to main."]
    assert older not in active
    assert left.category is Category.INSTRUCTION
    assert older[left.span_start : left.span_end] == left.content


def test_the_reason_of_a_decision_that_is_gone_is_none() -> None:
    with Memory.open(":memory:") as memory:
        older = "We decided to fire with gas, the potter next door has a tank in her yard."
        memory.observe([{"role": "user", "content": older}], session="first")
        memory.observe(
            [{"role": "user", "content": "Change of plan: forget gas, we fire with wood."}], session="second"
        )
        active = {fact.content: fact for fact in memory.facts(status=Status.ACTIVE)}

    assert older not in active
    assert active["the potter next door has a tank in her yard."].category is Category.NOTE
