"""InterCode result files: actions with the environment's verdict."""

from __future__ import annotations

from typing import Any

from cfpm.model import ToolResult
from cfpm.transcript import detect
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, records, shape


def task(environment: str = "ic_bash", **history: Any) -> dict[str, Any]:
    return {
        "environment": environment,
        "task_id": 3,
        "query": "Count the files.",
        "turn_history": history,
        "summary": {},
    }


def test_actions_observations_and_verdicts(write: Write) -> None:
    path = write(
        "bash.json", {"3": task(actions=["ls | wc", "wc x"], observations=["2\n", "no x"], valid_action=[True, False])}
    )
    assert detect(path) == "intercode"
    found = messages(path)
    assert shape(found) == [
        ("user", "said", "Count the files."),
        ("assistant", "said", ""),
        ("tool", "said", "2\n"),
        ("assistant", "said", ""),
        ("tool", "said", "no x"),
    ]
    assert [message.tool_calls[0].command for message in found if message.tool_calls] == ["ls | wc", "wc x"]
    assert [message.tool_result for message in found if message.tool_result] == [
        ToolResult("action-1", is_error=False),
        ToolResult("action-2", is_error=True),
    ]
    assert {record.session for record in records(path)} == {"bash-task-3"}


def test_thoughts_steps_and_wrapped_actions(write: Write) -> None:
    history = task(
        actions=["execute[ls]", "submit"],
        observations=["a"],
        valid_action=[True],
        thoughts=["I list.", "Done."],
        steps=["List", "Count"],
    )
    found = messages(write("react.json", {"meta": {}, "logs": {"0": history}}))
    assert [message.text for message in found] == ["Count the files.", "1. List\n2. Count", "I list.", "a", "Done."]
    assert found[2].tool_calls[0].command == "ls"


def test_python_says_errors_in_its_own_way(write: Write) -> None:
    observations = [
        "{'output': '', 'error': ''}",
        "{'output': '', 'error': 'NameError'}",
        "Test case did not pass. Please try again.",
    ]
    history = task("ic_python", actions=["a", "b", "c"], observations=observations, valid_action=[None, None, None])
    found = messages(write("python.json", {"0": history}))
    assert [message.tool_result.is_error for message in found if message.tool_result] == [False, True, True]
    assert found[1].tool_calls[0].arguments == {"input": "a"}
    assert found[1].tool_calls[0].command is None
