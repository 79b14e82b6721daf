"""What was forgotten is never learnt or shown again: said again, echoed, in other words, behind many others."""

from __future__ import annotations

import pytest

from cfpm import Category, Memory, Status
from tests.reference.transcripts import GREETING, Row, agent, reasons, the_fact, user

ADDRESS = "I live at 12 Rose Street in Leeds."

AGAIN = [
    user("By the way, I live at 12 Rose Street in Leeds."),
    user("My home is 12 Rose Street, Leeds."),
    user("I LIVE AT 12 ROSE STREET IN LEEDS"),
    agent("Noted: you live at 12 Rose Street in Leeds."),
    agent("The user resides at 12 Rose Street, Leeds."),
]


def forget_address(memory: Memory) -> None:
    memory.observe([GREETING, user(ADDRESS)], session="first")
    memory.forget(the_fact(memory, ADDRESS).id)


@pytest.mark.parametrize("again", AGAIN, ids=[str(row["content"])[:24] for row in AGAIN])
def test_said_again_in_nearly_the_same_words_it_stays_forgotten(memory: Memory, again: Row) -> None:
    forget_address(memory)
    memory.observe([GREETING, again], session="second")
    active = memory.facts(status=Status.ACTIVE)
    assert not [fact for fact in active if "Rose" in fact.content or "ROSE" in fact.content]
    block = memory.recall("where do I live? 12 Rose Street Leeds").block
    assert "rose" not in block.casefold()


def test_its_words_are_not_found_by_search(memory: Memory) -> None:
    forget_address(memory)
    memory.observe([GREETING, agent("You live at 12 Rose Street in Leeds, so the depot is near.")], session="second")
    found = memory.store.search.messages([memory.scope.namespace], "Rose Street", 10)
    assert found == []


def test_another_value_is_learnt(memory: Memory) -> None:
    forget_address(memory)
    memory.observe([GREETING, user("I live at 7 Mill Lane in York.")], session="second")
    assert "I live at 7 Mill Lane in York." in [fact.content for fact in memory.facts(status=Status.ACTIVE)]


@pytest.mark.slow
def test_the_first_of_six_hundred_stays_forgotten(memory: Memory) -> None:
    forget_address(memory)
    for number in range(600):
        fact = memory.remember(f"Parcel {number} lies in shed {number * 7}.", category=Category.NOTE)
        memory.forget(fact.id)
    memory.observe([GREETING, user("As I said, I live at 12 Rose Street in Leeds.")], session="second")
    assert reasons(memory)["As I said, I live at 12 Rose Street in Leeds."] == "forgotten"
    assert "Rose" not in memory.recall("12 Rose Street Leeds").block


def test_a_fact_in_other_words_goes_with_it(memory: Memory) -> None:
    memory.observe([GREETING, user(ADDRESS)], session="first")
    twin = memory.remember("The user lives at 12 Rose Street, Leeds", category=Category.PROFILE)
    memory.forget(the_fact(memory, ADDRESS).id)
    assert memory.fact(twin.id).status is Status.FORGOTTEN


def test_what_the_user_dictates_again_may_be_learnt_again(memory: Memory) -> None:
    forget_address(memory)
    memory.remember("My address is 12 Rose Street, Leeds", category=Category.NOTE)
    memory.observe([GREETING, user("You know that I live at 12 Rose Street in Leeds now.")], session="second")
    assert "forgotten" not in reasons(memory).values()
    assert "Rose" in memory.recall("12 Rose Street Leeds").block


def test_a_rollback_takes_the_tombstone_away(memory: Memory) -> None:
    memory.observe([GREETING, user(ADDRESS)], session="first")
    before = memory.store.events.last(memory.scope.namespace)
    memory.forget(the_fact(memory, ADDRESS).id)
    memory.rollback(before)
    assert not memory.store.tombstones.exist()
    assert "Rose" in memory.recall("12 Rose Street Leeds").block


def test_tombstones_hold_no_word(memory: Memory) -> None:
    forget_address(memory)
    rows = memory.store.connection.rows("SELECT * FROM tombstones")
    assert rows
    assert "rose" not in repr(rows).casefold()
