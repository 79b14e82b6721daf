"""`cfpm gate`: a document for a command, a line for each request, and always an answer."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cfpm import Memory
from tests.cli.conftest import Run


def lines(out: str) -> list[Any]:
    return [json.loads(line) for line in out.splitlines()]


def requests(*documents: dict[str, object]) -> bytes:
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def test_a_known_folder_takes_the_place_of_a_probe(run: Run, known: Path, desktop: Path) -> None:
    result = run("gate", "--dialect", "bash", "ls ~/Desktop", "--db", known, "--json")
    assert result.code == 0
    assert result.document == {
        "id": None,
        "action": "rewrite",
        "reason": "known_folder",
        "command": f"ls {desktop}",
        "changes": [{"target": "desktop", "path": str(desktop), "start": 3, "end": 12}],
    }


def test_the_decision_is_kept_with_its_session(run: Run, known: Path) -> None:
    run("gate", "--dialect", "bash", "ls ~/Desktop", "--session", "s", "--db", known)
    with Memory.open(f"sqlite:///{known}") as memory:
        (event,) = memory.store.activity.gate_events("default", session="s")
    assert event["action"] == "rewrite"


def test_people_get_the_decision_in_words(run: Run, known: Path, desktop: Path) -> None:
    shown = run("gate", "--dialect", "bash", "ls ~/Desktop", "--db", known).out
    assert "known_folder" in shown
    assert f"ls {desktop}" in shown.splitlines()
    assert "no_probe" in run("gate", "--dialect", "bash", "make test", "--db", known).out


def test_who_asks_to_verify_again_is_heard(run: Run, known: Path) -> None:
    asked = ["gate", "--dialect", "bash", "ls ~/Desktop", "--said", "Please verify the path again.", "--json"]
    answer = run(*asked, "--db", known).document
    assert (answer["action"], answer["reason"], answer["command"]) == ("pass", "reverification_asked", "ls ~/Desktop")


@pytest.mark.parametrize(("command", "reason"), [("make test", "no_probe"), ("ls ~/Desktop", "nothing_known")])
def test_without_a_memory_the_command_passes(
    run: Run, tmp_path: Path, desktop: Path, command: str, reason: str
) -> None:
    for where in ([], ["--db", tmp_path / "none.db"]):
        result = run("gate", "--dialect", "bash", command, *where, "--json")
        assert (result.code, result.document["action"], result.document["reason"]) == (0, "pass", reason)
        assert result.document["command"] == command
    assert "none.db" in result.err
    assert not (tmp_path / "none.db").exists()


def test_a_broken_memory_lets_the_command_pass_and_is_named(run: Run, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    result = run("gate", "--dialect", "bash", "ls ~/Desktop", "--db", foreign, "--json")
    assert (result.code, result.document["reason"]) == (1, "store_unavailable")
    assert "foreign.db" in result.err


def test_an_unknown_dialect_passes(run: Run, known: Path) -> None:
    one = run("gate", "--dialect", "fish", "ls ~/Desktop", "--db", known, "--json")
    assert (one.code, one.document["reason"]) == (0, "unknown_dialect")
    stdin = requests({"id": 1, "dialect": "fish", "command": "ls ~/Desktop"})
    many = run("gate", "--batch", "--db", known, stdin=stdin)
    assert (many.code, lines(many.out)[0]["reason"]) == (0, "unknown_dialect")


def test_each_line_is_answered_in_order(run: Run, known: Path, desktop: Path) -> None:
    stdin = requests(
        {"id": "a", "dialect": "bash", "command": "ls ~/Desktop"},
        {"id": 2, "dialect": "powershell", "command": "Get-Date"},
        {"dialect": "bash", "command": "echo '~/Desktop'"},
    )
    result = run("gate", "--batch", "--db", known, stdin=stdin + b"\n")
    assert result.code == 0
    answers = lines(result.out)
    assert [answer["id"] for answer in answers] == ["a", 2, None]
    assert [answer["action"] for answer in answers] == ["rewrite", "pass", "pass"]
    assert answers[0]["command"] == f"ls {desktop}"
    assert answers[2]["command"] == "echo '~/Desktop'"


def test_the_option_is_the_dialect_of_lines_without_one(run: Run, known: Path) -> None:
    result = run("gate", "--batch", "--dialect", "bash", "--db", known, stdin=requests({"command": "ls ~/Desktop"}))
    assert lines(result.out)[0]["action"] == "rewrite"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"id": 1, "dialect": "bash", "comm', "JSON"),
        (b"[1, 2]", "object"),
        (b"7", "object"),
        (b'{"dialect": "bash"}', "command"),
        (b'{"dialect": "bash", "command": ["ls"]}', "command"),
        (b'{"dialect": 7, "command": "ls"}', "dialect"),
        (b'{"dialect": "bash", "command": "ls", "cwd": 7}', "cwd"),
        (b'{"dialect": "bash", "command": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "JSON"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_answered(run: Run, known: Path, line: bytes, problem: str) -> None:
    good = requests({"id": "good", "dialect": "bash", "command": "ls ~/Desktop"})
    result = run("gate", "--batch", "--db", known, stdin=good + line + b"\n" + good)
    assert result.code == 1
    assert "line 2" in result.err
    assert problem in result.err
    first, bad, last = lines(result.out)
    assert (first["action"], last["action"]) == ("rewrite", "rewrite")
    assert (bad["action"], bad["reason"]) == ("pass", "bad_line")


def test_a_line_without_end_is_refused_and_the_next_is_answered(
    run: Run, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cfpm.cli.gate.LONGEST_LINE", 200)
    good = requests({"id": "good", "dialect": "bash", "command": "ls ~/Desktop"})
    long = requests({"id": "long", "dialect": "bash", "command": "x" * 1_000})
    result = run("gate", "--batch", "--db", known, stdin=long + good)
    assert result.code == 1
    assert [answer["reason"] for answer in lines(result.out)] == ["bad_line", "known_folder"]


def test_what_no_terminal_should_see_is_escaped(run: Run, known: Path) -> None:
    command = "echo \x1b[2J\x7f\u202e \ud800 é"
    stdin = requests({"dialect": "bash", "command": command})
    result = run("gate", "--batch", "--db", known, stdin=stdin)
    assert result.out.isascii()
    assert "\x1b" not in result.out
    assert lines(result.out)[0]["command"] == command


@pytest.mark.parametrize(
    "command", [["gate"], ["gate", "ls"], ["gate", "--dialect", "bash"], ["gate", "ls", "--dialect", "bash", "--batch"]]
)
def test_wrong_usage(run: Run, command: list[str]) -> None:
    result = run(*command)
    assert (result.code, result.out) == (2, "")
    assert result.err


def test_the_trail_shows_what_was_decided_and_why(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = tmp_path / "home" / "Desktop"
    desktop.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(desktop.parent))
    db = tmp_path / "trail.db"
    assert run("remember", str(desktop), "--category", "artifact", "--db", db).code == 0
    for command in ("ls ~/Desktop", "git status"):
        assert run("gate", "--dialect", "bash", command, "--db", db, "--session", "s").code == 0
    shown = run("audit", "gate", "--db", db, "--json").document
    assert [(event["action"], event["reason"]) for event in shown] == [
        ("pass", "no_probe"),
        ("rewrite", "known_folder"),
    ]
    assert shown[1]["rewritten"] == f"ls {desktop}"
    assert run("audit", "gate", "--db", db, "--session", "other").out.strip() == "no decisions"
    assert "known_folder" in run("audit", "gate", "--db", db, "--limit", "5").out
