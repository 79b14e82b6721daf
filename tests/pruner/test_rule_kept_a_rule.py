"""What takes the place of a standing rule is a rule, whatever kind its words alone would be."""

import pytest

from cfpm import Memory
from cfpm.model import Category, Status


@pytest.mark.parametrize(
    ("rule", "change", "left"),
    [
        (
            "Reply in German and keep the answers short.",
            "Longer answers are fine now, I have more time to read.",
            ["Reply in German"],
        ),
        (
            "Never touch the migrations folder or the generated clients.",
            "It's ok to edit the generated clients now, we dropped the generator.",
            ["Never touch the migrations folder"],
        ),
    ],
)
def test_what_ends_a_rule_stands_in_its_place(rule: str, change: str, left: list[str]) -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": rule}], session="first")
        memory.observe([{"role": "user", "content": change}], session="second")

        rules = memory.facts(category=Category.INSTRUCTION, status=Status.ACTIVE)

        assert [fact.content for fact in rules] == [*left, change]
        assert change in memory.recall("Where were we?").block


@pytest.mark.parametrize(
    ("told", "change"),
    [
        ("The staging API listens on port 8080.", "Correction: the staging API listens on port 9090 now."),
        ("Our staging database is db-3.", "Since Monday our staging database is db-7."),
    ],
)
def test_what_opens_a_session_and_changes_what_was_told_is_told(told: str, change: str) -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": told}], session="first")
        memory.observe([{"role": "user", "content": change}], session="second")

        (fact,) = memory.facts(status=Status.ACTIVE)

        assert (fact.category, fact.content) == (Category.NOTE, change)
        assert change in memory.brief().text
