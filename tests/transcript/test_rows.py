"""The plain row format: a row for each message, call and result."""

from __future__ import annotations

import json

from cfpm.model import Role, ToolResult
from cfpm.transcript import Record, detect, read
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, readable, records, shape

ROWS = [
    {"session": "a", "i": 0, "role": "user", "ts": "2026-03-01 10:00:00Z", "text": "Build it."},
    {
        "session": "a",
        "i": 1,
        "role": "tool_call",
        "ts": None,
        "name": "Bash",
        "type": "shell",
        "args": "",
        "command": "make",
        "path": None,
    },
    {"session": "a", "i": 2, "role": "tool_result", "ts": None, "name": "Bash", "text": "Exit code 1\nno"},
    {"session": "b", "i": 0, "role": "assistant", "ts": None, "text": "Another session."},
]


def test_rows(write: Write) -> None:
    path = write("rows.jsonl", ROWS)
    assert detect(path) == "rows"
    found = messages(path)
    assert [message.role for message in found] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert found[1].tool_calls[0].arguments == {"command": "make"}
    assert found[2].tool_result == ToolResult(found[1].tool_calls[0].id, is_error=True, exit_code=1)
    assert [record.session for record in records(path)] == ["a", "a", "a", "b"]


def test_wrong_rows_are_problems(write: Write) -> None:
    path = write(
        "rows.jsonl",
        [
            ROWS[0],
            {"session": "a", "role": "ghost", "text": "x"},
            {"session": "a", "role": "user", "text": 7},
            [],
            ROWS[3],
        ],
    )
    assert [problem.place for problem in problems(path)] == ["line 2", "line 3", "line 4"]
    assert readable(path) == ["Build it.", "Another session."]


def test_a_torn_line_between_does_not_part_a_result_from_its_call(write: Write) -> None:
    lines = [json.dumps(row) for row in ROWS]
    path = write("rows.jsonl", "\n".join([*lines[:2], lines[2][:20], *lines[2:]]))
    assert [problem.place for problem in problems(path)] == ["line 3"]
    results = [item.message.tool_result for item in read(path) if isinstance(item, Record) and item.message.tool_result]
    assert results == [ToolResult("a:1", is_error=True, exit_code=1)]


def test_a_result_without_a_call_is_read(write: Write) -> None:
    path = write("r.jsonl", [ROWS[0], {"session": "a", "role": "tool_result", "text": "ok"}])
    assert shape(messages(path))[1] == ("tool", "said", "ok")
