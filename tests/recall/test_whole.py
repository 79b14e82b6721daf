"""What a block holds when it is asked for all of a kind: the rules, what is open, what is known of its user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.recall.tokens import estimated
from cfpm.text.heads.wholes import WHOLES, asks_for
from tests.reference.transcripts import agent, user, wrote

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = (
    "Always weigh the glaze before you fire the bowls.",
    "Never order clay without asking me first.",
    "From now on write all letters to the guild in French.",
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        for day, rule in enumerate(RULES, 1):
            said = [user(rule, at=f"2026-03-0{day}T09:00:00Z"), agent("Understood.", at=f"2026-03-0{day}T09:01:00Z")]
            opened.observe(said, session=f"day {day}")
        opened.observe(
            [
                user("My name is Ottilie and I run a pottery in Vence.", at="2026-03-04T09:00:00Z"),
                user("The shelf in the shed broke, seven bowls are gone.", at="2026-03-04T09:02:00Z"),
            ],
            session="day 4",
        )
        opened.observe(
            [
                user("Teach the kiln to cool down slowly.", at="2026-03-05T09:00:00Z"),
                *wrote("/srv/kiln/oven/ramp.py", at="2026-03-05T09:01:00Z"),
                agent("Added `cooling_curve`. Still to do: the alarm for the night.", at="2026-03-05T09:03:00Z"),
            ],
            session="day 5",
        )
        yield opened


def lines(memory: Memory, query: str, budget: int = 400) -> list[str]:
    return memory.recall(query, max_tokens=budget).block.splitlines()[1:-1]


@pytest.mark.parametrize("query", ["What rules did I give you?", "list all my standing instructions"])
def test_rules_are_listed(memory: Memory, query: str) -> None:
    told = lines(memory, query)
    assert all(line.startswith("- [instruction]") for line in told[: len(RULES)])
    for rule in RULES:
        assert any(rule in line for line in told[: len(RULES)])


def test_what_is_open_stands_first(memory: Memory) -> None:
    told = lines(memory, "What's still open?")
    assert "the alarm for the night" in told[0]
    assert any(line.startswith("- [session]") and "edited ramp.py" in line for line in told)


def test_what_is_known_of_the_user_stands_first(memory: Memory) -> None:
    assert "Ottilie" in lines(memory, "What do you know about me?")[0]


def test_what_the_prompt_holds_is_not_told_again(memory: Memory) -> None:
    held = [fact.id for fact in memory.facts() if "glaze" in fact.content]
    assert held
    block = memory.recall("What rules did I give you?", exclude=held).block
    assert "glaze" not in block
    assert "order clay" in block


@pytest.mark.parametrize("budget", [60, 120, 240])
def test_a_small_budget_is_kept(memory: Memory, budget: int) -> None:
    assert estimated(memory.recall("What rules did I give you?", max_tokens=budget).block) <= budget


def test_what_is_not_asked_for_as_a_whole_is_answered_by_what_fits(memory: Memory) -> None:
    told = lines(memory, "What happened to the shelf?")
    assert any("seven bowls" in line for line in told)
    assert not all(line.startswith("- [instruction]") for line in told)


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("which rules do you keep for me?", "rules"),
        ("what is still left to do?", "open"),
        ("what do you know about me?", "me"),
        ("what rule did I give you for the kiln door?", ""),
        ("is the bill of the guild still open?", ""),
        ("do you know when my sister arrives?", ""),
        ("never mind, fire it again", ""),
    ],
)
def test_a_whole_is_told_from_a_single_thing(query: str, whole: str) -> None:
    assert [name for name in WHOLES if asks_for(name, query) >= 500] == ([whole] if whole else [])
