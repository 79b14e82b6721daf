"""The commands for the database as a file: what they print, how they exit, and what they refuse."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Run


def failed(run: Run, code: int, *argv: str | Path) -> Result:
    """How a command ended that must end with this code."""
    result = run(*argv)
    assert result.code == code
    return result


def test_backup_and_restore(run: Run, db: Path, tmp_path: Path) -> None:
    target = tmp_path / "memory.backup"
    done = run("backup", target, "--db", db, "--json").document
    assert set(done) == {"file", "bytes", "rows", "sha256"}
    before = run("export", "--db", db).out
    assert run("remember", "The meeting is on Monday", "--category", "note", "--db", db).code == 0
    assert run("export", "--db", db).out != before
    assert run("restore", target, "--db", db, "--json").document == {"rows": done["rows"], "verified": True}
    assert run("export", "--db", db).out == before
    assert "as it was sealed" in run("restore", target, "--db", db).out


def test_what_was_altered_or_is_a_plain_copy_is_refused_with_the_remedy(run: Run, db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(db.read_bytes())
    told = failed(run, 1, "facts", "--db", copy).err
    assert "plain copy" in told
    assert "cfpm restore" in told
    assert "--as-is" in failed(run, 1, "restore", copy, "--db", db).err
    assert run("restore", copy, "--as-is", "--db", copy).code == 0
    assert run("facts", "--db", copy).code == 0


def test_a_plain_copy_takes_the_place_of_no_database_that_is_not_named(
    run: Run, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CFPM_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    copy = tmp_path / "copy.db"
    copy.write_bytes(db.read_bytes())
    assert "--db" in failed(run, 2, "restore", copy, "--as-is").err
    assert not (tmp_path / "data").exists()


def test_audit_verify_names_what_was_edited(run: Run, db: Path) -> None:
    assert run("audit", "verify", "--db", db).out.strip() == "all is as it was sealed"
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE memory_candidates SET decision = 'rejected' WHERE seq = 1")
    found = failed(run, 1, "audit", "verify", "--db", db, "--json").document
    assert found == {"ok": False, "findings": [{"place": "memory_candidates 1", "problem": "the row was edited"}]}
    assert "memory_candidates 1" in failed(run, 1, "audit", "verify", "--db", db).out
    assert "memory_candidates 1" in failed(run, 1, "doctor", "--db", db).out
    assert run("audit", "reseal", "--db", db, "--json").document["resealed"] > 0
    assert run("audit", "verify", "--db", db).code == 0


@pytest.mark.slow
def test_encrypt_rekey_and_decrypt(run: Run, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sqlcipher3", reason="needs the extra `encrypted`")
    before = run("export", "--db", db).out
    assert "CFPM_KEY" in failed(run, 2, "encrypt", "--db", db).err
    monkeypatch.setenv("CFPM_KEY", "0f" * 32)
    assert run("encrypt", "--db", db, "--json").document["rows"] > 0
    assert run("export", "--db", db).out == before
    assert "CFPM_NEW_KEY" in failed(run, 2, "rekey", "--db", db).err
    monkeypatch.setenv("CFPM_NEW_KEY", "another good passphrase")
    assert run("rekey", "--db", db).code == 0
    assert "another key" in failed(run, 1, "facts", "--db", db).err
    monkeypatch.setenv("CFPM_KEY", "another good passphrase")
    assert run("decrypt", "--db", db).code == 0
    monkeypatch.delenv("CFPM_KEY")
    assert run("export", "--db", db).out == before


def test_an_export_without_its_last_line_is_taken_only_if_that_is_said(run: Run, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    lines = run("export", "--db", db).out.splitlines(keepends=True)
    file.write_text("".join(lines[:-1]), encoding="utf-8")
    assert "--no-trailer" in failed(run, 1, "import", file, "--db", tmp_path / "new.db").err
    assert run("import", file, "--no-trailer", "--db", tmp_path / "new.db").code == 0
    assert run("export", "--db", tmp_path / "new.db").out == "".join(lines)
