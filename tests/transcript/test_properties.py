"""Whatever comes in: only InputError goes out, and nothing that comes out can break a later step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfpm.errors import InputError
from cfpm.model import Message, Role
from cfpm.transcript.fields import loose_moment
from cfpm.transcript.formats import FORMATS
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.origins import mark_origins
from cfpm.transcript.outcomes import outcome
from cfpm.transcript.reading import read
from cfpm.transcript.records import Problem

pytestmark = pytest.mark.slow

WORDS = st.sampled_from(
    [
        *(
            "role",
            "content",
            "user",
            "assistant",
            "tool",
            "system",
            "text",
            "type",
            "tool_use",
            "tool_result",
            "id",
            "name",
        ),
        *(
            "input",
            "messages",
            "tool_calls",
            "function",
            "arguments",
            "created_at",
            "thinking",
            "session",
            "speaker",
            "from",
        ),
        *("value", "conversations", "history", "trajectory", "traj", "task_id", "turn_history", "actions", "sessionId"),
        *(
            "message",
            "agent",
            "environment",
            "question",
            "turns",
            "conversation",
            "session_1",
            "<think>",
            "\0",
            "\ud800",
        ),
        *("payload", "response_item", "session_meta", "function_call", "call_id", "output", "timestamp", "projectHash"),
        *("$set", "gemini", "toolCalls", "result", "functionResponse", "parts", "info", "parentId", "toolCall", "data"),
        *("step_index", "source", "MODEL", "PLANNER_RESPONSE", "USER_EXPLICIT", "<USER_REQUEST>", "tool_calls", "args"),
        *("mapping", "current_node", "author", "parent", "children", "content_type", "chat_messages", "sender", "uuid"),
        *("simulations", "reward_info", "tool_messages", "<task>", "[x] Result:", "<user_query>", "ts", "human"),
    ]
)
TEXTS = WORDS | st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=25,
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system", "x"])},
    optional={"content": JSON, "tool_calls": JSON, "created_at": JSON},
)


def is_sound(message: Message) -> bool:
    values = [
        message.text,
        message.id,
        message.name,
        *(json.dumps(dict(call.arguments), ensure_ascii=False) for call in message.tool_calls),
    ]
    return all("\0" not in value and value.encode() is not None for value in values) and (
        (message.tool_result is not None) == (message.role is Role.TOOL)
    )


def refusal_or(action: Callable[[], list[Any]]) -> tuple[InputError | None, list[Any]]:
    try:
        return None, action()
    except InputError as error:
        return error, []


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(JSON | st.lists(MESSAGE | JSON, max_size=5))
def test_parse_messages_raises_only_input_errors(value: Any) -> None:
    error, found = refusal_or(lambda: parse_messages(value))
    assert error is None or (error.problem and error.remedy)
    assert all(is_sound(message) for message in found)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(JSON | st.lists(MESSAGE | JSON, max_size=5), st.sampled_from(["auto", *FORMATS]), st.booleans())
def test_reading_any_json_raises_only_input_errors(tmp_path: Path, value: Any, format_: str, rows: bool) -> None:
    path = tmp_path / "x.json"
    lines = value if rows and isinstance(value, list) else [value]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    error, found = refusal_or(lambda: list(read(path, format=format_)))
    assert error is None or (error.problem and error.remedy)
    assert all(isinstance(item, Problem) or is_sound(item.message) for item in found)


LINES = st.sampled_from(
    [
        *(
            "_**User (2026-03-01 10:00:00Z)**_",
            "_**Agent (m 2026-03-01 10:00:05Z)**_",
            "_**Agent - sidechain (2026-01-01 10:00:00Z)**_",
        ),
        *(
            '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>',
            "<summary>Tool use: **Bash**</summary>",
            "`make`",
        ),
        *(
            "</details></tool-use>",
            "<think><details><summary>Thought Process</summary>",
            "</details></think>",
            "---",
            "",
            "```",
            "```text",
        ),
        *("Some words.", "_**User**_", "Exit code 1"),
    ]
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=40))
def test_no_word_of_a_markdown_history_is_lost_however_its_lines_fall(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "x.md"
    path.write_text("\n".join(["<!-- Generated by SpecStory -->", *lines]), encoding="utf-8")
    found = [item.message for item in read(path) if not isinstance(item, Problem)]
    kept = "\n".join(
        part for message in found for part in (message.text, *(str(call.arguments) for call in message.tool_calls))
    )
    assert kept.count("Some words.") >= lines.count("Some words.")
    assert all(is_sound(message) for message in found)


@settings(max_examples=200)
@given(
    st.sampled_from(list(Role)),
    st.lists(
        st.sampled_from(
            [
                "<think>",
                "</think>",
                "<system-reminder>",
                "</system-reminder>",
                "[Request interrupted by user]",
                "<<<CFPM_MEMORY_V1",
                "CFPM_MEMORY_V1>>>",
                "word",
                "\n",
                " ",
                "API Error",
            ]
        ),
        max_size=25,
    ),
)
def test_marking_keeps_every_word_in_its_order(role: Role, pieces: list[str]) -> None:
    text = "".join(pieces)
    parts = mark_origins(Message(role, text))
    assert "".join("".join(part.text for part in parts).split()) == "".join(text.split())


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_outcomes_and_times_of_any_text(text: str) -> None:
    outcome(text)
    loose_moment(text)
