"""Anthropic style messages: blocks, thinking, and tool results that come in a user's message."""

from __future__ import annotations

from typing import Any

from cfpm.model import Role, ToolResult
from cfpm.transcript import detect, group_turns
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, shape

CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "Is the port free?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I should look.", "signature": "s"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ss -l"}},
            {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/etc/services"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "no such command", "is_error": True},
            {
                "type": "tool_result",
                "tool_use_id": "t2",
                "content": [{"type": "text", "text": "http 80"}, {"type": "image"}],
            },
            {"type": "text", "text": "Try netstat instead."},
        ],
    },
]


def test_results_become_tool_messages_beside_what_the_user_said(write: Write) -> None:
    path = write("chat.json", {"system": [{"type": "text", "text": "Be brief."}], "messages": CHAT})
    assert detect(path) == "anthropic"
    found = messages(path)
    assert shape(found) == [
        ("system", "system_prompt", "Be brief."),
        ("user", "said", "Is the port free?"),
        ("assistant", "thinking", "I should look."),
        ("assistant", "said", "I look."),
        ("tool", "said", "no such command"),
        ("tool", "said", "http 80\n[image]"),
        ("user", "said", "Try netstat instead."),
    ]
    assert [call.name for call in found[3].tool_calls] == ["Bash", "Read"]
    assert found[2].tool_calls == ()
    assert found[4].tool_result == ToolResult("t1", is_error=True)
    assert found[5].tool_result == ToolResult("t2")


def test_a_message_of_results_only_begins_no_turn(write: Write) -> None:
    results_only = {"role": "user", "content": CHAT[2]["content"][:2]}
    found = messages(write("chat.json", [*CHAT[:2], results_only]))
    assert [message.role for message in found][-2:] == [Role.TOOL, Role.TOOL]
    assert len(list(group_turns(found, session="s"))) == 1


def test_parts_of_one_message_have_ids_of_their_own(write: Write) -> None:
    found = messages(write("chat.jsonl", [{**CHAT[1], "id": "m1"}, {**CHAT[2], "id": "m2"}]))
    assert [message.id for message in found] == ["m1", "m1/2", "m2", "m2/2", "m2/3"]


def test_redacted_thinking_and_unknown_blocks_do_not_stop_reading(write: Write) -> None:
    content = [
        {"type": "redacted_thinking", "data": "x"},
        {"type": "web_fetch", "title": "A page"},
        {"type": "text", "text": "ok"},
    ]
    found = messages(write("chat.json", [{"role": "assistant", "content": content}]))
    assert shape(found) == [("assistant", "said", "[web_fetch: A page]\n\nok")]
