"""How a call ended, in the words of its host. The table's own examples are tests."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from typing import Any

import pytest

from cfpm.transcript.blocks import tool_output
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.outcomes import outcome

TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (files("cfpm.transcript") / "outcomes.toml").read_text(encoding="utf-8")
)
ENTRIES = [(kind, entry) for kind, entries in TABLE.items() for entry in entries]


@pytest.mark.parametrize(("kind", "entry"), ENTRIES)
def test_each_example_of_the_table(kind: str, entry: dict[str, Any]) -> None:
    code = entry.get("code")
    failed = kind.startswith("failed") or bool(code)
    assert outcome(entry["example"]) == (failed, code)


@pytest.mark.parametrize("kind_entry", [entry for kind, entry in ENTRIES if kind != "exit_tail"])
def test_no_example_counts_in_the_middle_of_an_output(kind_entry: dict[str, Any]) -> None:
    assert outcome(f"first line\n{kind_entry['example']}\nlast line\n") == (None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (None, None)),
        ("3 errors were mended", (None, None)),
        ("the build failed, see Exit code 1", (None, None)),
        ('{"exit_code": 0, "stdout": "x"}', (False, 0)),
        ('{"returncode": 127, "error": ""}', (True, 127)),
        ('{"error": "no such user"}', (True, None)),
        ('{"error": null, "success": true}', (False, None)),
        ('{"success": false}', (True, None)),
        ('{"user": {"error": "in the past"}}', (None, None)),
        ('{"exit_code": true}', (None, None)),
        ('{"exit_code": 1', (None, None)),
        ("Exit code 1", (True, 1)),
        ("  Exit code 1\n", (True, 1)),
        ("Exit code 1 is what it says in the manual", (None, None)),
        ("Error: " + "x" * 5_000, (None, None)),
    ],
)
def test_what_counts_and_what_does_not(text: str, expected: tuple[bool | None, int | None]) -> None:
    assert outcome(text) == expected


def test_what_a_host_wraps_into_json_is_read_as_the_output() -> None:
    """Codex hands results on with their exit code: neither the braces nor the escapes are the tool's words."""
    wrapped = json.dumps({"output": "2 tests failed\n", "metadata": {"exit_code": 1, "duration_seconds": 0.4}})
    call = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": "{}"}}
    told = parse_messages(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": wrapped},
        ]
    )[-1]
    assert told.text == "2 tests failed\n"
    assert told.tool_result is not None
    assert (told.tool_result.is_error, told.tool_result.exit_code) == (True, 1)


@pytest.mark.parametrize(
    "text", ['{"output": "x", "status": "ok"}', '{"output": 3, "metadata": {}}', '{"output": "x"}']
)
def test_json_of_a_tool_itself_stays_as_it_is(text: str) -> None:
    assert tool_output(text).text == text
