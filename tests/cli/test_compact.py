"""`compact`: what a script reads, what a person sees, and what the memory has learnt by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.compaction.provider_rules import refused
from cfpm.context.strategies.registry import NAMES
from tests.cli.conftest import as_lines

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def call(number: int, command: str, output: str) -> list[dict[str, Any]]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    listed = [{"id": f"c{number}", "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": "I look.", "tool_calls": listed},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A session in which a rule is given early and much is printed after it."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are careful."},
        {"role": "user", "content": "The goal is to release version 2. Never touch src/vendored.py."},
    ]
    for number in range(20):
        messages += call(number, f"cat src/part_{number}.py", f"value = {number}\n" * 60)
    messages += [{"role": "user", "content": "Go on with src/part_7.py."}, {"role": "assistant", "content": "I will."}]
    path = tmp_path / "long.jsonl"
    path.write_text(as_lines(messages), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("strategy", list(NAMES))
def test_json_is_a_view_that_can_be_sent(run: Run, long: Path, tmp_path: Path, strategy: str) -> None:
    done = run("compact", long, "--strategy", strategy, "--max-tokens", 900, "--db", tmp_path / "m.db", "--json")
    assert done.code == 0, done.err
    answer = done.document
    assert set(answer) >= {"messages", "before_tokens", "after_tokens", "strategy", "checkpoint"}
    assert (answer["strategy"], answer["outcome"]) == (strategy, "compacted")
    assert answer["after_tokens"] <= 900 < answer["before_tokens"]
    assert refused(answer["messages"]) == []
    assert answer["messages"][0] == {"role": "system", "content": "You are careful."}


def test_the_rule_and_the_goal_are_still_there(run: Run, long: Path, tmp_path: Path) -> None:
    done = run("compact", long, "--max-tokens", 600, "--db", tmp_path / "m.db", "--json").document
    text = json.dumps(done["messages"])
    assert "Never touch src/vendored.py" in text
    assert "release version 2" in text


def test_the_memory_learns_and_another_run_adds_nothing(run: Run, long: Path, tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    first = run("compact", long, "--max-tokens", 900, "--db", db, "--json")
    facts = run("facts", "--db", db, "--json").document
    assert any("Never touch src/vendored.py" in fact["content"] for fact in facts)
    assert run("compact", long, "--max-tokens", 900, "--db", db, "--json").out == first.out
    assert run("observe", long, "--db", db, "--json").document["messages"] == 0
    assert run("facts", "--db", db, "--json").document == facts


def test_a_view_read_again_adds_no_fact(run: Run, long: Path, tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    view = run("compact", long, "--max-tokens", 900, "--db", db, "--json").document["messages"]
    facts = run("facts", "--db", db, "--json").document
    again = tmp_path / "again.jsonl"
    again.write_text(as_lines(view), encoding="utf-8")
    run("observe", again, "--db", db, "--session", facts[0]["session"])
    assert run("facts", "--db", db, "--json").document == facts


def test_a_person_sees_the_checkpoint_and_the_sum(run: Run, long: Path, tmp_path: Path) -> None:
    done = run("compact", long, "--max-tokens", 900, "--db", tmp_path / "m.db")
    assert done.code == 0
    assert "Never touch src/vendored.py" in done.out
    assert "tokens before" in done.err


def test_a_budget_that_cannot_hold_is_a_failure_with_a_remedy(run: Run, long: Path, tmp_path: Path) -> None:
    done = run("compact", long, "--max-tokens", 5, "--db", tmp_path / "m.db", "--json")
    assert done.code == 1
    assert done.document["outcome"] == "cannot_fit"
    assert len(done.document["messages"]) == len(long.read_text("utf-8").splitlines())
    assert "--max-tokens" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["--strategy", "magic"], 2, "no strategy is called 'magic'"),
        (["--max-tokens", "0"], 2, "--max-tokens"),
        (["--session", "other"], 2, "no session 'other'"),
        (["--format", "telegram"], 2, "telegram"),
    ],
)
def test_wrong_usage(run: Run, long: Path, tmp_path: Path, arguments: list[str], code: int, named: str) -> None:
    done = run("compact", long, "--db", tmp_path / "m.db", *arguments)
    assert (done.code, done.out) == (code, "")
    assert named in done.err


def test_an_unknown_strategy_stores_nothing(
    run: Run, long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("compact", long, "--db", tmp_path / "m.db", "--strategy", "magic").code == 2
    monkeypatch.setenv("CFPM_COMPACTION_STRATEGY", "magic")
    assert run("compact", long, "--db", tmp_path / "m.db").code == 2
    assert not (tmp_path / "m.db").exists()


def test_a_file_that_is_no_transcript(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("just a note", encoding="utf-8")
    done = run("compact", path, "--db", tmp_path / "m.db")
    assert done.code == 1
    assert "notes.txt" in done.err
    assert not (tmp_path / "m.db").exists()


def test_a_document_in_another_encoding_is_refused_by_its_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes('[\n{"role": "user", "content": "café"}]'.encode("latin-1"))
    done = run("compact", path, "--db", tmp_path / "m.db")
    assert (done.code, done.out) == (1, "")
    assert "latin.json, line 2: bytes that are no UTF-8" in done.err
    read = run("observe", path, "--db", tmp_path / "m.db")
    assert read.code == 1
    assert read.err.count("bytes that are no UTF-8") == 1
