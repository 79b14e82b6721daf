"""tau-bench result files: a session for each run, and the environment's own word for failure."""

from __future__ import annotations

from typing import Any

from cfpm.model import ToolResult
from cfpm.transcript import detect
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, records, shape

CALL = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"seat": "1A"}'}}


def run(task: int, trial: int, result: str) -> dict[str, Any]:
    traj = [
        {"role": "system", "content": "Policy: be polite."},
        {"role": "user", "content": "Book seat 1A."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "name": "book", "content": result},
    ]
    return {"task_id": task, "trial": trial, "reward": 0.0, "info": {}, "traj": traj}


def test_each_run_is_a_session_named_by_task_and_trial(write: Write) -> None:
    path = write("airline.json", [run(0, 0, "{}"), run(0, 1, "{}"), run(7, 0, "{}")])
    assert detect(path) == "tau_bench"
    assert sorted({record.session for record in records(path)}) == [
        "airline-task-0-trial-0",
        "airline-task-0-trial-1",
        "airline-task-7-trial-0",
    ]


def test_only_a_result_that_begins_with_error_failed(write: Write) -> None:
    path = write("a.json", [run(0, 0, "Error: seat is taken"), run(1, 0, '{"note": "no Error"}')])
    results = [message.tool_result for message in messages(path) if message.tool_result]
    assert results == [ToolResult("c1", is_error=True), ToolResult("c1", is_error=False)]


def test_dialogues_as_text(write: Write) -> None:
    shown = "user: Where is my order?\nIt is late.\nassistant: None\ntool: Error: unknown\nassistant: I am sorry."
    path = write("few.jsonl", [{"messages_display": shown}])
    assert detect(path) == "tau_bench"
    assert shape(messages(path)) == [
        ("user", "said", "Where is my order?\nIt is late."),
        ("tool", "said", "Error: unknown"),
        ("assistant", "said", "I am sorry."),
    ]


def test_a_run_without_messages_is_a_problem(write: Write) -> None:
    assert [p.place for p in problems(write("a.json", [run(0, 0, "{}"), {"task_id": 1}]))] == ["run 2"]
