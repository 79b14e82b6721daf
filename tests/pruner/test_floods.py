"""A turn that holds hundreds of statements: the work grows with their number and has an end, whatever they share."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from cfpm import Memory
from cfpm.model import Category, Fact
from cfpm.pruner.key_index import KeyIndex
from cfpm.settings import Settings


def statements(count: int, first: int = 0) -> str:
    """Sentences that share most of their words, so that each may be the same as any other."""
    colours = ("blue", "green", "quiet", "heavy", "bright")
    return "\n".join(f"I prefer the {colours[n % 5]} kettle in cellar {n}." for n in range(first, first + count))


def calls_of(count: int, first: int) -> int:
    """Calls of Python functions that observing so many statements in one message takes: work without a clock."""
    calls = 0

    def note(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": "I like tea."}])
        sys.setprofile(note)
        try:
            memory.observe([{"role": "user", "content": statements(count, first)}])
        finally:
            sys.setprofile(None)
    return calls


@pytest.mark.slow
def test_twice_the_statements_of_a_message_take_about_twice_the_work() -> None:
    calls_of(50, 5_000)  # what is loaded by the first turn is no part of its work
    once = calls_of(250, 1_000)
    # Somewhat more than twice: what is kept of the texts read last does not hold all of them any more.
    assert calls_of(500, 2_000) < 2.7 * once


def test_a_turn_that_used_up_its_comparisons_refuses_the_rest_on_record() -> None:
    with Memory.open("sqlite://", settings=Settings(max_comparisons_per_turn=100)) as memory:
        report = memory.observe([{"role": "user", "content": statements(60)}])
        refused = memory.candidates(reason="over_capacity")
        assert report.accepted + len(refused) == 60
        assert 10 < report.accepted < 60
        assert {row.rule for row in refused} == {"work"}
        later = memory.observe([{"role": "user", "content": "Always run the linter before a commit."}])
        assert later.accepted == 1


def test_what_a_turn_refuses_for_its_work_is_the_same_every_time() -> None:
    kept = []
    for _ in range(2):
        with Memory.open("sqlite://", settings=Settings(max_comparisons_per_turn=100)) as memory:
            memory.observe([{"role": "user", "content": statements(60)}])
            kept.append([(row.content, row.decision) for row in memory.candidates()])
    assert kept[0] == kept[1]


def a_fact(number: int, message: str = "m", topic: str = "") -> Fact:
    return Fact(f"f{number}", "default", Category.NOTE, str(number), f"{number}", message_id=message, topic=topic)


def test_an_index_finds_the_latest_of_a_key_in_the_order_of_their_first_change() -> None:
    index = KeyIndex(lambda fact: (fact.topic, "all"))
    for number in range(10):
        index.put(a_fact(number, topic="odd" if number % 2 else "even"))
    assert index.find(["odd"], 3, 9) == ["f5", "f7", "f9"]
    assert index.find(["odd", "all"], 9, 3) == ["f5", "f7", "f9"]
    assert index.find(["nothing"], 9, 9) == []


def test_an_index_knows_a_changed_fact_by_its_new_keys_alone() -> None:
    index = KeyIndex(lambda fact: (fact.topic,))
    index.put(a_fact(1, topic="port"))
    assert index.find(["port"], 9, 9) == ["f1"]
    index.put(a_fact(1, topic="host"))
    assert index.find(["port"], 9, 9) == []
    assert index.find(["host"], 9, 9) == ["f1"]


def test_an_index_leaves_a_message_that_is_asked_for_apart_until_another_asks() -> None:
    index = KeyIndex(lambda fact: (fact.topic,))
    index.put(a_fact(1, "m1", "port"))
    index.put(a_fact(2, "m2", "port"))
    assert index.find(["port"], 9, 9, apart_from="m2") == ["f1"]
    assert index.find(["port"], 9, 9, apart_from="m3") == ["f1", "f2"]


def test_what_many_statements_contradict_names_the_latest_of_them() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": "I have never visited the lighthouse museum."}])
        for number in range(50):
            told = f"I visited the lighthouse museum with colleague number {number} in spring."
            memory.observe([{"role": "user", "content": told}])
        (denial,) = [fact for fact in memory.facts() if "never" in fact.content]
        named = denial.contradicts.split()
        assert len(named) == 32
        assert memory.fact(named[-1]).content.find("number 49") > 0
