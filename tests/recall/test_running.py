"""The running question, which the host saved first, and what the prompt holds anyway do not come back in the block."""

from __future__ import annotations

import pytest

from cfpm import Memory
from cfpm.recall.running import InPrompt

EARLIER = {"id": "1", "role": "user", "content": "The spare key hangs behind the blue door."}
ANSWER = {"id": "2", "role": "assistant", "content": "I will keep that in mind."}
QUESTION = "Where does the spare key hang? I prefer short answers."


def block(memory: Memory, query: str, **options: object) -> str:
    return memory.recall(query, **options).block  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("saved", "query"),
    [
        (QUESTION, QUESTION),
        (f"{QUESTION}\n", QUESTION.upper()),
        ([{"type": "text", "text": QUESTION}, {"type": "text", "text": "Notes:\nnothing new"}], QUESTION),
        (QUESTION, f"user: Hello.\nassistant: Hello.\nuser: {QUESTION}"),
        (QUESTION, f"Ann: Hello.\n\nBob: {QUESTION}"),
        (f"{QUESTION} " + "And please be quick about it. " * 20, f"{QUESTION} " + "And please be quick about it. " * 8),
        (f"{QUESTION} My password is hunter2horse.", f"{QUESTION} My password is hunter2horse."),
    ],
)
def test_the_running_message_is_left_out_with_what_was_learnt_from_it(saved: object, query: str) -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([EARLIER, ANSWER])
        memory.observe([{"role": "user", "content": saved}])
        assert {fact.content for fact in memory.facts()} >= {"I prefer short answers."}
        found = block(memory, query)
        assert "behind the blue door" in found
        assert "short answers" not in found
        assert "Where does" not in found


def test_what_was_said_before_stays_although_the_query_repeats_it() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([EARLIER, ANSWER, {"id": "3", "role": "user", "content": "Thanks, that is all for now."}])
        assert "behind the blue door" in block(memory, "Is it so that the spare key hangs behind the blue door?")


def test_a_rule_of_an_earlier_turn_stands_although_it_is_asked_for() -> None:
    rule = "Always answer in Norwegian."
    with Memory.open(":memory:") as memory:
        memory.observe([{"id": "1", "role": "user", "content": rule}, ANSWER])
        assert "Norwegian" not in block(memory, rule)
        memory.observe([{"id": "3", "role": "user", "content": "How is the weather?"}])
        assert "Norwegian" in block(memory, rule)


def test_excluded_messages_go_with_their_parts_and_standing_facts() -> None:
    parts = [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}, {"type": "text", "text": "Always use tabs."}]
    with Memory.open(":memory:") as memory:
        memory.observe([EARLIER, ANSWER, {"id": "m", "role": "user", "content": parts}, ANSWER | {"id": "4"}])
        assert "Always use tabs" in block(memory, "how do I indent?")
        assert "Always use tabs" not in block(memory, "how do I indent?", exclude=["m"])
        assert "behind the blue door" not in block(memory, "where is the spare key?", exclude={"1"})


@pytest.mark.parametrize(("name", "held"), [("a", True), ("a/2", True), ("a#1", True), ("a/b", False), ("b", False)])
def test_parts_of_a_message_are_held_with_it(name: str, held: bool) -> None:
    assert InPrompt.of("x", ["a"]).holds(name) is held
