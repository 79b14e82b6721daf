"""Which files open, which are refused, and what a user is told."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Literal

import pytest

from cfpm.errors import StoreError, UsageError
from cfpm.settings import Settings
from cfpm.store.migrations import MIGRATIONS
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, fact, learn, said


def pragma(path: Path, name: str) -> object:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]
    finally:
        connection.close()


def refused(url: str, *, read_only: bool = False) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(url, read_only=read_only)
    assert caught.value.url == url
    return str(caught.value)


def test_plain_path_and_both_url_forms_name_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.open("sqlite:///memory.db") as store:
        learn(store, fact("the port is 8080"))
    for url in ("memory.db", str(tmp_path / "memory.db"), f"sqlite:///{tmp_path}/memory.db"):
        with Store.open(url) as store:
            assert [f.content for f in store.facts.find(NAMESPACE)] == ["the port is 8080"]


def test_names_with_spaces_percent_signs_and_chinese_are_taken_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "my notes 50%20 记忆?#"
    folder.mkdir()
    with Store.open(f"sqlite:///{folder}/a b.db") as store:
        learn(store, fact("a note"))
    assert sorted(p.name for p in folder.iterdir()) == ["a b.db", "a b.db-head", "a b.db-key"]


def test_memory_url_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.open("sqlite://") as store:
        learn(store, fact("a note"))
        assert len(store.facts.find(NAMESPACE)) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["postgresql://host/db", "http://host/memory.db", "", "  ", "a\0b"])
def test_other_schemes_and_no_path_are_wrong_usage(url: str) -> None:
    with pytest.raises(UsageError, match="sqlite:///"):
        Store.open(url)


def test_new_file_uses_a_write_ahead_log_and_says_whose_it_is(store: Store, path: Path) -> None:
    assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "application_id") == 0x4346504D
    assert pragma(path, "user_version") == len(MIGRATIONS)


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
def test_durability_comes_from_the_settings(path: Path, durability: Literal["full", "normal"], level: int) -> None:
    settings = Settings(durability=durability)
    with Store.open(str(path), settings) as store:
        assert store.connection.number("PRAGMA synchronous") == level


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1)])
def test_a_note_does_not_wait_for_the_disk_and_what_follows_does_again(
    path: Path, durability: Literal["full", "normal"], level: int
) -> None:
    with Store.open(str(path), Settings(durability=durability)) as store:
        with store.noting():
            store.log.add_lines(NAMESPACE, {"aa": "recalled"})
            assert store.connection.number("PRAGMA synchronous") == 1
        assert store.connection.number("PRAGMA synchronous") == level
        with pytest.raises(ZeroDivisionError), store.noting():
            store.log.add_lines(NAMESPACE, {"bb": str(1 / 0)})
        assert store.connection.number("PRAGMA synchronous") == level
        with store.writing(), pytest.raises(RuntimeError, match="cannot be nested"), store.noting():
            pass
        assert store.log.known_lines(NAMESPACE, ["aa", "bb"]) == {"aa": "recalled"}


def test_folder_is_refused(tmp_path: Path) -> None:
    assert "this is a folder" in refused(str(tmp_path))


def test_missing_folder_is_named(tmp_path: Path) -> None:
    message = refused(str(tmp_path / "no" / "memory.db"))
    assert f"{tmp_path / 'no'} does not exist" in message
    assert "Create the folder" in message


def test_reading_a_database_that_does_not_exist_creates_none(path: Path) -> None:
    assert "no such database" in refused(str(path), read_only=True)
    assert not path.exists()


def test_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    assert "path cannot be used" in refused(str(tmp_path / ("x" * 300)))


def test_text_file_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("# a list of things\n" * 400, encoding="utf-8")
    before = path.read_bytes()
    assert "not an SQLite database" in refused(str(path))
    assert path.read_bytes() == before


def test_short_text_file_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("hello\n", encoding="utf-8")
    assert "not an SQLite database" in refused(str(path))
    assert path.read_text(encoding="utf-8") == "hello\n"


def test_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE recipes (name TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    assert "database of another program" in refused(str(path))
    assert path.read_bytes() == before


def test_newer_schema_names_both_versions_and_the_remedy(path: Path) -> None:
    Store.open(str(path)).close()
    later = sqlite3.connect(path)
    later.execute("PRAGMA user_version = 99")
    later.close()
    message = refused(str(path))
    assert "version 99" in message
    assert f"knows {len(MIGRATIONS)}" in message
    assert "pip install --upgrade cfpm" in message


@pytest.mark.parametrize("kept", [10, 60, 3000, 4096, 20_000])
def test_file_that_was_cut_off_is_refused(path: Path, kept: int) -> None:
    with Store.open(str(path)) as store:
        learn(store, *(fact(f"note number {n}") for n in range(50)))
    path.write_bytes(path.read_bytes()[:kept])
    message = refused(str(path))
    assert "damaged" in message or "not an SQLite database" in message
    assert path.stat().st_size == kept


def test_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with Store.open(str(path)) as store:
        learn(store, fact("a note"))
    assert pragma(path, "user_version") == len(MIGRATIONS)


def test_reading_a_file_without_a_schema_says_what_to_do(path: Path) -> None:
    path.touch()
    assert "cfpm reindex" in refused(str(path), read_only=True)


def test_close_may_be_called_twice(path: Path) -> None:
    store = Store.open(str(path))
    store.close()
    store.close()


def test_opening_reads_only_the_header_of_an_up_to_date_file(store: Store, path: Path) -> None:
    statements: list[str] = []
    with Store.open(str(path)) as other:
        assert other.facts.find(NAMESPACE) == []
        other.connection._driver.set_trace_callback(statements.append)
        from cfpm.store.migrations import prepare

        prepare(other.connection)
    assert [s for s in statements if "PRAGMA" not in s] == []


@pytest.mark.parametrize("options", ["mode=memory", "mode=memory&cache=shared", "vfs=unix-none", "nolock=1&mode=ro"])
@pytest.mark.parametrize(
    "form", ["sqlite:///{path}?{options}", "file:{path}?{options}", "sqlite:///:memory:?{options}"]
)
def test_a_database_cannot_be_given_options(tmp_path: Path, form: str, options: str) -> None:
    with pytest.raises(UsageError, match="a database cannot be given options"):
        Store.open(form.format(path=tmp_path / "memory.db", options=options))
    assert list(tmp_path.iterdir()) == []


def test_a_question_mark_in_a_plain_path_is_a_part_of_the_name(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "memory.db?mode=memory")) as store:
        store.log.append([said("hello", "m1")])
    assert (tmp_path / "memory.db?mode=memory").stat().st_size > 0
