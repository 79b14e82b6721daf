"""Every kind of bad input ends with a sentence that names it and says what to do, and with the right exit code."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import SESSION, Run, as_lines

if TYPE_CHECKING:
    from pathlib import Path


def test_missing_file(run: Run, tmp_path: Path) -> None:
    result = run("observe", "nowhere.jsonl", "--db", tmp_path / "m.db")
    assert (result.code, result.out) == (1, "")
    assert "nowhere.jsonl" in result.err
    assert "does not exist" in result.err


def test_folder_without_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run("observe", "empty", "--db", tmp_path / "m.db")
    assert result.code == 1
    assert "no transcript" in result.err


def test_folder_without_transcripts(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "list.txt").write_text("one\ntwo\n", encoding="utf-8")
    result = run("observe", folder, "--db", tmp_path / "m.db")
    assert result.code == 1
    assert "no transcript" in result.err


@pytest.mark.slow
def test_what_is_no_transcript_in_a_folder_is_skipped_and_named(run: Run, session: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    (folder / "deep").mkdir(parents=True)
    session.rename(folder / "deep" / "a.jsonl")
    (folder / "notes.json").write_text('{"colour": "blue"}', encoding="utf-8")
    result = run("observe", folder, "--db", tmp_path / "m.db", "--json")
    assert result.code == 0
    assert result.document["sessions"] == 1
    assert "notes.json" in result.err


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02\xff" * 300, b"just some words\n", b"{}", b"[]", b"[1, 2]"])
def test_a_named_file_that_is_no_transcript(run: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "odd.json"
    file.write_bytes(content)
    result = run("observe", file, "--db", tmp_path / "m.db")
    assert result.code == 1
    assert "odd.json" in result.err


def test_half_a_line_is_named_and_the_rest_is_stored(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "torn.jsonl"
    whole = as_lines(SESSION)
    file.write_text(whole + '{"role": "user", "cont', encoding="utf-8")
    result = run("observe", file, "--db", tmp_path / "m.db", "--json")
    assert result.code == 1
    assert "torn.jsonl" in result.err
    assert "line 6" in result.err
    assert result.document["messages"] == len(SESSION)


def test_one_bad_file_does_not_stop_the_others(run: Run, session: Path, tmp_path: Path) -> None:
    result = run("observe", "nowhere.jsonl", session, "--db", tmp_path / "m.db", "--json")
    assert result.code == 1
    assert result.document["messages"] == len(SESSION)


def test_standard_input(run: Run, tmp_path: Path) -> None:
    result = run(
        "observe", "-", "--session", "piped", "--db", tmp_path / "m.db", "--json", stdin=as_lines(SESSION).encode()
    )
    assert result.code == 0
    assert result.document["messages"] == len(SESSION)
    sessions = {row["session"] for row in run("audit", "--db", tmp_path / "m.db", "--json").document}
    assert sessions == {"piped"}


def test_a_json_array_on_standard_input(run: Run, tmp_path: Path) -> None:
    result = run("observe", "-", "--db", tmp_path / "m.db", "--json", stdin=json.dumps(SESSION).encode())
    assert result.document["messages"] == len(SESSION)


def test_empty_standard_input_is_called_by_its_name(run: Run, tmp_path: Path) -> None:
    result = run("observe", "-", "--db", tmp_path / "m.db")
    assert result.code == 1
    assert "standard input" in result.err


def test_a_database_that_is_not_ours(run: Run, session: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    before = foreign.read_bytes()
    for command in (["observe", session], ["facts"], ["doctor"]):
        result = run(*command, "--db", foreign)
        assert result.code == 1
        assert "foreign.db" in result.err + result.out
    assert foreign.read_bytes() == before


def test_a_file_that_is_no_database(run: Run, session: Path, tmp_path: Path) -> None:
    text = tmp_path / "letter.txt"
    text.write_text("Dear reader, " * 200, encoding="utf-8")
    result = run("observe", session, "--db", text)
    assert result.code == 1
    assert "letter.txt" in result.err
    assert text.read_text(encoding="utf-8").startswith("Dear reader")


def test_a_newer_schema_is_left_alone(run: Run, session: Path, db: Path) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute("PRAGMA user_version = 1000")
    for command in (["observe", session], ["facts"]):
        result = run(*command, "--db", db)
        assert (result.code, result.out) == (1, "")
        assert "newer" in result.err


def test_a_folder_as_database(run: Run, session: Path, tmp_path: Path) -> None:
    result = run("observe", session, "--db", tmp_path)
    assert result.code == 1
    assert str(tmp_path) in result.err


def test_a_database_in_a_folder_that_is_not_there(run: Run, session: Path, tmp_path: Path) -> None:
    result = run("observe", session, "--db", tmp_path / "no" / "folder" / "m.db")
    assert result.code == 1
    assert "folder" in result.err


@pytest.mark.parametrize(
    "command", [["facts"], ["recall", "x"], ["export"], ["audit"], ["forget", "x"], ["audit", "stats"]]
)
def test_reading_where_no_memory_is_makes_none(run: Run, tmp_path: Path, command: list[str]) -> None:
    result = run(*command, "--db", tmp_path / "none.db")
    assert (result.code, result.out) == (1, "")
    assert "none.db" in result.err
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["history", "fact_0"],
        ["forget", "fact_0"],
        ["pin", "fact_0"],
        ["unpin", "fact_0"],
        ["audit", "explain", "cand_0"],
        ["audit", "accept", "cand_0"],
        ["audit", "reject", "cand_0"],
    ],
)
def test_an_unknown_id(run: Run, db: Path, command: list[str]) -> None:
    result = run(*command, "--db", db)
    assert (result.code, result.out) == (1, "")
    assert command[-1] in result.err


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["nonsense"],
        ["facts", "--category", "colour"],
        ["facts", "--status", "asleep"],
        ["facts", "--limit", "0"],
        ["facts", "--nonsense"],
        ["audit", "--decision", "perhaps"],
        ["audit", "--reason", "no_such_code"],
        ["audit", "nonsense"],
        ["observe"],
        ["observe", "x", "--format", "morse"],
        ["remember", "x"],
        ["remember", "x", "--category", "colour"],
        ["recall"],
        ["recall", "x", "-k", "0"],
        ["recall", "x", "-k", "many"],
        ["rollback"],
        ["rollback", "--to", "yesterday"],
        ["rollback", "--to", "9" * 30],
        ["import"],
        ["facts", "--db", ""],
        ["facts", "--db", "nosuchdatabase://host/x"],
    ],
)
def test_wrong_usage_exits_with_2(run: Run, command: list[str]) -> None:
    result = run(*command)
    assert result.code == 2
    assert result.err or result.out


def test_nothing_to_remember(run: Run, tmp_path: Path) -> None:
    result = run("remember", "   ", "--category", "note", "--db", tmp_path / "m.db")
    assert result.code in {1, 2}
    assert result.err


@pytest.mark.parametrize("content", [b"", b"not json\n", b'{"kind": "fact"', b"\xff\xfe\n", b"[]\n", b'{"a": 1}\n'])
def test_import_of_what_is_no_export(run: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    result = run("import", file, "--db", tmp_path / "m.db")
    assert result.code == 1
    assert "odd.jsonl" in result.err


def test_import_of_a_missing_file_or_a_folder(run: Run, tmp_path: Path) -> None:
    assert "does not exist" in run("import", "nowhere.jsonl").err
    assert "folder" in run("import", tmp_path).err


def test_export_into_a_folder_leaves_nothing_behind(run: Run, db: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert run("export", "-o", tmp_path / "out", "--db", db).code == 1
    assert run("export", "-o", tmp_path / "no" / "out.jsonl", "--db", db).code == 1
    assert not list(tmp_path.rglob("*.part"))
