"""Which messages an agent sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.compaction.provider_rules import broken_rules
from cfpm.context.trims import filter_window
from cfpm.errors import UsageError
from tests.context.trims.chats import Chat, ran

if TYPE_CHECKING:
    from cfpm.context.history import Raw

SYSTEM: Raw = {"role": "system", "content": "You are careful."}


def said(messages: object) -> list[str]:
    assert isinstance(messages, list)
    return [str(message["content"]) for message in messages]


def test_without_choices_the_very_list_comes_back(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x")).assistant("Done.")
    assert filter_window(chat.messages).messages is chat.messages


def test_the_last_turns_open_with_a_user(chat: Chat) -> None:
    for number in range(3):
        chat.user(f"ask {number}").assistant(f"answer {number}")
    trim = filter_window(chat.messages, max_turns=2)
    assert said(trim.messages) == ["ask 1", "answer 1", "ask 2", "answer 2"]
    assert (trim.removed, trim.changed) == (2, True)


def test_as_many_turns_as_there_are_change_nothing(chat: Chat) -> None:
    chat.assistant("Hello.").user("Go.").assistant("Done.")
    assert filter_window(chat.messages, max_turns=1).messages is chat.messages


def test_results_open_no_turn(chat: Chat) -> None:
    chat.user("first").did(ran("a", "x")).user("second").did(ran("b", "y")).did(ran("c", "z"))
    trim = filter_window(chat.messages, max_turns=1)
    assert trim.messages == chat.messages[3:]
    assert broken_rules(trim.messages) == []


def test_two_messages_of_a_user_in_a_row_are_one_turn(chat: Chat) -> None:
    chat.user("old").assistant("ok").user("first").user("second").assistant("done")
    assert said(filter_window(chat.messages, max_turns=1).messages) == ["first", "second", "done"]


def test_a_user_who_speaks_beside_results_opens_a_turn_without_them() -> None:
    chat = Chat("anthropic").user("first").did(ran("a", "x"))
    content = chat.messages[2]["content"]
    assert isinstance(content, list)
    spoken = {"type": "text", "text": "And be quick."}
    chat.messages[2] = {"role": "user", "content": [*content, spoken]}
    chat.assistant("ok").user("second").assistant("done")
    trim = filter_window(chat.messages, max_turns=2)
    assert trim.messages[0] == {"role": "user", "content": [spoken]}
    assert broken_rules(trim.messages) == []


def test_system_messages_always_stay() -> None:
    chat = Chat("openai").user("old").assistant("ok").user("new").assistant("done")
    messages = [SYSTEM, *chat.messages]
    assert filter_window(messages, max_turns=1, exclude=lambda _: False).messages == [SYSTEM, *chat.messages[2:]]


def test_authors_are_excluded_in_any_case_and_users_are_not(chat: Chat) -> None:
    chat.messages.append({"role": "user", "content": "Go.", "name": "critic"})
    chat.assistant("I plan.", name="Planner").assistant("I doubt.", name="CRITIC")
    assert said(filter_window(chat.messages, exclude={"Critic"}).messages) == ["Go.", "I plan."]


def test_the_results_of_an_excluded_author_go_with_the_calls(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x"), said="I look.").assistant("Done.")
    trim = filter_window(chat.messages, exclude=lambda message: "I look." in str(message))
    assert trim.messages == [chat.messages[0], chat.messages[-1]]


def test_text_only_keeps_what_was_said_and_by_whom(chat: Chat) -> None:
    chat.user("Go.").did(ran("a", "x"), said="I look.").assistant("Done.", name="Worker")
    trim = filter_window(chat.messages, text_only=True)
    assert [message["role"] for message in trim.messages] == ["user", "assistant", "assistant"]
    assert trim.messages[-1] is chat.messages[-1]
    assert "call_" not in str(trim.messages)


def test_text_only_leaves_no_thinking_of_the_responses_style_without_its_call() -> None:
    asked: Raw = {"role": "user", "content": "Go."}
    thought: Raw = {"type": "reasoning", "summary": []}
    call: Raw = {"type": "function_call", "call_id": "a", "name": "x", "arguments": "{}"}
    result: Raw = {"type": "function_call_output", "call_id": "a", "output": "y"}
    assert filter_window([asked, thought, call, result], text_only=True).messages == [asked]


def test_what_is_pinned_stays_with_the_message_that_it_answers(chat: Chat) -> None:
    chat.user("first").assistant("We use tabs.").user("second").assistant("ok").user("third").assistant("done")
    trim = filter_window(chat.messages, max_turns=1, pinned=lambda message: "tabs" in str(message))
    assert said(trim.messages) == ["first", "We use tabs.", "third", "done"]


def test_a_pinned_result_keeps_its_call_even_among_texts(chat: Chat) -> None:
    chat.user("first").did(ran("a", "keep me")).did(ran("b", "not me")).user("second").assistant("done")
    trim = filter_window(chat.messages, max_turns=1, text_only=True, pinned=lambda message: "keep me" in str(message))
    assert trim.messages == [*chat.messages[:3], *chat.messages[-2:]]
    assert broken_rules(trim.messages) == []


def test_an_answer_whose_question_is_excluded_goes_from_the_front(chat: Chat) -> None:
    chat.user("old").assistant("ok").user("new").assistant("done")
    trim = filter_window(chat.messages, exclude=lambda message: message["content"] == "old")
    assert said(trim.messages) == ["new", "done"]


def test_less_than_one_turn_is_refused() -> None:
    with pytest.raises(UsageError):
        filter_window([], max_turns=0)
