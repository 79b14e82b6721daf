"""What is said anew in other words: replaced, linked or merged by what the learnt head judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.train.pairs import alone
from cfpm import Memory
from cfpm.model import Status
from cfpm.settings import Settings
from cfpm.text.heads.nearness import closeness
from cfpm.text.heads.relation import judge
from cfpm.text.heads.replacement import replaces

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


def said(memory: Memory, *texts: str, name: str = "") -> None:
    """Tells each text in a turn of its own."""
    for text in texts:
        number = len(memory.candidates())
        memory.observe([{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": "Hello!"}])
        memory.observe([{"role": "user", "content": text, "id": f"{name}{number}"} | ({"name": name} if name else {})])


def statuses(memory: Memory) -> dict[str, Status]:
    return {fact.content: fact.status for fact in memory.facts(status=None)}


OLD, NEW = "My rabbit Pepper lives in the shed.", "We moved Pepper the rabbit out of the shed and onto the balcony."
NEVER, ONCE = "I have never been to Japan.", "When I was in Japan I ate eel every week."


def test_an_update_takes_the_place_of_the_older(memory: Memory) -> None:
    said(memory, OLD, NEW)
    assert statuses(memory)[OLD] is Status.SUPERSEDED
    assert statuses(memory)[NEW] is Status.ACTIVE


def test_without_a_shared_word(memory: Memory) -> None:
    said(memory, "I live in Ghent.", "We finally relocated, it's Lyon for us these days.")
    assert statuses(memory)["I live in Ghent."] is Status.SUPERSEDED


def test_the_same_with_another_value_in_other_words(memory: Memory) -> None:
    said(memory, "The API port is 8080.", "The API listens on 8081.")
    assert statuses(memory)["The API port is 8080."] is Status.SUPERSEDED


def test_what_is_told_beside_it_replaces_nothing(memory: Memory) -> None:
    said(memory, OLD, "Pepper the rabbit eats hay in the morning.")
    assert statuses(memory)[OLD] is Status.ACTIVE


def test_a_contradiction_is_linked_and_both_stand(memory: Memory) -> None:
    said(memory, NEVER, ONCE)
    facts = {fact.content: fact for fact in memory.facts(status=None)}
    assert facts[NEVER].status is facts[ONCE].status is Status.ACTIVE
    assert facts[NEVER].id in facts[ONCE].contradicts
    assert facts[ONCE].id in facts[NEVER].contradicts


def test_the_same_again_confirms_the_older(memory: Memory) -> None:
    said(memory, "My brother Tom is a nurse.", "Tom, my brother, works as a nurse.")
    (fact,) = (fact for fact in memory.facts() if "nurse" in fact.content)
    assert (fact.content, fact.evidence_count) == ("My brother Tom is a nurse.", 2)


def test_other_numbers_are_never_the_same(memory: Memory) -> None:
    old, new = "The rabbit food is in box 4.", "The food for the rabbit is in box 5."
    said(memory, old, new)
    assert new in statuses(memory)


def test_other_names_are_never_the_same(memory: Memory) -> None:
    said(memory, "We need to support the Alpha wallet.", "We need to support the Beta wallet.")
    assert "We need to support the Beta wallet." in statuses(memory)


def test_what_is_asked_for_ends_nothing(memory: Memory) -> None:
    said(memory, OLD, "Please move the picture of the rabbit Pepper from the shed folder to the balcony folder.")
    assert statuses(memory)[OLD] is Status.ACTIVE


def test_a_pinned_fact_stays(memory: Memory) -> None:
    said(memory, OLD)
    memory.pin(next(fact.id for fact in memory.facts() if fact.content == OLD))
    said(memory, NEW)
    assert statuses(memory)[OLD] is Status.ACTIVE


def test_what_another_says_takes_no_place(memory: Memory) -> None:
    memory.observe([{"role": "user", "name": "ann", "content": OLD}, {"role": "user", "name": "bob", "content": NEW}])
    assert statuses(memory)[OLD] is Status.ACTIVE


def test_in_one_message_nothing_replaces_its_neighbour(memory: Memory) -> None:
    said(memory, f"{OLD} {NEW}")
    assert Status.SUPERSEDED not in statuses(memory).values()


def test_a_rule_replaces_a_rule(memory: Memory) -> None:
    old = "Always name test functions in snake_case."
    said(memory, old, "Name test functions in camelCase from now on.")
    assert statuses(memory)[old] is Status.SUPERSEDED


def test_what_is_only_asked_for_may_end_a_rule(memory: Memory) -> None:
    rule = "Always add type hints to every function."
    said(memory, rule, "You can drop the type hints on functions.")
    assert statuses(memory)[rule] is Status.SUPERSEDED


def test_what_names_no_value_of_the_rule_may_end_it(memory: Memory) -> None:
    rule = "Reply in German."
    said(memory, rule, "English is fine from now on.")
    assert statuses(memory)[rule] is Status.SUPERSEDED


def test_a_rule_that_is_said_again_stands(memory: Memory) -> None:
    rule = "Use yarn, not npm."
    said(memory, rule, "I said yarn.", "As I said: yarn.")
    assert statuses(memory) == {rule: Status.ACTIVE}


def test_the_same_of_another_file_is_not_said_again(memory: Memory) -> None:
    rules = [f"Never touch the file part_{number}.py of the shop." for number in range(12)]
    memory.observe([{"role": "user", "content": rule} for rule in rules])
    assert {statuses(memory).get(rule) for rule in rules} == {Status.ACTIVE}


def test_rules_for_other_files_stand_beside_each_other(memory: Memory) -> None:
    rules = [f"Never touch the file {name}.py of the shop." for name in ("cart", "order", "stock")]
    said(memory, *rules)
    assert {statuses(memory)[rule] for rule in rules} == {Status.ACTIVE}


def test_an_order_of_the_moment_ends_no_rule(memory: Memory) -> None:
    rule = "Always add type hints to every function."
    said(memory, rule, "Please rename the function load in this file to read_rows.", "Add a test for the empty list.")
    assert statuses(memory)[rule] is Status.ACTIVE


def test_the_verdict_says_how_sure_it_was(memory: Memory) -> None:
    said(memory, OLD, NEW)
    verdict = next(one for one in memory.candidates() if one.content == NEW)
    (older,) = alone(NEW, [OLD])
    (close,) = closeness([older.meant])
    assert f"{replaces(NEW, OLD, judge(NEW, [OLD])[0], close)} of 1000" in verdict.detail


def test_long_talk_on_one_subject_replaces_nothing(memory: Memory) -> None:
    older = (
        "I'm trying to find out how the harbour museum could attract more school classes, and I want to make sure that"
        " the guided tours stay affordable, especially since two schools cancelled in March."
    )
    newer = (
        "I'm trying to plan the harbour museum's summer programme for school classes, and I was wondering whether the"
        " guided tours should be shorter, considering that the pupils got restless after an hour."
    )
    said(memory, older, newer)
    assert Status.SUPERSEDED not in statuses(memory).values()


def test_a_request_for_help_ends_no_rule(memory: Memory) -> None:
    rules = ["Always show the version of a library when I ask about dependencies.", "Always indent code with tabs."]
    said(memory, *rules)
    said(memory, "I'm trying to upgrade my dependencies, can you help me write a script that formats my code?")
    assert {statuses(memory)[rule] for rule in rules} == {Status.ACTIVE}


def test_without_pairs_nothing_is_read() -> None:
    with Memory.open("sqlite://", settings=Settings(max_pairs_per_turn=0)) as memory:
        said(memory, OLD, NEW)
        assert statuses(memory)[OLD] is Status.ACTIVE


def test_of_one_message_only_so_many_pairs_are_read() -> None:
    olds = ["My rabbit Pepper lives in the shed.", "My sister Hanna works at a bank.", "I ride my bike to the office."]
    news = [
        "We moved Pepper the rabbit out of the shed and onto the balcony.",
        "My sister Hanna has left the bank for a school.",
        "I sold the bike and take the tram to the office.",
    ]

    def retired(pairs: int) -> int:
        with Memory.open("sqlite://", settings=Settings(max_pairs_per_turn=pairs)) as memory:
            said(memory, *olds, "\n".join(news))
            return sum(status is Status.SUPERSEDED for status in statuses(memory).values())

    assert retired(1) <= 1 < retired(16)


def test_each_statement_of_a_message_is_compared_with_the_rules() -> None:
    rules = [
        "Write string literals with single quotes.",
        "Every public function gets a docstring.",
        "Keep lines under 80 columns.",
    ]
    with Memory.open("sqlite://") as memory:
        said(memory, *rules)
        said(
            memory,
            "The importer runs at night.\nTests live beside the module that they test.\n"
            "Lines of 120 columns are fine.\nYou can leave out the docstrings on public functions.\n"
            "Use double quotes for string literals from now on.",
        )
        assert [statuses(memory)[rule] for rule in rules] == [Status.SUPERSEDED] * 3


def test_a_request_that_a_rule_is_about_does_not_end_it(memory: Memory) -> None:
    rule = "Always list the steps when I ask how to fix the boiler."
    said(memory, rule, "Can you explain how the boiler works so that I can fix it?")
    assert statuses(memory)[rule] is Status.ACTIVE


def test_of_all_statements_of_a_turn_the_likeliest_pair_is_read() -> None:
    settings = Settings(max_pairs_per_turn=1)
    with Memory.open("sqlite://", settings=settings) as memory:
        said(memory, "Our office has a coffee machine on the second floor.", OLD)
        said(memory, f"The second floor of the office is being painted. {NEW}")
        assert statuses(memory)[OLD] is Status.SUPERSEDED
