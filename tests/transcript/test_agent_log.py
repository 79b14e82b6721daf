"""Logs of several agents: who is a person, who is a machine, and what is the framework's own prompt."""

from __future__ import annotations

from cfpm.model import ToolResult
from cfpm.transcript import detect
from tests.transcript.conftest import Write
from tests.transcript.walk import messages, problems, shape

LOG = {
    "question": "How high is the tower?",
    "is_correct": False,
    "system_prompt": {"Expert": "You know towers."},
    "history": [
        {
            "role": "assistant",
            "name": "Expert",
            "content": "You are given a task: How high is the tower? Always verify.",
        },
        {"role": "user", "name": "Checker", "content": "I run code."},
        {"role": "user", "name": "Computer_terminal", "content": "exitcode: 1 (execution failed)\nCode output: no"},
    ],
}


def test_participants_are_agents_whatever_their_role(write: Write) -> None:
    path = write("17.json", LOG)
    assert detect(path) == "agent_log"
    found = messages(path)
    assert shape(found) == [
        ("user", "said", "How high is the tower?"),
        ("system", "system_prompt", "You know towers."),
        ("assistant", "host_notice", "You are given a task: How high is the tower? Always verify."),
        ("assistant", "said", "I run code."),
        ("tool", "said", "exitcode: 1 (execution failed)\nCode output: no"),
    ]
    assert [message.name for message in found[1:]] == ["Expert", "Expert", "Checker", "Computer_terminal"]
    assert found[4].tool_result == ToolResult("", is_error=True, exit_code=1)


def test_roles_can_be_names_and_a_question_is_not_said_twice(write: Write) -> None:
    history = [
        {"role": "human", "content": "How high is the tower?"},
        {"role": "Orchestrator (thought)", "content": "I ask the surfer."},
        {"role": "WebSurfer", "content": "330 m."},
    ]
    assert shape(messages(write("x.json", {"question": "How high is the tower?", "history": history}))) == [
        ("user", "said", "How high is the tower?"),
        ("assistant", "thinking", "I ask the surfer."),
        ("assistant", "said", "330 m."),
    ]


def test_an_item_without_a_speaker_is_a_problem(write: Write) -> None:
    path = write("x.json", {"question": "Q?", "history": [{"role": "A", "content": "x"}, {"content": "y"}, "z"]})
    assert [problem.place for problem in problems(path)] == ["message 2", "message 3"]
