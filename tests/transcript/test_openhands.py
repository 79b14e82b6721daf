"""OpenHands runs, as events and as DevAI's steps."""

from __future__ import annotations

from cfpm.model import ToolResult
from cfpm.transcript import detect
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, shape


def test_steps(write: Write) -> None:
    steps = [
        {
            "step": 0,
            "user_message": "Train a model.",
            "agent": {"thought": "I look.", "action": "Running command: ls"},
            "environment": "a.py",
        },
        {
            "step": 1,
            "user_message": None,
            "agent": {"thought": "", "action": "Running Python code interactively: x = 1"},
            "environment": "[Code executed successfully with no output]",
        },
        {"step": 2, "user_message": None, "agent": {"thought": "Done.", "action": None}, "environment": None},
    ]
    path = write("run.json", steps)
    assert detect(path) == "openhands"
    found = messages(path)
    assert shape(found) == [
        ("user", "said", "Train a model."),
        ("assistant", "said", "I look."),
        ("tool", "said", "a.py"),
        ("assistant", "said", ""),
        ("tool", "said", "[Code executed successfully with no output]"),
        ("assistant", "said", "Done."),
    ]
    assert found[1].tool_calls[0].command == "ls"
    assert found[3].tool_calls[0].arguments == {"input": "x = 1"}
    assert found[4].tool_result == ToolResult(found[3].tool_calls[0].id, is_error=False)


def test_events(write: Write) -> None:
    events = [
        {
            "id": 0,
            "timestamp": "2026-03-01T10:00:00",
            "source": "user",
            "action": "message",
            "args": {"content": "Build it."},
        },
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "make", "thought": "I build."}},
        {
            "id": 2,
            "source": "agent",
            "observation": "run",
            "cause": 1,
            "content": "no rule",
            "extras": {"metadata": {"exit_code": 2}},
        },
        {"id": 3, "source": "agent", "action": "think", "args": {"thought": "Hm."}},
        {"id": 4, "source": "environment", "observation": "agent_state_changed", "content": ""},
    ]
    found = messages(write("events.jsonl", events))
    assert shape(found) == [
        ("user", "said", "Build it."),
        ("assistant", "said", "I build."),
        ("tool", "said", "no rule"),
        ("assistant", "thinking", "Hm."),
    ]
    assert found[1].tool_calls[0].arguments == {"command": "make"}
    assert found[2].tool_result == ToolResult("event-1", is_error=True, exit_code=2)


def test_a_wrong_step_is_a_problem(write: Write) -> None:
    steps = [{"agent": {"thought": "a", "action": None}, "environment": None}, "x", {"agent": 4}]
    assert [problem.place for problem in problems(write("run.json", steps))] == ["step 2", "step 3"]
