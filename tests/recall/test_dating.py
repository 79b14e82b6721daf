"""Dates beside relative times: what "yesterday" meant when it was said, and that such a line is still an echo."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.model import Category
from cfpm.model.ids import cited
from cfpm.recall import recall
from cfpm.recall.block import dated
from cfpm.text.dates import event_time
from tests.recall.remembering import DAY_ONE, SHOP, keep

if TYPE_CHECKING:
    from cfpm.store.store import Store

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("I went to the choir yesterday.", "I went to the choir yesterday (2023-05-07)."),
        ("Yesterday, I went to the choir", "Yesterday (2023-05-07), I went to the choir"),
        ("I moved last month", "I moved last month (2023-04)"),
        ("I moved last year", "I moved last year (2022)"),
        ("We hiked last weekend", "We hiked last weekend (2023-05-06 to 2023-05-07)"),
        ("I won a prize last week!", "I won a prize last week (2023-05-01 to 2023-05-07)!"),
        ("I fell ill a few days ago", "I fell ill a few days ago (about 2023-05-04 to 2023-05-06)"),
        ("I'll be away from 24 to 31 May.", "I'll be away from 24 to 31 May (2023-05-24 to 2023-05-31)."),
        ("The fair goes from June to August", "The fair goes from June to August (2023-06 to 2023-08)"),
        ("I fell two weeks ago", "I fell two weeks ago (about 2023-04-24)"),
        ("From next week the shop opens at nine", "From next week (from 2023-05-15) the shop opens at nine"),
        ("下周起早点开门", "下周起 (from 2023-05-15)早点开门"),
        ("I have had it since Friday", "I have had it since Friday (2023-05-05)"),
        ("The retro is every other Friday", "The retro is every other Friday"),
        ("The tax is due on the 7th", "The tax is due on the 7th (2023-06-07)"),
        ("I left in the 1990s and came back yesterday", "I left in the 1990s and came back yesterday"),
        ("I was born on 7 May 1990", "I was born on 7 May 1990"),
        ("我昨天去了合唱团", "我昨天 (2023-05-07)去了合唱团"),
    ],
)
def test_the_date_stands_beside_the_words(said: str, shown: str) -> None:
    assert dated(said, MONDAY, event_time(said, MONDAY)) == shown


def test_no_date_without_the_time_of_the_event_or_of_the_turn() -> None:
    assert dated("I went yesterday", MONDAY, None) == "I went yesterday"
    assert dated("I went yesterday", None, MONDAY) == "I went yesterday"


def test_no_date_when_the_words_mean_another_time() -> None:
    """A fact that was said again keeps its words and its first time; a wrong date would be worse than none."""
    assert dated("I went yesterday", datetime(2023, 6, 1, tzinfo=UTC), datetime(2023, 5, 7, tzinfo=UTC)) == (
        "I went yesterday"
    )


def test_the_block_shows_the_date_and_the_fact_keeps_its_words(store: Store) -> None:
    said = "The courier came yesterday"
    fact = keep(store, said, Category.EVENT, event_time=event_time(said, DAY_ONE))
    found = recall(store, [SHOP], "courier")
    assert f"- [event] The courier came yesterday (2026-02-28) ({cited(fact.id)}, Mar 1)" in found.lines
    assert found.contents == (said, "The courier came yesterday (2026-02-28)")
    assert found.items[0].text == said


def test_a_day_of_a_month_named_in_the_sentence_before_is_shown_in_that_month() -> None:
    said = "I am in Lisbon in April. Remember that my talk about the courier is on the 22nd."
    with Memory.open("sqlite://", namespace=SHOP) as memory:
        memory.observe([{"role": "user", "content": said, "created_at": DAY_ONE.isoformat()}], session="first")
        assert "on the 22nd (2026-04-22)" in memory.recall("courier talk").block


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_line_with_its_date_is_an_echo_when_it_comes_back(role: str) -> None:
    said = "I prefer the courier who came yesterday."
    with Memory.open("sqlite://", namespace=SHOP) as memory:
        keep(memory.store, said, Category.PREFERENCE, event_time=event_time(said, DAY_ONE))
        recalled = memory.recall("courier").block
        assert "yesterday (2026-02-28)." in recalled
        before = memory.facts()
        report = memory.observe([{"role": role, "content": recalled.splitlines()[1]}], session="second")
        assert memory.facts() == before
        assert report.accepted == report.merged == 0


def test_the_bare_words_with_their_date_are_an_echo_from_an_agent() -> None:
    said = "TODO: call the courier tomorrow and pay the bill of the printer."
    with Memory.open("sqlite://", namespace=SHOP) as memory:
        keep(memory.store, said, Category.OPEN_ITEM, event_time=event_time(said, DAY_ONE))
        memory.recall("courier printer")
        shown = dated(said, DAY_ONE, event_time(said, DAY_ONE))
        assert "tomorrow (2026-03-02)" in shown
        before = memory.facts()
        report = memory.observe([{"role": "assistant", "content": shown}], session="second")
        assert report.candidates == report.rejected == 1
        assert set(report.rejected_by_reason) == {"echo_of_memory"}
        assert memory.facts() == before


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("No calls on Friday", "No calls on Friday"),
        ("周末不要打电话", "周末不要打电话"),
        ("Next Friday no calls at all", "Next Friday (2023-05-19) no calls at all"),
    ],
)
def test_a_day_of_the_week_in_a_rule_is_each_of_them(rule: str, shown: str) -> None:
    assert dated(rule, MONDAY, event_time(rule, MONDAY), standing=True) == shown


def test_the_same_day_in_a_note_is_the_next_one() -> None:
    said = "The hearing is on Friday"
    assert dated(said, MONDAY, event_time(said, MONDAY)) == "The hearing is on Friday (2023-05-12)"


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("On Mondays list the dates of this week for me.", "On Mondays list the dates of this week for me."),
        ("周报分进展、风险、下周计划", "周报分进展、风险、下周计划"),
        ("From next week write to them in Dutch.", "From next week (from 2023-05-15) write to them in Dutch."),
        ("Keep the 24th free for me.", "Keep the 24th (2023-05-24) free for me."),
    ],
)
def test_a_rule_names_times_of_each_week_or_the_one_from_which_it_holds(rule: str, shown: str) -> None:
    assert dated(rule, MONDAY, event_time(rule, MONDAY), standing=True) == shown
