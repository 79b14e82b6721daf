"""Where the strategies draw their lines: how much of a view each part may take."""

from __future__ import annotations

import re

from cfpm.context.history import read_history, spoken_tokens
from cfpm.context.strategies import hybrid, intent, segmented
from cfpm.context.strategies.division import Parts, divide
from cfpm.context.strategies.notes import checkpoint
from cfpm.context.strategies.types import Limits, Request
from cfpm.recall.tokens import estimated
from tests.context.strategies.histories import Agent, Event, User, compacted, openai, ran

BUDGET = 4_000
_CHAT: list[Event] = [
    event for n in range(60) for event in (User(f"Question {n} " + "word " * 60), Agent("It is. " * 30))
]


def divided(events: list[Event], **limits: int) -> Parts | None:
    few = Limits(BUDGET, keep_first=limits.get("keep_first", 100), keep_last=100, minimum=0)
    return divide(Request(read_history(openai(events), estimated), few))


def test_the_first_messages_take_a_tenth_of_a_view_and_the_last_a_third() -> None:
    parts = divided(_CHAT)
    assert parts is not None
    assert 0.04 < spoken_tokens(parts.first) / BUDGET < 0.25
    assert 0.15 < spoken_tokens(parts.last) / BUDGET < 0.5


def test_a_last_message_of_a_third_of_the_view_stays_and_one_of_most_of_it_leaves() -> None:
    for words, stays in ((1_500, True), (3_200, False)):
        events = [*_CHAT, ran("make", "built " * words)]
        parts = divided(events)
        assert parts is not None
        assert spoken_tokens(read_history(openai(events), estimated).groups[-1:]) > 0.33 * BUDGET
        assert bool(parts.last) is stays


_BUSY: list[Event] = [
    event
    for n in range(120)
    for event in (
        User(f"The shop in street {n} sells {n + 3} kinds of bread and {n + 2} kinds of cake."),
        ran(f"pytest tests/of/the/shop/test_{n}.py --of-street {n}", "1 passed"),
        Agent(f"The list of street {n} holds {n + 3} breads and {n + 2} cakes now."),
    )
]


def sizes(text: str) -> dict[str, int]:
    """Tokens of each part of an extract, by its heading."""
    found: dict[str, int] = {}
    heading = ""
    for line in text.splitlines():
        heading = line if re.fullmatch(r"[A-Z][^:]+:", line) else heading
        found[heading] = found.get(heading, 0) + estimated(line)
    return found


def test_an_extract_has_most_of_the_user_then_of_the_calls_and_some_of_the_agent() -> None:
    found = sizes(compacted(segmented.compact, openai(_BUSY), Limits(1_500, minimum=0)).checkpoint)
    user, calls, agent = (
        found[name] for name in ("Asked by the user:", "Tool calls, oldest first:", "Said by the agent:")
    )
    assert user > calls > agent > 0.2 * calls
    assert calls > 0.4 * user


def test_a_very_long_sentence_is_shortened_in_an_extract() -> None:
    long = "The shop sells " + " ".join(f"bread from the oven of baker {n}" for n in range(60)) + "."
    view = compacted(segmented.compact, openai([*_BUSY[:90], User(long), *_BUSY[:90]]), Limits(2_000, minimum=0))
    (told,) = (line for line in view.checkpoint.splitlines() if "baker 3" in line and "street" not in line)
    assert 200 < len(told) < 700


_WISHES: list[Event] = [
    event
    for n in range(60)
    for event in (User(f"I want the list of street {n} sorted by price."), ran(f"make list{n}", "built " * 30))
]


def test_a_rule_of_the_user_stays_before_later_wishes() -> None:
    events: list[Event] = [*_BUSY[:9], User("You must never store a price as a float."), *_WISHES]
    view = compacted(segmented.compact, openai(events), Limits(700, keep_first=0, minimum=0))
    assert "You must never store a price as a float." in view.checkpoint
    assert "street 3 sorted" not in view.checkpoint


def test_what_a_session_opened_with_stays_when_much_that_was_said_later_has_left() -> None:
    opening = "I want the list of street 999 sorted by price."
    view = compacted(segmented.compact, openai([User(opening), *_WISHES]), Limits(700, keep_first=0, minimum=0))
    assert opening in view.checkpoint
    assert "street 3 sorted" not in view.checkpoint


def test_a_summary_is_asked_for_that_leaves_room_for_a_longer_one() -> None:
    prompts: list[str] = []

    def summarise(prompt: str) -> str:
        prompts.append(prompt)
        return "The shop sells bread."

    compacted(segmented.compact, openai(_BUSY), Limits(BUDGET, minimum=0), summarise)
    asked = re.search(r"Write (\d+) words at most", prompts[0])
    assert asked is not None
    assert 0.2 < int(asked[1]) / BUDGET < 0.6


def test_a_list_of_calls_keeps_what_an_earlier_note_said_and_leaves_room_for_the_calls() -> None:
    note = checkpoint(
        "summary", 40, [f"The shop in street {n} opens at {n} o'clock and closes late." for n in range(200)]
    )
    view = compacted(intent.compact, [note, *openai(_BUSY)], Limits(1_500, minimum=0)).checkpoint
    earlier = estimated("\n".join(line for line in view.splitlines() if line.startswith("Noted earlier: ")))
    assert 0.15 < earlier / 1_500 < 0.5
    assert view.count("pytest") > 5


def test_beside_the_list_of_calls_a_summary_takes_about_a_third_of_a_view() -> None:
    rooms: list[int] = []

    def summarise(prompt: str) -> str:
        rooms.extend(int(words) for words in re.findall(r"Write (\d+) words at most", prompt))
        return "The shop sells bread."

    compacted(hybrid.compact, openai(_BUSY), Limits(BUDGET, minimum=0), summarise)
    assert rooms
    assert 0.08 < rooms[0] / BUDGET < 0.3
