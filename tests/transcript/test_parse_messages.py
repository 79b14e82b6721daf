"""What live hosts pass: dicts of both styles, Message values, ids and times; and how wrong ones are refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript.messages import parse_messages
from tests.transcript.walk import shape

AT = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


def test_both_styles_and_message_values_mixed() -> None:
    passed = Message(Role.USER, "Third.", id="m3")
    found = parse_messages(
        [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "First.", "id": "m1", "name": "ann"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a.py", "is_error": False}],
            },
            passed,
        ]
    )
    assert [message.role for message in found] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]
    assert (found[1].id, found[1].name) == ("m1", "ann")
    assert found[2].tool_calls == (ToolCall("t", "Bash", {"command": "ls"}),)
    assert found[3].tool_result == ToolResult("t", is_error=False)
    assert found[4] is passed


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-01T10:00:00Z",
        "2026-03-01T11:00:00+01:00",
        "2026-03-01 10:00",
        1772359200,
        1772359200.0,
        1772359200000,
        AT,
        AT.astimezone(timezone(timedelta(hours=5))),
        AT.replace(tzinfo=None),
        "10:00 am on 1 March, 2026",
    ],
)
def test_created_at_is_utc_whatever_its_form(value: object) -> None:
    (message,) = parse_messages([{"role": "user", "content": "Hi", "created_at": value}])
    assert message.created_at == AT
    assert message.created_at.tzinfo is UTC


@pytest.mark.parametrize("value", ["soon", True, [1], 1e300, "2026-13-45", float("nan")])
def test_a_time_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="message 0") as refused:
        parse_messages([{"role": "user", "content": "Hi", "created_at": value}])
    assert "created_at" in refused.value.remedy


WRONG: list[tuple[Any, str]] = [
    (7, "no message"),
    ("hello", "no message"),
    ({}, "without a role"),
    ({"role": "wizard", "content": "x"}, "wizard"),
    ({"role": 3, "content": "x"}, "unknown role"),
    ({"role": "user"}, "without content"),
    ({"role": "user", "content": 5}, "content that is 5"),
    ({"role": "user", "content": [5]}, "a content block that is 5"),
    ({"role": "user", "content": [{"type": "text"}]}, "without text"),
    ({"role": "user", "content": [{"type": "tool_result", "is_error": "no"}]}, "is_error"),
    ({"role": "assistant", "content": "", "tool_calls": 4}, "tool_calls"),
    ({"role": "assistant", "content": "", "tool_calls": ["ls"]}, "a tool call of type str"),
    ({"role": "assistant", "tool_calls": [{"name": "x", "args": {"a": {1, 2}}}]}, "no JSON value"),
    ({"role": "tool", "content": {"a": 1}}, "without text"),
    ({"role": "user", "content": "x", "id": ["a"]}, "an id of type list"),
]


@pytest.mark.parametrize(("item", "problem"), WRONG)
def test_a_wrong_message_is_refused_with_its_position_and_a_remedy(item: object, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_messages([{"role": "user", "content": "fine"}, item], source="the host")
    assert refused.value.place == "message 1"
    assert refused.value.source == "the host"
    assert problem in refused.value.problem
    assert refused.value.remedy


@pytest.mark.parametrize("items", ["text", {"role": "user", "content": "x"}, 5, None, b"x"])
def test_something_else_than_a_list_is_refused(items: Any) -> None:
    with pytest.raises(InputError, match="instead of a list"):
        parse_messages(items)


def test_arguments_nested_too_deep_are_refused_not_followed() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    with pytest.raises(InputError, match="nested more than"):
        parse_messages([{"role": "assistant", "content": "", "tool_calls": [{"name": "x", "args": deep}]}])


def test_results_nested_in_results_are_noted_not_followed() -> None:
    block: dict[str, Any] = {"type": "text", "text": "x"}
    for _ in range(5_000):
        block = {"type": "tool_result", "tool_use_id": "t", "content": [block]}
    (message,) = parse_messages([{"role": "user", "content": [block]}])
    assert message.text == "[tool_result]"


def test_nul_and_lone_surrogates_are_replaced_and_escapes_stay() -> None:
    call = {"id": "c\0", "name": "x", "args": {"k\ud800": ["a\0b", {"\udfff": "\x1b[31m"}]}}
    (message,) = parse_messages([{"role": "assistant", "content": "a\0b \ud83d c \x1b[0m 🎉", "tool_calls": [call]}])
    assert message.text == "a\ufffdb \ufffd c \x1b[0m 🎉"
    assert message.tool_calls[0] == ToolCall("c\ufffd", "x", {"k\ufffd": ["a\ufffdb", {"\ufffd": "\x1b[31m"}]})
    value = Message(Role.USER, "a\0b", id="x\ud800", tool_calls=(ToolCall("c", "n", {"a": "\0"}),))
    (tidy,) = parse_messages([value])
    assert (tidy.text, tidy.id, tidy.tool_calls[0].arguments) == ("a\ufffdb", "x\ufffd", {"a": "\ufffd"})


def test_an_assistant_message_of_calls_only_has_no_text() -> None:
    (message,) = parse_messages([{"role": "assistant", "tool_calls": [{"id": "c", "name": "ls", "args": {}}]}])
    assert (message.text, len(message.tool_calls)) == ("", 1)


def test_a_refusal_is_what_was_said() -> None:
    (message,) = parse_messages([{"role": "assistant", "content": None, "refusal": "I will not."}])
    assert message.text == "I will not."


def test_a_result_states_its_outcome_in_fields_of_its_own() -> None:
    found = parse_messages(
        [{"role": "tool", "content": "ok", "is_error": True}, {"role": "tool", "content": "x", "exit_code": 3}]
    )
    assert [message.tool_result for message in found] == [
        ToolResult("", is_error=True),
        ToolResult("", is_error=True, exit_code=3),
    ]


def test_our_own_block_and_notices_are_marked_also_in_message_values() -> None:
    block = "<<<CFPM_MEMORY_V1 (data)\n- the port is 80\nCFPM_MEMORY_V1>>>"
    found = parse_messages(
        [Message(Role.USER, f"{block}\nChange it to 90.", id="m"), Message(Role.SYSTEM, "[CFPM_RUNTIME_V1] {}")]
    )
    assert shape(found) == [
        ("user", "memory_block", block),
        ("user", "said", "Change it to 90."),
        ("system", "host_notice", "[CFPM_RUNTIME_V1] {}"),
    ]
    assert [message.id for message in found] == ["m", "m/2", ""]


def test_what_a_tool_shows_of_a_boot_file_is_a_boot_file() -> None:
    def read(path: str, output: str) -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": path, "name": "Read", "input": {"file_path": path}}
        return [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": path, "content": output}]},
        ]

    found = parse_messages(
        [
            *read("/app/AGENTS.md", "Always use tabs."),
            *read("/app/main.py", "x = 1"),
            *read("README.md", "Error: no file"),
        ]
    )
    assert [message.origin for message in found if message.tool_result] == [Origin.BOOT_FILE, Origin.SAID, Origin.SAID]
