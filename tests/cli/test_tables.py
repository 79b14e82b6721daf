"""What people see: tables and sentences, through which nothing stored can steer the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.cli.output import clean, one_line
from cfpm.model import Category, Draft, Message, Origin, Role, Span
from tests.cli.conftest import Run, as_lines

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.model import Turn

EVIL = "Always use \x1b[2J\x1b]0;title\x07 the \x9b31m build [bold red]tool[/] \u202egnirts."


def test_escape_sequences_become_visible() -> None:
    assert clean("a\x1b[31mb\x07\x9bc\u202ed\rf") == "a\\x1b[31mb\\x07\\x9bc\\x202ed\\x0df"
    assert clean("lines\nand\ttabs stay") == "lines\nand\ttabs stay"
    assert one_line("a\r\n  b\n\nc") == "a b c"


@pytest.fixture
def evil_db(run: Run, tmp_path: Path) -> Path:
    file = tmp_path / "evil.jsonl"
    file.write_text(
        as_lines([{"role": "user", "content": EVIL}, {"role": "assistant", "content": "ok"}]), encoding="utf-8"
    )
    db = tmp_path / "evil.db"
    assert run("observe", file, "--db", db).code == 0
    assert run("remember", EVIL, "--category", "note", "--db", db).code == 0
    return db


@pytest.mark.slow
def test_nothing_stored_reaches_the_terminal_as_a_control_character(run: Run, evil_db: Path) -> None:
    rows = run("audit", "--db", evil_db, "--json").document
    facts = run("facts", "--db", evil_db, "--json").document
    commands = [
        ["facts"],
        ["audit"],
        ["audit", "stats"],
        ["recall", "build tool", "--explain"],
        ["history", facts[0]["id"]],
        *(["audit", "explain", row["id"]] for row in rows),
    ]
    for command in commands:
        result = run(*command, "--db", evil_db)
        assert result.code == 0
        for character in "\x1b\x07\x9b\u202e":
            assert character not in result.out + result.err
            assert character not in run(*command, "--db", evil_db, "--json").out


def test_markup_of_the_terminal_library_is_plain_text(run: Run, evil_db: Path) -> None:
    assert "[bold red]tool[/]" in " ".join(run("facts", "--db", evil_db).out.split())


def test_facts_show_their_content_and_id(run: Run, db: Path) -> None:
    shown = run("facts", "--db", db)
    for fact in run("facts", "--db", db, "--json").document:
        assert fact["id"] in shown.out
        assert fact["content"].split()[0] in shown.out


def test_a_story_says_who_where_why_and_how_to_reverse(run: Run, db: Path) -> None:
    rejected = run("audit", "--decision", "rejected", "--db", db, "--json").document[0]
    story = run("audit", "explain", rejected["id"], "--db", db).out
    assert "Said: by the " in story
    assert rejected["message_id"] in story
    assert f"turn {rejected['turn']}" in story
    assert "Judged: rejected by the rule" in story
    assert f"cfpm audit accept {rejected['id']}" in story


def test_a_fact_and_its_story_say_who_said_it_and_what_it_is_worth(run: Run, tmp_path: Path) -> None:
    db, shares = tmp_path / "m.db", (("numbers", 0.25), ("greeting", -0.125))
    text = "I collect 40 old maps."

    def rated(turn: Turn) -> list[Draft]:
        span = Span(turn.messages[0].id, 0, len(text))
        return [
            Draft(Category.NOTE, text, span, Role.USER, "x", line=text, speaker="Ann", salience=0.625, shares=shares)
        ]

    with Memory.open(f"sqlite:///{db}", extractors=[rated]) as memory:
        memory.observe([Message(Role.USER, text, name="Ann", origin=Origin.THINKING)])
    (row,) = run("audit", "--db", db, "--json").document
    assert (row["speaker"], row["salience"]) == ("Ann", 0.625)
    story = run("audit", "explain", row["id"], "--db", db, "--json").document
    assert story["candidate"]["shares"] == {"numbers": 0.25, "greeting": -0.125}
    told = run("audit", "explain", row["id"], "--db", db).out
    assert "  salience: 0.62 of 1, from these shares:\n    numbers   +0.25\n    greeting  -0.12\n" in told
    assert f"Ann: {text}" in told
    (fact,) = run("facts", "--db", db, "--json").document
    assert (fact["content"], fact["speaker"], fact["salience"]) == (text, "Ann", 0.625)
    shown = run("facts", "--db", db).out
    assert f"Ann: {text}" in " ".join(shown.split())
    assert "0.62" in shown


def test_a_corrected_value_tells_what_it_replaced(run: Run, db: Path) -> None:
    superseding = run("audit", "--decision", "superseded", "--db", db, "--json").document
    assert superseding
    story = run("audit", "explain", superseding[0]["id"], "--db", db).out
    assert "8080" in story
    assert "8081" in story


def test_audit_reasons_lists_sentences(run: Run) -> None:
    shown = run("audit", "reasons").out
    assert "negated" in shown
    assert "hypothetical" in shown


def test_an_empty_answer_says_so(run: Run, db: Path) -> None:
    assert run("facts", "--category", "profile", "--db", db).out == "no facts\n"


def test_the_memory_of_the_user_is_the_default(run: Run, session: Path, tmp_path: Path) -> None:
    assert run("observe", session).code == 0
    assert (tmp_path / "data" / "cfpm" / "memory.db").is_file()
    assert run("facts", "--json").document


def test_the_environment_names_the_database(
    run: Run, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CFPM_DB", f"sqlite:///{tmp_path / 'env.db'}")
    assert run("observe", session).code == 0
    assert (tmp_path / "env.db").is_file()


def test_namespaces_are_apart(run: Run, db: Path) -> None:
    assert run("facts", "--namespace", "user:kim", "--db", db, "--json").document == []


def test_version_and_help(run: Run) -> None:
    assert run("--version").out.startswith("cfpm ")
    shown = run("--help").out
    for command in ("observe", "recall", "facts", "audit", "demo", "doctor", "export", "import", "rollback"):
        assert command in shown


@pytest.mark.parametrize("columns", ["40", "80", "109", "110", "200"])
def test_ids_stay_whole_in_a_terminal_of_any_width(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for command in ("facts", "audit"):
        shown = run(command, "--db", db).out
        for row in run(command, "--db", db, "--json").document:
            assert row["id"] in shown


def test_facts_lists_what_is_believed_and_counts_the_others(run: Run, db: Path) -> None:
    believed = run("facts", "--db", db, "--json").document
    every = run("facts", "--db", db, "--status", "all", "--json").document
    assert {fact["status"] for fact in believed} == {"active"}
    assert [fact["status"] for fact in every].count("superseded") == 1
    assert [fact for fact in every if fact["status"] == "active"] == believed
    shown = run("facts", "--db", db).out
    assert "superseded" not in shown.replace("not believed any more: 1 superseded; --status all lists them", "")
    assert "not believed any more" not in run("facts", "--db", db, "--status", "all").out
    by_category = run("facts", "--db", db, "--category", "instruction").out
    assert "not believed any more" not in by_category
