"""Questions that ask for something to be done or advised, which rules concern as they concern an order."""

from __future__ import annotations

import pytest

from cfpm import Category, Memory
from cfpm.recall.question import ACTS, read_question, wants_an_answer
from cfpm.text.heads.requests import asks_to_act
from tests.reference.transcripts import agent, user

ACTING = (
    "Can you write the letter to the guild?",
    "Could you book a table for six on Friday?",
    "What should I cook for the potters tonight?",
    "Should I fire the big kiln today?",
    "能不能帮我写一封信给协会?",
)
KNOWING = (
    "When does the guild meet?",
    "Can you remind me when the guild meets?",
    "Which clay did we take for the bowls?",
    "Why did we drop the old kiln?",
    "协会什么时候开会?",
)


@pytest.mark.parametrize("question", ACTING)
def test_what_is_to_be_done_is_told_from_what_is_to_be_known(question: str) -> None:
    assert asks_to_act(question) >= ACTS
    assert not wants_an_answer(question)


@pytest.mark.parametrize("question", KNOWING)
def test_what_is_to_be_known_is_no_request(question: str) -> None:
    assert asks_to_act(question) < ACTS
    assert wants_an_answer(question)


def test_a_polite_request_brings_the_rule_that_concerns_it() -> None:
    with Memory.open("sqlite://") as memory:
        rules = [
            "Never fire the big kiln on a Sunday.",
            "Always weigh the glaze twice.",
            "Never lend the wheel to the school.",
            "Always close the shed at six.",
            "From now on write all letters to the guild in French.",
            "Never put the bowls on the wooden shelf.",
        ]
        for day, rule in enumerate(rules, 1):
            said = [user(rule, at=f"2026-03-0{day}T09:00:00Z"), agent("Understood.", at=f"2026-03-0{day}T09:01:00Z")]
            memory.observe(said, session=f"day {day}")
        memory.observe([user("Seven bowls broke on the shelf.", at="2026-03-08T09:00:00Z")], session="day 8")
        block = memory.recall("Can you write the letter to the guild?", max_tokens=200).block
        assert "in French" in block


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("the boiler is leaking again since sunday", True),
        ("早，昨晚没睡好，今天状态一般", True),
        ("draft the letter to the landlord about the boiler", False),
        ("a table of all open invoices, sorted by age", False),
    ],
)
def test_what_only_tells_is_told_from_an_order(text: str, tells: bool) -> None:
    assert read_question(text, (), None, None).tells is tells


def test_what_only_tells_leaves_room_for_what_was_said_of_it() -> None:
    with Memory.open("sqlite://") as memory:
        said = [user(f"The boiler leaked in week {week}, we had to top up {week} litres.") for week in range(2, 40)]
        memory.observe(said, session="winter")
        for number in range(30):
            memory.remember(f"Always file form {number} before noon on Mondays", category=Category.INSTRUCTION)
        told, ordered = (
            [line for line in memory.recall(text, max_tokens=600).lines if line.startswith("- [instruction]")]
            for text in ("the boiler is leaking again since sunday", "write to the landlord about the leaking boiler")
        )
    assert 2 * len(told) < len(ordered)
