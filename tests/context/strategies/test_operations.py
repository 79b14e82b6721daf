"""One line per tool call: outcome, tool, target, error."""

from __future__ import annotations

import json

import pytest

from cfpm.context.history import read_history
from cfpm.context.strategies.operations import merged, operations, read_line
from cfpm.recall.tokens import estimated
from tests.context.strategies.histories import Agent, Call, User, anthropic, edited, openai, ran


def _lines(*events: Agent) -> list[str]:
    messages = openai([User("go"), *events])
    return [operation.line for operation in operations(read_history(messages, estimated).groups)]


def test_a_shell_command_shows_the_command() -> None:
    assert _lines(ran("pytest -q tests")) == ["- applied: bash pytest -q tests"]


def test_a_failed_command_shows_its_exit_code_and_the_reason() -> None:
    output = "Exit code 2\nTraceback (most recent call last):\n  File 'a.py', line 3\nValueError: no total"
    assert _lines(ran("python a.py", output)) == ["- failed: bash python a.py (exit 2: ValueError: no total)"]


def test_the_reason_is_the_line_that_reports_the_failure() -> None:
    output = "collected 12 items\n.....F\nFAILED tests/test_cart.py::test_total\n1 failed, 11 passed"
    assert _lines(ran("pytest", output)) == ["- failed: bash pytest (FAILED tests/test_cart.py::test_total)"]


@pytest.mark.parametrize(
    "output",
    [
        "Exit code 1\nls: cannot access 'docs': No such file",
        "Chunk ID: 9f\nProcess exited with code 1\nOutput:\nls: cannot access 'docs': No such file",
        "<returncode>1</returncode>\n<output>\nls: cannot access 'docs': No such file\n</output>",
    ],
)
def test_the_frame_of_a_host_is_no_reason(output: str) -> None:
    assert _lines(ran("ls docs", output)) == ["- failed: bash ls docs (exit 1: ls: cannot access 'docs': No such file)"]


def test_an_error_of_the_host_loses_its_tag() -> None:
    assert _lines(edited("a.py", "<tool_use_error>File has not been read yet.</tool_use_error>")) == [
        "- failed: edit a.py (File has not been read yet.)"
    ]


def test_a_call_without_a_result_is_pending() -> None:
    assert _lines(ran("deploy staging", None)) == ["- pending: bash deploy staging"]


def test_a_call_is_pending_also_when_the_session_went_on_without_its_result() -> None:
    messages = openai([User("go"), ran("deploy staging", None), User("stop")])
    assert [o.outcome for o in operations(read_history(messages, estimated).groups)] == ["pending"]


def test_a_file_is_shown_by_its_path_without_its_content() -> None:
    assert _lines(edited("src/cart.py")) == ["- applied: edit src/cart.py"]


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ({"command": "str_replace", "path": "src/cart.py", "old_str": "a"}, "str_replace src/cart.py"),
        ({"pattern": "def total", "path": "src"}, "src def total"),
        ({"query": "sqlite fts5 bm25"}, "sqlite fts5 bm25"),
        ({"source": "a.py", "destination": "b.py"}, "a.py -> b.py"),
        (
            {"input": "*** Begin Patch\n*** Update File: src/cart.py\n*** Add File: src/tax.py\n"},
            "src/cart.py, src/tax.py",
        ),
        ({"reservation_id": "R1", "cabin": "economy"}, "cabin=economy, reservation_id=R1"),
        ({"items": ["a", "b"], "order": 7}, 'items=["a", "b"], order=7'),
        ({"thought": "the port is taken"}, "thought=the port is taken"),
    ],
)
def test_other_calls_show_what_they_were_about(arguments: dict[str, object], target: str) -> None:
    assert _lines(Agent("", (Call("it", arguments),))) == [f"- applied: it {target}"]


def test_a_call_that_names_nothing_shows_what_its_result_reports() -> None:
    output = "The file /srv/app/cart.py has been updated."
    assert _lines(Agent("", (Call("Edit", {}, output),))) == [
        "- applied: Edit (The file /srv/app/cart.py has been updated)"
    ]


def test_the_order_of_arguments_does_not_matter() -> None:
    one = _lines(Agent("", (Call("book", {"a": 1, "b": {"c": 2, "d": 3}}),)))
    assert one == _lines(Agent("", (Call("book", {"b": {"d": 3, "c": 2}, "a": 1}),)))


def test_what_a_file_says_is_no_failure_of_reading_it() -> None:
    read = Agent("", (Call("read_file", {"path": "build.log"}, "12:00 error: linker failed\n1 failed"),))
    assert _lines(read) == ["- applied: read_file build.log"]


def test_an_error_flag_of_the_host_counts() -> None:
    messages = anthropic([User("go"), ran("make", "no rule")])
    block = messages[-1]["content"][0]  # type: ignore[index]
    block["is_error"] = True
    found = list(operations(read_history(messages, estimated).groups))
    assert [o.line for o in found] == ["- failed: bash make (no rule)"]


def test_parallel_calls_have_a_line_each() -> None:
    both = Agent("", (Call("bash", {"command": "ls"}), Call("bash", {"command": "pwd"}, "Error: no such directory")))
    assert _lines(both) == ["- applied: bash ls", "- failed: bash pwd (Error: no such directory)"]


def test_repeats_are_counted_where_the_last_of_them_stood() -> None:
    messages = openai([User("go"), ran("make"), ran("ls"), ran("make"), ran("make")])
    found = merged(operations(read_history(messages, estimated).groups))
    assert [o.line for o in found] == ["- applied: bash ls", "- applied x3: bash make"]


def test_a_line_reads_back_as_what_it_was() -> None:
    messages = openai(
        [User("go"), Agent("", (Call("x3", {"command": "echo x3: - applied"}),)), ran("make"), ran("make")]
    )
    found = merged(operations(read_history(messages, estimated).groups))
    assert [read_line(o.line) for o in found] == found


def test_other_lines_are_no_operations() -> None:
    assert read_line("Asked last: - applied: it") is None
    assert read_line("- said: applied: it") is None


def test_a_long_command_is_cut_and_its_secrets_are_redacted_before() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    command = f"curl -H 'Authorization: token {secret}' " + "https://example.com/" + "x" * 300
    assert "a1B2" not in _lines(ran(command))[0]
    assert json.dumps(_lines(ran(command))[0]).endswith('\\u2026"')
