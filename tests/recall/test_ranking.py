"""What a query brings back, in which order, and what never comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm.model import Category, Role, Status
from cfpm.recall import rank
from cfpm.recall.passages import passage
from tests.recall.remembering import SHOP, keep, say

if TYPE_CHECKING:
    from cfpm.store.store import Store


def texts(store: Store, query: str, k: int = 8) -> list[str]:
    return [item.text for item in rank(store, [SHOP], query, k)]


def test_the_fact_that_answers_comes_first(store: Store) -> None:
    keep(store, "The build writes its output to dist/bundle")
    keep(store, "The staging database is called orchard")
    assert texts(store, "where does the build write its output?")[0] == "The build writes its output to dist/bundle"


def test_a_chinese_question_finds_a_chinese_fact(store: Store) -> None:
    keep(store, "构建结果写入产物目录")
    keep(store, "数据库的名字是果园")
    assert texts(store, "构建结果在哪里")[0] == "构建结果写入产物目录"


def test_turns_are_found_when_no_fact_knows(store: Store) -> None:
    say(store, "The courier only comes on Thursdays.", ident="m1")
    (item,) = rank(store, [SHOP], "when does the courier come?", 3)
    assert (item.kind, item.id, item.message_id, item.session) == ("turn", "m1", "m1", "s1")


def test_confirmed_facts_stand_before_weak_ones(store: Store) -> None:
    keep(store, "The courier comes on Thursday", confidence=0.4)
    keep(store, "The courier comes on Tuesday", confidence=0.95, evidence_count=6)
    assert texts(store, "when does the courier come")[0] == "The courier comes on Tuesday"


def test_newer_stands_before_older_at_equal_words(store: Store) -> None:
    keep(store, "The courier comes on Thursday", day=0)
    keep(store, "The courier comes on Tuesday", day=400)
    assert texts(store, "when does the courier come")[0] == "The courier comes on Tuesday"


def test_pinned_stands_first_at_equal_words(store: Store) -> None:
    keep(store, "The courier comes on Thursday", pinned=True)
    keep(store, "The courier comes on Tuesday")
    assert texts(store, "when does the courier come")[0] == "The courier comes on Thursday"


@pytest.mark.parametrize("gone", [Status.FORGOTTEN, Status.SUPERSEDED])
def test_what_is_forgotten_or_superseded_never_comes_back_even_pinned(store: Store, gone: Status) -> None:
    keep(store, "The courier comes on Thursday", status=gone, pinned=True)
    assert texts(store, "when does the courier come") == []
    assert texts(store, "") == []


def test_a_turn_that_a_shown_fact_says_is_dropped(store: Store) -> None:
    say(store, "The courier comes on Thursday.", ident="m1")
    keep(store, "The courier comes on Thursday", message_id="m1")
    assert [item.kind for item in rank(store, [SHOP], "courier", 5)] == ["fact"]


def test_a_turn_that_says_more_than_the_fact_stays(store: Store) -> None:
    say(store, "The courier comes on Thursday. " + "She rings twice and leaves the parcel. " * 3, ident="m1")
    keep(store, "The courier comes on Thursday", message_id="m1")
    assert sorted(item.kind for item in rank(store, [SHOP], "courier", 5)) == ["fact", "turn"]


def test_the_same_words_said_twice_are_shown_once(store: Store) -> None:
    say(store, "Ask the courier!", ident="m1")
    say(store, "ask the courier", ident="m2")
    assert len(rank(store, [SHOP], "courier", 5)) == 1


def test_what_people_said_stands_before_tool_output(store: Store) -> None:
    say(store, "parcel courier thursday gate", ident="m1", role=Role.TOOL)
    say(store, "parcel courier thursday door", ident="m2", role=Role.USER)
    assert [item.id for item in rank(store, [SHOP], "parcel courier", 5)] == ["m2", "m1"]


def test_each_share_of_the_score_is_told(store: Store) -> None:
    keep(store, "The courier comes on Thursday", pinned=True)
    (item,) = rank(store, [SHOP], "courier", 5)
    assert {"words", "meaning", "confidence", "evidence", "recency", "pinned"} <= set(item.why)
    assert item.score == pytest.approx(sum(item.why.values()))
    assert 0 < item.score <= 1


@pytest.mark.parametrize("empty", ["", "   ", "\n"])
def test_without_a_query_pinned_facts_and_instructions_stand(store: Store, empty: str) -> None:
    keep(store, "Use tabs in Makefiles", Category.INSTRUCTION)
    keep(store, "The archive key hangs behind the door", pinned=True)
    keep(store, "The courier comes on Thursday")
    say(store, "hello", ident="m1")
    assert texts(store, empty) == ["The archive key hangs behind the door", "Use tabs in Makefiles"]


@pytest.mark.parametrize(
    "odd", ["???", '"', "AND OR NOT", "a*b(", "' ; --", "\x00", "\ud800", "x" * 20_000, "🙂", "the of and"]
)
def test_any_text_is_a_query(store: Store, odd: str) -> None:
    keep(store, "The courier comes on Thursday")
    assert len(rank(store, [SHOP], odd, 5)) <= 1


def test_other_namespaces_are_read_only_when_named(store: Store) -> None:
    keep(store, "The courier comes on Thursday", namespace="user:ada")
    assert rank(store, [SHOP], "courier", 5) == []
    assert len(rank(store, [SHOP, "user:ada"], "courier", 5)) == 1


def test_no_more_than_asked(store: Store) -> None:
    for number in range(20):
        keep(store, f"Courier number {number} comes on Thursday")
    assert len(rank(store, [SHOP], "courier", 3)) == 3
    assert rank(store, [SHOP], "courier", 0) == []


def test_the_order_does_not_change_from_call_to_call(store: Store) -> None:
    for word in ("apple", "pear", "plum", "fig", "quince"):
        keep(store, f"The {word} courier comes")
        say(store, f"The {word} courier has gone home already today", ident=f"m-{word}")
    first = rank(store, [SHOP], "courier", 10)
    assert first == rank(store, [SHOP], "courier", 10)


def test_a_long_message_is_cut_around_the_words_asked_for() -> None:
    text = "filler words here. " * 300 + "The vault code is kept by Marta. " + "more filler words. " * 300
    cut = passage(text, "who keeps the vault code?")
    assert "vault code is kept by Marta" in cut
    assert len(cut) <= 600
