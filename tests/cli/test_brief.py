"""`cfpm brief`: on the terminal, as JSON, and in a file that people edit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import SESSION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


@pytest.fixture
def db(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "session.json").write_text(json.dumps(SESSION))
    assert run("observe", "session.json", "--db", "memory.db").code == 0
    return tmp_path / "memory.db"


def test_the_document_has_text_tokens_and_lines(run: Run, db: Path) -> None:
    document = run("brief", "staging", "--db", db, "--json", "--max-tokens", "400").document
    assert set(document) == {"text", "tokens", "lines"}
    assert document["tokens"] <= 400
    assert all(set(line) == {"section", "text", "id"} for line in document["lines"])
    assert any("make test" in line["text"] for line in document["lines"])
    assert "make test" in run("brief", "--db", db).out


def test_a_file_is_written_and_its_edits_are_learnt(run: Run, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("# Shop\n")
    first = run("brief", "--write", file, "--db", db)
    assert (first.code, first.out) == (
        0,
        f"{file}: {first.out.split()[1]} lines, {first.out.split()[3]} tokens, written\n",
    )
    file.write_text(file.read_text("utf-8").replace("with `make test`", "with `make check`"))
    edited = 1 + next(place for place, line in enumerate(file.read_text("utf-8").splitlines()) if "make check" in line)
    done = run("brief", "--write", file, "--db", db, "--json").document
    assert done["path"] == str(file)
    assert done["changed"] is True
    (learnt,) = done["learnt"]
    assert learnt["fact"]["content"] == "Always run the tests with `make check`."
    assert learnt["replaced"].startswith("fact_")
    assert (learnt["line"], learnt["shown"], done["forgotten"]) == (edited, True, [])
    assert any("make check" in line["text"] for line in done["lines"])


def test_what_was_learnt_and_forgotten_is_said(run: Run, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    run("brief", "--write", file, "--db", db)
    lines = file.read_text("utf-8").splitlines()
    kept = [line for line in lines if "short commit messages" not in line]
    kept.insert(kept.index("### Rules") + 1, "- Never push on Fridays")
    file.write_text("\n".join(kept))
    out = run("brief", "--write", file, "--db", db, "--forget-removed").out
    assert "learnt from line 4: fact_" in out
    assert "(instruction): Never push on Fridays" in out
    assert "forgotten: fact_" in out
    assert "short commit messages" in out
    assert "short commit messages" not in run("facts", "--db", db).out


def test_nothing_is_known_yet(run: Run, tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps([{"role": "user", "content": "hello"}]))
    run("observe", "session.json", "--db", "empty.db")
    result = run("brief", "--write", "AGENTS.md", "--db", "empty.db")
    assert (result.code, "nothing is known yet" in result.out) == (0, True)
    assert not (tmp_path / "AGENTS.md").exists()


def test_bad_input_is_said(run: Run, db: Path, tmp_path: Path) -> None:
    (tmp_path / "torn.md").write_text("# Shop\n<!-- cfpm:brief begin -->\n- Never push\n")
    for code, words, argv in (
        (1, "torn.md, line 2: a begin mark without an end mark", ("--write", "torn.md")),
        (1, "it is a folder", ("--write", tmp_path)),
        (1, "there is no folder", ("--write", "nowhere/AGENTS.md")),
        (1, "there is no such folder", ("--root", "nowhere")),
        (1, "there is no such folder", ("--root", "session.json", "--write", "AGENTS.md")),
        (2, "--forget-removed", ("--forget-removed",)),
        (2, "--session", ("--write", "AGENTS.md", "--session", "s1")),
        (2, "--max-tokens", ("--max-tokens", "0")),
    ):
        result = run("brief", "--db", db, *argv)
        assert (result.code, result.out) == (code, "")
        assert words in result.err
    assert not (tmp_path / "AGENTS.md").exists()
    assert (tmp_path / "torn.md").read_text() == "# Shop\n<!-- cfpm:brief begin -->\n- Never push\n"
