"""A file that is not all that it was is refused, when it is opened and while it is open."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cfpm.errors import StoreError
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, fact, learn

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("", "-wal", "-shm", "-head", "-key")

_KILLED = """
import os, sys
from cfpm.store.store import Store
from tests.store.making import fact, learn
store = Store.open(sys.argv[1])
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    learn(store, fact(f"the port of service {number} is {number}"))
    if number == int(sys.argv[4]):
        store.connection.rows("PRAGMA wal_checkpoint(PASSIVE)")
os.kill(os.getpid(), 9)
"""


def facts(path: Path, *numbers: int) -> None:
    with Store.open(str(path)) as store:
        learn(store, *(fact(f"the port of service {number} is {number}") for number in numbers))


def killed_after(path: Path, first: int, last: int, *, checkpoint: int = -1) -> None:
    """A process that learns facts and dies, so that its log stays beside the file."""
    arguments = [sys.executable, "-c", _KILLED, str(path), str(first), str(last), str(checkpoint)]
    subprocess.run(arguments, check=False)


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def refused(path: Path, problem: str, *, read_only: bool = False) -> None:
    with pytest.raises(StoreError, match=problem) as caught:
        Store.open(str(path), read_only=read_only)
    assert "cfpm restore" in caught.value.remedy


def known(path: Path) -> int:
    with Store.open(str(path), read_only=True) as store:
        return len(store.facts.find(NAMESPACE))


def test_a_killed_process_leaves_a_file_that_opens_with_all_it_had_committed(path: Path) -> None:
    facts(path, 0)
    killed_after(path, 1, 6)
    assert beside(path, "-wal").stat().st_size
    assert known(path) == 6
    facts(path, 7)
    assert known(path) == 7


@pytest.mark.parametrize("read_only", [True, False])
def test_a_plain_copy_is_refused(path: Path, tmp_path: Path, read_only: bool) -> None:
    facts(path, 0)
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    refused(copy, "plain copy", read_only=read_only)
    assert copy.read_bytes() == path.read_bytes()


def test_a_copy_without_its_log_is_refused(path: Path, tmp_path: Path) -> None:
    facts(path, 0)
    killed_after(path, 1, 6)
    folder = tmp_path / "copies"
    folder.mkdir()
    for ending in ("", "-head", "-key"):
        shutil.copy(beside(path, ending), folder)
    refused(folder / path.name, "the last 5 transactions are missing")


def test_a_copy_of_everything_is_taken(path: Path, tmp_path: Path) -> None:
    facts(path, 0)
    killed_after(path, 1, 6)
    folder = tmp_path / "copies"
    folder.mkdir()
    for ending in FILES:
        shutil.copy(beside(path, ending), folder)
    assert known(folder / path.name) == 6


def test_an_older_copy_put_back_is_refused(path: Path, tmp_path: Path) -> None:
    facts(path, 0)
    shutil.copy(path, tmp_path / "old")
    facts(path, 1, 2)
    shutil.copy(tmp_path / "old", path)
    refused(path, "the last 2 transactions are missing")


def test_an_older_copy_beside_a_newer_log_is_refused_and_nothing_is_moved(path: Path, tmp_path: Path) -> None:
    facts(path, 0)
    shutil.copy(path, tmp_path / "old")
    # The log is moved into the file in the middle, and begun again.
    killed_after(path, 1, 9, checkpoint=5)
    shutil.copy(tmp_path / "old", path)
    before = [beside(path, ending).read_bytes() for ending in ("", "-wal")]
    refused(path, "beside a newer write-ahead log")
    assert [beside(path, ending).read_bytes() for ending in ("", "-wal")] == before


def test_another_database_in_its_place_is_refused(path: Path, tmp_path: Path) -> None:
    facts(path, 0)
    facts(tmp_path / "other.db", 1)
    shutil.copy(tmp_path / "other.db", path)
    refused(path, "another database")


def test_a_file_that_was_deleted_or_emptied_is_not_begun_anew(path: Path) -> None:
    facts(path, 0)
    path.unlink()
    for content in (None, b""):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(StoreError, match="all of it is missing") as caught:
            Store.open(str(path))
        assert "delete memory.db-head" in caught.value.remedy
    beside(path, "-head").unlink()
    facts(path, 1)
    assert known(path) == 1


def test_a_new_file_whose_log_was_cut_is_not_taken_for_an_empty_one(path: Path) -> None:
    killed_after(path, 0, 5)
    os.truncate(beside(path, "-wal"), 0)
    refused(path, "all of it is missing")


def test_a_write_after_the_file_was_deleted_is_no_success(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        path.unlink()
        with pytest.raises(StoreError, match="deleted or renamed"):
            learn(store, fact("two"))
        with pytest.raises(StoreError, match="deleted or renamed"), store.reading():
            pass


def test_a_write_after_the_file_was_renamed_is_no_success(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        path.rename(path.with_name("elsewhere.db"))
        with pytest.raises(StoreError, match="deleted or renamed"):
            learn(store, fact("two"))


def test_a_write_after_the_file_was_replaced_is_no_success(path: Path, tmp_path: Path) -> None:
    facts(tmp_path / "other.db", 1)
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        (tmp_path / "other.db").replace(path)
        with pytest.raises(StoreError, match="another file"):
            learn(store, fact("two"))


def test_a_write_into_which_the_file_is_deleted_is_no_success(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        with pytest.raises(StoreError, match="deleted or renamed"), store.writing():  # noqa: PT012 (deleted in it)
            learn(store, fact("two"))
            path.unlink()


def test_a_write_after_the_log_was_deleted_is_no_success(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        beside(path, "-wal").unlink()
        with pytest.raises(StoreError, match="were deleted"):
            learn(store, fact("two"))


def test_a_write_after_the_locks_on_the_log_were_deleted_is_no_success(path: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        beside(path, "-shm").unlink()
        with pytest.raises(StoreError, match="locks on it"):
            learn(store, fact("two"))


def test_a_write_after_the_log_was_cut_is_no_success(path: Path) -> None:
    facts(path, *range(10))
    with Store.open(str(path)) as store:
        learn(store, fact("one"))
        os.truncate(beside(path, "-wal"), 0)
        for _ in range(2):
            with pytest.raises(StoreError, match="log was cut"):
                learn(store, fact("two"))


@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_write_after_the_file_was_cut_is_no_success(path: Path, kept: float) -> None:
    facts(path, *range(100))
    with Store.open(str(path)) as store:
        assert len(store.facts.find(NAMESPACE)) == 100
        os.truncate(path, int(path.stat().st_size * kept) // 4096 * 4096)
        with pytest.raises(StoreError, match=r"cut|damaged|not an SQLite"):
            learn(store, fact("two"))


def test_a_vacuumed_file_is_taken_as_it_is(path: Path) -> None:
    facts(path, *range(300))
    with Store.open(str(path)) as store, Store.open(str(path)) as other:
        learn(store, fact("one"))
        other.connection.run("DELETE FROM turn_vectors")
        other.connection.run("DELETE FROM fact_vectors")
        other.connection.run("VACUUM")
        other.connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        learn(store, fact("two"))
    assert known(path) == 302


def test_two_processes_that_take_turns_agree_on_how_far_the_file_is(path: Path) -> None:
    with Store.open(str(path)) as one, Store.open(str(path)) as two:
        for number in range(20):
            learn((one, two)[number % 2], fact(f"note number {number}"))
            if number == 10:
                one.connection.rows("PRAGMA wal_checkpoint(PASSIVE)")
        shutil.copytree(path.parent, path.parent / "copies", ignore=shutil.ignore_patterns("copies"))
    assert known(path.parent / "copies" / path.name) == 20
    assert known(path) == 20
