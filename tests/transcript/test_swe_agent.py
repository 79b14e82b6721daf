"""SWE-agent trajectories: the history once, demonstrations marked, observations linked to their actions."""

from __future__ import annotations

from typing import Any

from cfpm.model import Origin, Role, ToolResult
from cfpm.transcript import detect
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, shape

ISSUE = "ISSUE:\nThe parser is slow."
PROMPT = f"{ISSUE}\n\nINSTRUCTIONS:\nNow, you're going to solve this issue on your own. One command at a time."
OLD: dict[str, Any] = {
    "history": [
        {"role": "system", "content": "You are a programmer.", "agent": "primary"},
        {"role": "user", "content": "Here is a demonstration ...", "agent": "demo", "is_demo": True},
        {"role": "user", "content": PROMPT, "agent": "primary"},
        {
            "role": "assistant",
            "content": "I look.\n```\nls\n```",
            "thought": "I look.\n",
            "action": "ls\n",
            "agent": "primary",
        },
        {"role": "user", "content": "a.py\n(Open file: n/a)\nbash-$", "agent": "primary"},
        {
            "role": "assistant",
            "content": "Done.\n```\nsubmit\n```",
            "thought": "Done.",
            "action": "submit",
            "agent": "primary",
        },
    ],
    "trajectory": [
        {"action": "ls\n", "observation": "a.py", "response": "I look.", "thought": "I look."},
        {"action": "submit", "observation": "diff --git a b", "response": "Done.", "thought": "Done."},
    ],
    "info": {},
}


def test_the_older_form_tells_observations_by_their_order(write: Write) -> None:
    path = write("run.traj", OLD)
    assert detect(path) == "swe_agent"
    found = messages(path)
    assert [(message.role, message.origin) for message in found] == [
        (Role.SYSTEM, Origin.SYSTEM_PROMPT),
        (Role.USER, Origin.SYSTEM_PROMPT),
        (Role.USER, Origin.SAID),
        (Role.USER, Origin.BOOT_FILE),
        (Role.ASSISTANT, Origin.SAID),
        (Role.TOOL, Origin.SAID),
        (Role.ASSISTANT, Origin.SAID),
        (Role.TOOL, Origin.SAID),
    ]
    assert found[2].text == ISSUE
    assert (found[4].text, found[4].tool_calls[0].command) == ("I look.", "ls")
    assert found[5].tool_result == ToolResult(found[4].tool_calls[0].id)


def test_the_last_observation_comes_from_the_trajectory_and_nothing_twice(write: Write) -> None:
    found = messages(write("run.traj", OLD))
    assert found[-1].text == "diff --git a b"
    assert sum("a.py" in message.text for message in found) == 1
    without = {**OLD, "history": OLD["history"][:-1]}
    assert shape(messages(write("cut.traj", without))) == shape(found)


def test_the_newer_form_has_tool_calls(write: Write) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    history = [
        {"role": "user", "content": "Fix it.", "agent": "main", "message_type": "observation"},
        {
            "role": "assistant",
            "content": "I look.",
            "thought": "I look.",
            "action": "ls",
            "agent": "main",
            "tool_calls": [call],
        },
        {
            "role": "tool",
            "content": "Your command ran successfully and did not produce any output.",
            "agent": "main",
            "tool_call_ids": ["c1"],
        },
    ]
    found = messages(write("new.traj", {"history": history}))
    assert found[1].tool_calls[0].arguments == {"command": "ls"}
    assert found[2].tool_result == ToolResult("c1", is_error=False)


def test_a_mini_trajectory_keeps_commands_in_code_blocks(write: Write) -> None:
    value = {
        "trajectory_format": "mini-swe-agent-1",
        "messages": [
            {"role": "user", "content": "Fix it."},
            {"role": "assistant", "content": "I look.\n\n```bash\nls -a\n```"},
            {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno\n</output>"},
        ],
    }
    found = messages(write("mini.traj.json", value))
    assert found[1].tool_calls[0].command == "ls -a"
    assert found[2].tool_result == ToolResult(found[1].tool_calls[0].id, is_error=True, exit_code=2)


def test_a_wrong_item_is_a_problem(write: Write) -> None:
    path = write(
        "bad.traj",
        {"history": [*OLD["history"][:1], 5, {"role": "user", "content": 9, "agent": "main"}], "trajectory": []},
    )
    assert [problem.place for problem in problems(path)] == ["message 2", "message 3"]
