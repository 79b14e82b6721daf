"""Calls and results that lost each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.compaction.provider_rules import broken_rules
from cfpm.context.trims import keep_text, repair_pairs
from tests.context.trims.chats import Chat, ran

if TYPE_CHECKING:
    from cfpm.context.history import Raw


def test_a_whole_history_is_the_very_list(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x"), ran("b", "y"), said="I look.").did(ran("c", "z")).assistant("Done.")
    assert repair_pairs(chat.messages).messages is chat.messages


def test_a_result_without_its_call_goes(chat: Chat) -> None:
    chat.did(ran("a", "x")).user("Go.").did(ran("b", "y"))
    trim = repair_pairs(chat.messages[1:])
    assert trim.messages == chat.messages[2:]
    assert trim.removed == 1


def test_a_call_whose_result_does_not_come_leaves_what_was_said(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x"), said="I look.").user("Stop.")
    del chat.messages[2]
    trim = repair_pairs(chat.messages)
    assert broken_rules(trim.messages) == []
    assert "I look." in str(trim.messages[1])
    assert "thinking" not in str(trim.messages[1])
    assert "call_0" not in str(trim.messages)


def test_a_call_without_words_or_result_goes_as_a_whole(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x")).user("Stop.")
    del chat.messages[2]
    assert repair_pairs(chat.messages).messages == [chat.messages[0], chat.messages[2]]


def test_of_parallel_calls_only_the_unanswered_one_goes() -> None:
    chat = Chat("openai").user("Go.").did(ran("a", "x"), ran("b", "y")).assistant("Done.")
    del chat.messages[2]
    trim = repair_pairs(chat.messages)
    assert broken_rules(trim.messages) == []
    assert "call_1" in str(trim.messages[1])
    assert "call_0" not in str(trim.messages)


def test_thinking_stays_whole_beside_a_call_that_stays() -> None:
    chat = Chat("anthropic").user("Go.").did(ran("a", "x"), ran("b", "y")).assistant("Done.")
    content: Any = chat.messages[2]["content"]
    chat.messages[2] = {"role": "user", "content": content[1:]}
    left: Any = repair_pairs(chat.messages).messages[1]["content"]
    assert [block["type"] for block in left] == ["thinking", "tool_use"]
    assert left[0] is chat.messages[1]["content"][0]  # type: ignore[index]


def test_a_result_that_comes_too_late_goes_with_its_call(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x")).user("Wait.")
    chat.messages[2], chat.messages[3] = chat.messages[3], chat.messages[2]
    assert repair_pairs(chat.messages).messages == [chat.messages[0], chat.messages[2]]


def test_a_second_result_of_the_same_call_goes() -> None:
    chat = Chat("openai").user("Go.").did(ran("a", "x"))
    chat.messages.append(chat.messages[2])
    assert repair_pairs(chat.messages).messages == chat.messages[:3]


def test_calls_at_the_very_end_still_wait(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x"))
    del chat.messages[-1]
    assert repair_pairs(chat.messages).messages is chat.messages


def test_what_a_user_says_beside_an_orphan_stays() -> None:
    orphan = {"type": "tool_result", "tool_use_id": "gone", "content": "x"}
    said = {"type": "text", "text": "And be quick."}
    messages = [{"role": "user", "content": [orphan, said]}]
    assert repair_pairs(messages).messages == [{"role": "user", "content": [said]}]


def test_orphans_of_the_responses_style_go() -> None:
    said = {"role": "user", "content": "Go."}
    call = {"type": "function_call", "call_id": "a", "name": "x", "arguments": "{}"}
    other = {"type": "function_call_output", "call_id": "b", "output": "y"}
    assert repair_pairs([call, said, other]).messages == [said]


def test_thinking_of_the_responses_style_goes_with_the_call_that_it_led_to() -> None:
    thought: Raw = {"type": "reasoning", "summary": []}
    call: Raw = {"type": "function_call", "call_id": "a", "name": "x", "arguments": "{}"}
    result: Raw = {"type": "function_call_output", "call_id": "a", "output": "y"}
    messages = [
        {"role": "user", "content": "Go."},
        thought,
        call,
        result,
        thought,
        {"role": "assistant", "content": "Ok"},
    ]
    assert keep_text(messages).messages == [messages[0], *messages[4:]]
    assert repair_pairs(messages).messages is messages


def test_text_alone_has_no_calls_and_no_results(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x"), said="I look.").did(ran("b", "y")).assistant("Done.")
    trim = keep_text(chat.messages)
    assert [message["role"] for message in trim.messages] == ["user", "assistant", "assistant"]
    assert "call_" not in str(trim.messages)
    assert trim.saved > 0


def test_text_alone_drops_what_the_providers_server_looked_up() -> None:
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    said = {"type": "text", "text": "It is 4."}
    messages = [{"role": "assistant", "content": [search, found, said]}]
    assert keep_text(messages).messages == [{"role": "assistant", "content": [said]}]
    assert repair_pairs(messages).messages is messages


@pytest.mark.parametrize("thought", [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}])
def test_thinking_of_a_message_without_calls_stays(thought: dict[str, str]) -> None:
    messages = [{"role": "assistant", "content": [thought, {"type": "text", "text": "It is 4."}]}]
    assert keep_text(messages).messages is messages
