"""An encrypted store holds no word in plain text, is the same store otherwise, and changes its key whole or not."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("sqlcipher3", reason="needs the extra `encrypted`")

from cfpm import Memory
from cfpm.errors import InputError, StoreError, UsageError
from cfpm.store.broken_paths import names_broken_path
from cfpm.store.doctor import diagnose
from cfpm.store.key_sources import encryption_key
from cfpm.store.store import Store
from tests.processes import HUNG
from tests.store.making import NAMESPACE, exported, fact, learn, said

KEY = "0f" * 32
OTHER = "correct horse battery staple"
WORDS = b"zebra"


@pytest.fixture
def encrypted(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CFPM_KEY", KEY)
    fill(path)
    return path


def fill(path: Path) -> None:
    with Store.open(str(path)) as store:
        store.log.append([said("a zebra crosses the street", "m")])
        learn(store, *(fact(f"zebra number {number} is striped") for number in range(50)))


def known(path: Path) -> int:
    with Store.open(str(path), read_only=True) as store:
        return len(store.facts.find(NAMESPACE))


def sound(path: Path) -> None:
    with Store.open(str(path)) as store:
        assert len(store.facts.find(NAMESPACE)) == 50
        assert [check.name for check in diagnose(store) if not check.ok] == []


def in_plain_text(path: Path) -> list[str]:
    """The files beside the database, itself included, in which the words stand."""
    return sorted(file.name for file in path.parent.iterdir() if WORDS in file.read_bytes())


def test_no_word_stands_in_any_file_while_it_is_open_or_closed(encrypted: Path) -> None:
    with Store.open(str(encrypted)) as store:
        learn(store, fact("one more zebra"))
        assert encrypted.with_name("memory.db-wal").stat().st_size
        assert in_plain_text(encrypted) == []
        assert [check.name for check in diagnose(store) if not check.ok] == []
    assert in_plain_text(encrypted) == []
    assert known(encrypted) == 51


def test_the_same_export_comes_out_of_it(encrypted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(str(encrypted)) as store:
        text = exported(store)
    monkeypatch.delenv("CFPM_KEY")
    fill(tmp_path / "plain.db")
    with Store.open(str(tmp_path / "plain.db")) as store:
        assert exported(store) == text


@pytest.mark.parametrize("key", ["", OTHER, "0e" * 32])
def test_another_key_or_none_is_told_and_changes_nothing(
    encrypted: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    before = encrypted.read_bytes()
    monkeypatch.setenv("CFPM_KEY", key)
    for read_only in (True, False):
        with pytest.raises(StoreError, match="encrypted with another key") as caught:
            Store.open(str(encrypted), read_only=read_only)
        assert "CFPM_KEY" in caught.value.remedy
        assert not key or key not in str(caught.value)
    assert encrypted.read_bytes() == before


def test_a_database_in_plain_text_is_refused_where_a_key_is_configured(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    monkeypatch.setenv("CFPM_KEY", KEY)
    with pytest.raises(StoreError, match="not an SQLite database, or it is encrypted"):
        Store.open(str(path))
    with pytest.raises(StoreError, match="cannot be read with this key"):
        Memory.rewrite(str(path), KEY, None)
    monkeypatch.delenv("CFPM_KEY")
    assert known(path) == 50


@pytest.mark.slow
def test_encrypted_in_place_then_with_another_key_then_in_plain_text_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path)
    with Store.open(str(path)) as store:
        text = exported(store)
    assert "memory.db" in in_plain_text(path)
    for old, new in ((None, OTHER), (OTHER, KEY), (KEY, OTHER), (OTHER, None)):
        assert Memory.rewrite(str(path), old, new) > 100
        monkeypatch.setenv("CFPM_KEY", new or "")
        assert in_plain_text(path) == ([] if new else ["memory.db"])
        with Memory.open(str(path)) as memory:
            assert exported(memory.store) == text
            assert [check.name for check in memory.doctor() if not check.ok] == []
            learn(memory.store, fact("a note"))
            memory.store.fact_writer.db.run("SELECT 1")
        with Store.open(str(path)) as store:
            text = exported(store)


def test_what_stood_there_in_plain_text_is_written_over(path: Path) -> None:
    fill(path)
    link = path.with_name("link")
    os.link(path, link)
    Memory.rewrite(str(path), None, KEY)
    assert set(link.read_bytes()) == {0}


def test_a_wrong_key_or_a_database_that_is_open_is_not_rewritten(encrypted: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read with this key"):
        Memory.rewrite(str(encrypted), OTHER, KEY)
    with Store.open(str(encrypted)) as store:
        learn(store, fact("one more"))
        with pytest.raises(StoreError, match="another process has it open"):
            Memory.rewrite(str(encrypted), KEY, OTHER)
    assert known(encrypted) == 51


def test_a_backup_is_encrypted_too_and_restored_with_the_key(
    encrypted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(str(encrypted)) as memory:
        memory.back_up(tmp_path / "memory.backup")
        learn(memory.store, fact("later"))
    assert in_plain_text(encrypted) == []
    assert Memory.restore(tmp_path / "memory.backup", str(encrypted)).verified
    assert known(encrypted) == 50
    monkeypatch.setenv("CFPM_KEY", OTHER)
    with pytest.raises((InputError, StoreError), match="encrypted with another key"):
        Memory.restore(tmp_path / "memory.backup", str(encrypted))


def test_the_quick_look_of_the_hook_uses_the_key(encrypted: Path) -> None:
    with Memory.open(str(encrypted), namespace="n") as memory:
        memory.observe([{"role": "user", "content": "The folder ~/old/place does not exist."}])
        broken = [one.content for one in memory.facts() if one.category == "invalid_path"]
    for path in broken or ["~/old/place"]:
        assert names_broken_path(encrypted, "n", f"ls {path}") is bool(broken)


@pytest.mark.parametrize("key", ["short", "x"])
def test_a_short_key_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("CFPM_KEY", key)
    with pytest.raises(UsageError, match="at least 12 characters"):
        Store.open(str(path))


def test_a_key_with_quotes_is_taken_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFPM_KEY", "it's \"quoted\"; x'00'")
    assert encryption_key() == "it's \"quoted\"; x'00'"
    fill(path)
    assert known(path) == 50
    assert in_plain_text(path) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["activity", "candidates", "fact_writer", "facts", "history", "identity", "log", "search", "transfer"]
)
def test_the_tests_of_the_store_hold_for_an_encrypted_one(name: str) -> None:
    file = Path(__file__).with_name(f"test_{name}.py")
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, env={**os.environ, "CFPM_KEY": KEY}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3_000:]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(("old", "new"), [(None, KEY), (KEY, "0e" * 32)])
def test_killed_at_any_moment_the_database_has_one_key_or_the_other(
    path: Path, monkeypatch: pytest.MonkeyPatch, old: str | None, new: str
) -> None:
    monkeypatch.setenv("CFPM_KEY", old or "")
    fill(path)
    code = (
        "import sys\nfrom cfpm import Memory\nfrom cfpm.settings import Settings\nprint('go', flush=True)\n"
        f"Memory.rewrite(sys.argv[1], {old!r}, {new!r}, settings=Settings())"
    )
    changed = 0
    for wait in [*(0.03 * number for number in range(14)), HUNG]:
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=wait)
        process.kill()
        process.communicate()
        monkeypatch.setenv("CFPM_KEY", old or "")
        try:
            sound(path)
        except StoreError:
            monkeypatch.setenv("CFPM_KEY", new)
            sound(path)
            changed += 1
            Memory.rewrite(str(path), new, old)
    assert changed, "the last one had time enough"
    assert list(path.parent.glob(".*.part*")) == []
