"""What takes the place of a standing rule is a rule, if it is anything like one."""

import pytest

from cfpm import Memory
from cfpm.model import Category, Draft, Fact, Role, Scope, Span, Status
from cfpm.pruner.changes import Proposal, Writer
from cfpm.settings import Settings


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


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("Sanne got her licence on Friday and brought us cake.", Category.NOTE),
        ("From now on anybody may drive the forklift, but always with the lights on.", Category.INSTRUCTION),
    ],
)
def test_what_is_nothing_like_a_rule_ends_one_and_is_none(change: str, kind: Category) -> None:
    scope = Scope("default", "later")
    said = Draft(Category.NOTE, change, span=Span("m2", 0, len(change)), rule="note", role=Role.USER)
    new = Proposal(said, "fact_new", change, "cand_new")
    rule = Fact(id="fact_old", namespace="default", category=Category.INSTRUCTION, key="k", content="Only I drive it.")

    told = Writer(scope, Settings(), None).in_kind_of(new, [rule], lambda _: None)

    assert told.draft.category is kind


def test_an_order_of_the_moment_ends_no_rule() -> None:
    rule = "Never send the newsletter after 6 pm, write that down as a rule."
    order = "ok send the newsletter now, it's half past seven but never mind."
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": rule}, {"role": "assistant", "content": "Noted."}], session="first")
        memory.observe(
            [{"role": "user", "content": order}, {"role": "assistant", "content": "Sent."}], session="second"
        )

        (standing,) = memory.facts(category=Category.INSTRUCTION)

        assert standing.status is Status.ACTIVE
        assert standing.contradicts
        assert rule.partition(",")[0] in memory.recall("Send the newsletter to everybody.").block


def test_a_short_change_with_a_word_of_change_ends_one() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "user", "content": "Sign mails to guests with Kind regards, Tove."}], session="first")
        memory.observe([{"role": "user", "content": "Sign them 'Tove from the inn' from now on."}], session="second")

        rules = [fact for fact in memory.facts(category=Category.INSTRUCTION) if fact.status is Status.ACTIVE]

        assert ["from now on" in fact.content for fact in rules] == [True]
