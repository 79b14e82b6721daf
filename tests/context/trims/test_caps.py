"""Results of at most so many characters."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from cfpm.context.trims import cap_results
from cfpm.errors import InputError, UsageError
from tests.context.trims.chats import Chat, ran, read, results

LONG = "x" * 9_000
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


def test_a_long_result_is_cut_and_a_short_one_is_not(chat: Chat) -> None:
    chat.user("Look.").did(ran("make", LONG), ran("ls", "a.py"))
    trim = cap_results(chat.messages, 1_000)
    first, second = results(trim.messages)
    assert len(first) < 1_100
    assert "8,000 characters removed" in first
    assert second == "a.py"
    assert (trim.rewritten, trim.saved) == (1, len(LONG) - len(first))


def test_nothing_to_cut_gives_the_very_list_back(chat: Chat) -> None:
    chat.user("Look.").did(ran("ls", "a.py"))
    trim = cap_results(chat.messages, 1_000)
    assert trim.messages is chat.messages
    assert not trim.changed


def test_a_tool_has_its_own_cap_by_its_name_in_any_spelling(chat: Chat) -> None:
    chat.user("Look.").did(ran("make", LONG), read("a.py", LONG), ("mcp__files__web_fetch", {}, LONG))
    trim = cap_results(chat.messages, 1_000, overrides={"bash": 100, "read": None, "WebFetch": 0})
    assert [len(text) < 200 for text in results(trim.messages)] == [True, False, False]


def test_what_did_not_change_is_the_same_dict_and_the_input_stays(chat: Chat) -> None:
    chat.user("Look.").did(ran("make", LONG), failed=True).assistant("Done.")
    before = deepcopy(chat.messages)
    trim = cap_results(chat.messages, 1_000)
    assert chat.messages == before
    assert [a is b for a, b in zip(trim.messages, chat.messages, strict=True)] == [True, True, False, True]
    assert "is_error" in str(trim.messages[2])


def test_a_user_who_speaks_beside_results_is_not_cut() -> None:
    chat = Chat("anthropic").user("Look.").did(ran("make", LONG))
    content: Any = chat.messages[2]["content"]
    said = {"type": "text", "text": LONG}
    chat.messages[2] = {"role": "user", "content": [*content, said]}
    left: Any = cap_results(chat.messages, 1_000).messages[2]["content"]
    assert left[1] is said
    assert len(left[0]["content"]) < 1_100


def test_media_stay_and_are_counted(chat: Chat) -> None:
    content = [{"type": "text", "text": LONG}, IMAGE, {"type": "text", "text": "the end"}]
    chat.user("Look.").did(("screenshot", {}, content))
    trim = cap_results(chat.messages, 1_000)
    assert trim.media == 1
    assert str(IMAGE) in str(trim.messages)
    assert results(trim.messages)[0].endswith("the end")
    assert cap_results(trim.messages, 1_000).messages is trim.messages


def test_a_result_that_is_only_an_image_is_left_alone(chat: Chat) -> None:
    chat.user("Look.").did(("screenshot", {}, [IMAGE]))
    assert cap_results(chat.messages, 100).messages is chat.messages


def test_a_result_that_is_a_json_value_is_cut_as_text(chat: Chat) -> None:
    chat.user("Look.").did(("lookup", {}, {"rows": ["x" * 90] * 90}))
    (text,) = results(cap_results(chat.messages, 1_000).messages)
    assert text.startswith('{"rows": ["xxx')
    assert len(text) < 1_100


def test_items_of_the_responses_style_are_cut_too() -> None:
    messages = [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "c", "name": "shell", "arguments": '{"command": ["make"]}'},
        {"type": "function_call_output", "call_id": "c", "output": LONG},
    ]
    trim = cap_results(messages, 1_000, overrides={"shell": 200})
    assert len(str(trim.messages[2]["output"])) < 300


def test_a_negative_cap_is_refused() -> None:
    with pytest.raises(UsageError, match="-1 characters"):
        cap_results([], -1)


def test_what_is_no_message_is_named() -> None:
    messages: Any = [{"role": "user", "content": "Look."}, "text"]
    with pytest.raises(InputError, match="message 1"):
        cap_results(messages)
