"""When writing fails, the user learns why, nothing stored is lost, and the store goes on working."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cfpm.errors import StoreError
from cfpm.settings import Settings
from cfpm.store.doctor import diagnose
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, exported, fact, imported, learn, said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def turn(store: Store, number: int, size: int = 20_000) -> None:
    """A turn: a message and a fact, together."""
    with store.writing():
        text = f"turn {number} " + "".join(f"word{number}x{n} " for n in range(size // 10))
        store.log.append([said(text, f"m{number}", turn=number)])
        learn(store, fact(f"fact of turn {number}"))


def turns(store: Store) -> tuple[int, int]:
    return len(store.log.messages(NAMESPACE, session="s")), len(store.facts.find(NAMESPACE))


def fill_up(store: Store) -> None:
    for number in range(1, 10_000):
        turn(store, number)


def interrupted_turn(store: Store) -> None:
    with store.writing():
        store.log.append([said("half a turn", "m1")])
        learn(store, fact("half a fact"))
        store.log.add_lines(NAMESPACE, {"aa": "system_prompt"})
        raise KeyboardInterrupt


@contextmanager
def almost_full(store: Store, pages: int) -> Iterator[None]:
    """A database that cannot grow by more than so many pages: to SQLite the same as a full disk."""
    store.connection.run(f"PRAGMA max_page_count = {store.connection.number('PRAGMA page_count') + pages}")
    yield
    store.connection.run("PRAGMA max_page_count = 1073741823")


def test_full_disk_is_told_and_costs_only_the_turn_that_did_not_fit(store: Store) -> None:
    turn(store, 0)
    with almost_full(store, 40), pytest.raises(StoreError, match=r"disk is full.*Free some space"):
        fill_up(store)
    done, facts = turns(store)
    assert done == facts > 1
    turn(store, done)
    assert turns(store) == (done + 1, done + 1)
    assert [check for check in diagnose(store) if not check.ok] == []


def test_import_that_does_not_fit_leaves_nothing(store: Store) -> None:
    with Store.open("sqlite://") as big:
        for number in range(20):
            turn(big, number)
        text = exported(big)
    turn(store, 0, size=10)
    with almost_full(store, 5), pytest.raises(StoreError, match="disk is full"):
        imported(store, text)
    assert turns(store) == (1, 1)
    assert imported(store, text).messages == 19


def test_anything_raised_inside_a_turn_undoes_all_of_it(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted_turn(store)
    assert turns(store) == (0, 0)
    assert store.search.messages([NAMESPACE], "half", 5) == []
    assert store.log.known_lines(NAMESPACE, ["aa"]) == {}
    turn(store, 0)
    assert turns(store) == (1, 1)


def test_a_turn_cannot_be_inside_another(store: Store) -> None:
    with pytest.raises(RuntimeError, match="one turn is one transaction"), store.writing(), store.writing():
        pass
    turn(store, 0)
    assert turns(store) == (1, 1)


def test_other_readers_see_a_turn_only_when_it_is_whole(store: Store, path: Path) -> None:
    with Store.open(str(path), read_only=True) as reader:
        with store.writing():
            store.log.append([said("hello", "m1")])
            assert turns(reader) == (0, 0)
            learn(store, fact("a note"))
        assert turns(reader) == (1, 1)


def test_lock_that_is_held_too_long_is_told_and_can_be_tried_again(store: Store, path: Path) -> None:
    with Store.open(str(path), Settings(busy_timeout=0.05)) as hasty:
        with store.writing(), pytest.raises(StoreError, match=r"busy_timeout.*CFPM_BUSY_TIMEOUT"):
            turn(hasty, 0)
        turn(hasty, 0)
    assert turns(store) == (1, 1)


@pytest.mark.parametrize(
    "write",
    [
        lambda s: turn(s, 1),
        lambda s: s.log.add_lines(NAMESPACE, {"aa": "boot_file"}),
        lambda s: s.activity.add_gate_event(NAMESPACE, {"action": "pass"}, None),
        lambda s: s.candidates.trim_rejected(NAMESPACE, 0),
    ],
)
def test_store_opened_for_reading_refuses_to_write(store: Store, path: Path, write: Callable[[Store], None]) -> None:
    turn(store, 0)
    with Store.open(str(path), read_only=True) as reader:
        with pytest.raises(StoreError, match="cannot be written"):
            write(reader)
        assert turns(reader) == (1, 1)


def test_number_that_no_database_holds_is_told(store: Store) -> None:
    with pytest.raises(StoreError, match="64 bits"):
        store.log.append([said("hello", "m1", turn=0), said("hi", "m2", position=2**70)])
    assert turns(store) == (0, 0)


def test_page_that_breaks_under_an_open_store_is_told(path: Path) -> None:
    with Store.open(str(path)) as store:
        for number in range(30):
            turn(store, number)
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(size // 2)
        file.write(b"\x5a" * (size // 2))
    with Store.open(str(path)) as store, pytest.raises(StoreError, match=r"damaged.*backup"):
        turns(store)


# What follows takes rights away from a child process, because root may write to everything.


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user can reach; tmp_path belongs to this user alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def as_nobody(work: Callable[[], str]) -> str:
    """What `work` returns in a process without privileges, or the StoreError it raises."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "crashed"
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            answer = work()
        except StoreError as error:
            answer = str(error)
        finally:
            os.write(sending, answer.encode())
            os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return answer


def read_only_tree(folder: Path) -> Path:
    path = folder / "memory.db"
    with Store.open(str(path)) as store:
        turn(store, 0)
    path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    folder.chmod(0o555)
    return path


def write_one(path: Path) -> str:
    with Store.open(str(path)) as store:
        turn(store, 1)
    return "written"


def read_all(path: Path) -> str:
    with Store.open(str(path), read_only=True) as store:
        return f"{turns(store)} {len(store.search.messages([NAMESPACE], 'turn', 5))}"


def test_file_and_folder_that_cannot_be_written_are_told(shared: Path) -> None:
    path = read_only_tree(shared)
    message = as_nobody(lambda: write_one(path))
    assert str(path) in message
    assert "cannot be written" in message or "cannot be opened" in message
    assert "Give this user" in message or "this user may" in message


def test_store_in_a_folder_that_cannot_be_written_can_still_be_read(shared: Path) -> None:
    path = read_only_tree(shared)
    assert as_nobody(lambda: read_all(path)) == "(1, 1) 1"
    assert sorted(p.name for p in shared.iterdir()) == ["memory.db", "memory.db-head", "memory.db-key"]


def test_file_that_may_not_be_read_is_told(shared: Path) -> None:
    path = read_only_tree(shared)
    path.chmod(0)
    message = as_nobody(lambda: read_all(path))
    assert str(path) in message
    assert "cannot be opened" in message


def test_folder_that_may_not_be_entered_is_told(shared: Path) -> None:
    path = read_only_tree(shared)
    shared.chmod(0)
    message = as_nobody(lambda: read_all(path))
    shared.chmod(0o755)
    assert "path cannot be used" in message
    assert "permissions" in message


def test_new_database_in_a_folder_that_cannot_be_written_is_told(shared: Path) -> None:
    shared.chmod(0o555)
    message = as_nobody(lambda: write_one(shared / "memory.db"))
    assert "cannot be opened" in message
    assert not (shared / "memory.db").exists()


def test_unknown_sqlite_error_still_names_the_database(store: Store, path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        store.connection.run("SELECT * FROM nowhere")
    assert caught.value.url == str(path)
    assert isinstance(caught.value.__cause__, sqlite3.Error)
    assert "cfpm doctor" in caught.value.remedy
