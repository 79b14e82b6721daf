"""OpenAI style chat messages, in all the files that hold them."""

from __future__ import annotations

from cfpm.model import Role, ToolResult
from cfpm.transcript import detect
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, readable, records, shape

CALL = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "make test"}'}}
CHAT = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Does the build pass?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "name": "bash", "content": "Exit code 2\nmake: *** [test] Error 2"},
    {"role": "assistant", "content": "It does not."},
]


def test_a_list_of_messages(write: Write) -> None:
    path = write("chat.json", CHAT)
    assert detect(path) == "openai"
    found = messages(path)
    assert [message.role for message in found] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert found[2].tool_calls[0].command == "make test"
    assert found[3].tool_result == ToolResult("call_1", is_error=True, exit_code=2)


def test_an_object_with_messages_and_one_message_a_line_say_the_same(write: Write) -> None:
    expected = messages(write("chat.json", CHAT))
    assert messages(write("object.json", {"model": "m", "messages": CHAT})) == expected
    assert messages(write("lines.jsonl", CHAT)) == expected


def test_fine_tuning_rows_are_a_session_each(write: Write) -> None:
    rows = [{"messages": CHAT}, {"messages": CHAT}, {"messages": CHAT[1:2]}]
    path = write("train.jsonl", rows)
    sessions = {record.session for record in records(path)}
    assert len(sessions) == 3
    assert all(session.startswith("train-") for session in sessions)
    grown = write("train.jsonl", [*rows, {"messages": CHAT[:2]}])
    assert sessions < {record.session for record in records(grown)}


def test_a_list_of_conversations_is_a_session_each(write: Write) -> None:
    path = write("many.json", [{"messages": CHAT}, {"messages": CHAT[:2]}])
    assert len({record.session for record in records(path)}) == 2


def test_older_function_calls_are_linked_by_name(write: Write) -> None:
    path = write(
        "old.json",
        [
            {"role": "user", "content": "Weather?"},
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "weather", "arguments": '{"city": "Rome"}'},
            },
            {"role": "function", "name": "weather", "content": '{"error": "no such city"}'},
        ],
    )
    _, called, result = messages(path)
    assert called.tool_calls[0].arguments == {"city": "Rome"}
    assert result.role is Role.TOOL
    assert result.tool_result == ToolResult(called.tool_calls[0].id, is_error=True)


def test_content_parts_are_joined_and_media_are_noted(write: Write) -> None:
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    (message,) = messages(write("parts.json", [{"role": "user", "content": parts}]))
    assert message.text == "What is this?\n\n[image]"


def test_arguments_that_are_no_object_are_kept_as_input(write: Write) -> None:
    call = {"id": "c", "function": {"name": "run", "arguments": "ls -la"}}
    (message,) = messages(write("odd.json", [{"role": "assistant", "content": "", "tool_calls": [call]}]))
    assert message.tool_calls[0].arguments == {"input": "ls -la"}


def test_a_tool_result_without_a_call_is_read(write: Write) -> None:
    (message,) = messages(write("orphan.json", [{"role": "tool", "content": "42"}]))
    assert message.tool_result == ToolResult("")


def test_responses_items_are_calls_results_and_thinking(write: Write) -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run it"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "It must be built first."}]},
        {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"command": "make"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "Exit code 0\nok"},
    ]
    found = messages(write("items.jsonl", items))
    assert shape(found)[1] == ("assistant", "thinking", "It must be built first.")
    assert found[2].tool_calls[0].command == "make"
    assert found[3].tool_result == ToolResult("c1", is_error=False, exit_code=0)


def test_reasoning_beside_the_content_is_thinking(write: Write) -> None:
    path = write("r.json", [{"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}])
    assert shape(messages(path)) == [("assistant", "thinking", "Hm."), ("assistant", "said", "Yes.")]


def test_a_wrong_message_is_a_problem_and_the_next_is_read(write: Write) -> None:
    path = write("mixed.json", [CHAT[1], {"role": "wizard", "content": "x"}, 7, {"role": "user"}, CHAT[4]])
    found = problems(path)
    assert [problem.place for problem in found] == ["message 2", "message 3", "message 4"]
    assert "wizard" in found[0].problem
    assert all(problem.remedy and problem.source == str(path) for problem in found)
    assert readable(path) == ["Does the build pass?", "It does not."]
