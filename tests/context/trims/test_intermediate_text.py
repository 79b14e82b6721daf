"""What an assistant says between its calls."""

from __future__ import annotations

from typing import Any

from cfpm.context.trims import cap_intermediate_text
from tests.context.trims.chats import Chat, ran

SAID = "I will look at the loader first, and then at the tests. " * 10


def test_text_beside_calls_is_cut_and_the_calls_stay(chat: Chat) -> None:
    chat.user("Go.").did(ran("ls", "a"), said=SAID).did(ran("ls", "a"), said=SAID)
    trim = cap_intermediate_text(chat.messages, min_saving=0)
    assert trim.rewritten == 1
    assert SAID[:100] in str(trim.messages[1])
    assert SAID not in str(trim.messages[1])
    assert "call_0" in str(trim.messages[1])


def test_the_last_group_is_left_alone(chat: Chat) -> None:
    chat.user("Go.").did(ran("ls", "a"), said=SAID)
    assert cap_intermediate_text(chat.messages, min_saving=0).messages is chat.messages


def test_a_text_without_calls_is_an_answer_and_stays(chat: Chat) -> None:
    chat.user("Go.").assistant(SAID).user(SAID).did(ran("ls", "a"))
    assert cap_intermediate_text(chat.messages, keep_groups=0, min_saving=0).messages is chat.messages


def test_thinking_and_its_signature_stay() -> None:
    chat = Chat("anthropic").user("Go.").did(ran("ls", "a"), said=SAID)
    trim = cap_intermediate_text(chat.messages, keep_groups=0, min_saving=0)
    before: Any = chat.messages[1]["content"]
    after: Any = trim.messages[1]["content"]
    assert [block is old for block, old in zip(after, before, strict=True)] == [True, False, True]


def test_little_room_is_not_worth_the_cached_prompt(chat: Chat) -> None:
    chat.user("Go.").did(ran("ls", "a"), said=SAID).did(ran("ls", "a"))
    assert cap_intermediate_text(chat.messages).held_back > 0
