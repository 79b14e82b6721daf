"""A backup is one moment, whole, and checked before it takes the place of anything; what is wrong is refused."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.errors import CFPMError, InputError, StoreError
from cfpm.store.doctor import diagnose
from cfpm.store.schema import VERSION
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, exported, fact, learn

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def backup(path: Path, tmp_path: Path) -> Path:
    """A backup of a store with ten facts, which learns ten more afterwards."""
    target = tmp_path / "memory.backup"
    with Memory.open(str(path)) as memory:
        learn(memory.store, *(fact(f"note number {number}") for number in range(10)))
        memory.back_up(target)
        learn(memory.store, *(fact(f"later note {number}") for number in range(10)))
    return target


def known(path: Path) -> int:
    with Store.open(str(path), read_only=True) as store:
        return len(store.facts.find(NAMESPACE))


def test_a_backup_is_restored_in_place_of_what_came_later(path: Path, backup: Path) -> None:
    assert known(path) == 20
    assert Memory.restore(backup, str(path)).verified
    assert known(path) == 10
    with Store.open(str(path)) as store:
        learn(store, fact("one more"))
        assert [check.name for check in diagnose(store) if not check.ok] == []
    assert known(path) == 11
    assert sorted(file.name for file in path.parent.iterdir() if file.suffix == ".part") == []


def test_a_backup_is_restored_where_there_is_no_database(backup: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "memory.db"
    assert not Memory.restore(backup, str(target)).verified, "its key is not there"
    assert known(target) == 10


def test_a_backup_is_restored_in_place_of_a_damaged_file_which_is_kept(path: Path, backup: Path) -> None:
    path.write_bytes(b"\x00garbage" * 2_000)
    Memory.restore(backup, str(path))
    assert known(path) == 10
    assert path.with_name("memory.db.damaged").read_bytes().startswith(b"\x00garbage")


def test_a_restored_file_is_put_in_place_of_a_deleted_one_beside_its_log(path: Path, backup: Path) -> None:
    path.unlink()
    path.with_name("memory.db-wal").write_bytes(b"what is left of a log")
    Memory.restore(backup, str(path))
    assert known(path) == 10


def test_the_same_moment_gives_the_same_export(path: Path, backup: Path, tmp_path: Path) -> None:
    with Memory.open(str(path)) as memory:
        before = exported(memory.store)
        memory.back_up(tmp_path / "again")
    Memory.restore(tmp_path / "again", str(tmp_path / "copy.db"))
    with Store.open(str(tmp_path / "copy.db"), read_only=True) as store:
        assert exported(store) == before


def test_no_byte_of_a_backup_can_be_changed_unnoticed(path: Path, backup: Path) -> None:
    whole = backup.read_bytes()
    places = [*range(0, len(whole), len(whole) // 40), *range(len(whole) - 600, len(whole), 23), len(whole) - 1]
    for place in places:
        altered = bytearray(whole)
        altered[place] ^= 1
        backup.write_bytes(altered)
        with pytest.raises(InputError, match=r"memory\.backup"):
            Memory.restore(backup, str(path))
    assert known(path) == 20


def test_a_backup_that_was_cut_or_made_longer_is_refused(path: Path, backup: Path) -> None:
    whole = backup.read_bytes()
    for changed in (b"", whole[:100], whole[: len(whole) // 2], whole[:-1], whole + b"\n", whole[4096:], whole * 2):
        backup.write_bytes(changed)
        with pytest.raises(InputError, match=r"memory\.backup"):
            Memory.restore(backup, str(path))
    assert known(path) == 20


def test_a_file_that_is_no_backup_is_refused(path: Path, backup: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello\n", encoding="utf-8")
    for name in ("text", "none", "."):
        with pytest.raises(InputError, match=r"Nothing was changed|wrote"):
            Memory.restore(tmp_path / name, str(path))
    assert known(path) == 20


def test_a_plain_copy_is_taken_as_it_is_only_if_that_is_said(path: Path, backup: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    with pytest.raises(InputError, match="--as-is"):
        Memory.restore(copy, str(path))
    Memory.restore(copy, str(path), as_is=True)
    assert known(path) == 20
    shutil.copy(path.with_name("memory.db-key"), tmp_path / "copy.db-key")
    assert Memory.restore(copy, str(copy), as_is=True).verified
    with Store.open(str(copy)) as store:
        learn(store, fact("one more"))
    assert known(copy) == 21


def test_a_backup_of_a_newer_schema_is_refused(path: Path, tmp_path: Path) -> None:
    with Memory.open(str(path)) as memory:
        memory.store.connection.run("PRAGMA user_version = 99")
        memory.back_up(tmp_path / "newer")
        memory.store.connection.run(f"PRAGMA user_version = {VERSION}")
    with pytest.raises(InputError, match="pip install --upgrade cfpm"):
        Memory.restore(tmp_path / "newer", str(path))


def test_a_database_that_is_open_is_not_replaced(path: Path, backup: Path) -> None:
    with Store.open(str(path)) as store:
        learn(store, fact("one more"))
        with pytest.raises(StoreError, match="another process has it open"):
            Memory.restore(backup, str(path))
    assert known(path) == 21


def test_a_backup_of_an_edited_store_is_refused(path: Path, tmp_path: Path) -> None:
    with Memory.open(str(path)) as memory:
        learn(memory.store, fact("a note"))
        memory.store.connection.run("UPDATE memory_events SET cause = 'another'")
        memory.back_up(tmp_path / "edited")
    with pytest.raises(InputError, match="tampered with: memory_events 1"):
        Memory.restore(tmp_path / "edited", str(path))
    assert not Memory.restore(tmp_path / "edited", str(path), as_is=True).verified


def test_a_backup_is_taken_while_others_write(path: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with Store.open(str(path)) as store:
            number = 0
            while not stop.is_set():
                learn(store, fact(f"busy note {number}"))
                number += 1

    with Memory.open(str(path)) as memory:
        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(5):
                memory.back_up(tmp_path / f"backup{number}")
        finally:
            stop.set()
            writer.join()
    counts = []
    for number in range(5):
        Memory.restore(tmp_path / f"backup{number}", str(tmp_path / "copy.db"))
        counts.append(known(tmp_path / "copy.db"))
    assert counts == sorted(counts)


def test_where_a_backup_cannot_be_written_is_told(path: Path, tmp_path: Path) -> None:
    with Memory.open(str(path)) as memory:
        for target in (tmp_path, tmp_path / "no" / "backup", path):
            with pytest.raises(InputError, match="Name"):
                memory.back_up(target)
    with Memory.open("sqlite://") as memory, pytest.raises(StoreError, match="in memory"):
        memory.back_up(tmp_path / "backup")


@pytest.mark.skipif(sys.platform == "win32", reason="modes do not bind on Windows")
def test_backup_and_what_is_restored_are_for_their_owner_only(path: Path, backup: Path) -> None:
    before = os.umask(0)
    try:
        with Memory.open(str(path)) as memory:
            memory.back_up(backup)
        Memory.restore(backup, str(path))
    finally:
        os.umask(before)
    assert {stat.S_IMODE(file.stat().st_mode) for file in (backup, path)} == {0o600}


_WORK = {
    "backup": "Memory.open(sys.argv[1]).back_up(Path(sys.argv[2]))",
    "restore": "Memory.restore(Path(sys.argv[2]), sys.argv[1])",
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("work", sorted(_WORK))
def test_killed_at_any_moment_the_database_and_the_backup_are_whole(path: Path, backup: Path, work: str) -> None:
    code = f"import sys\nfrom pathlib import Path\nfrom cfpm import Memory\nprint('go', flush=True)\n{_WORK[work]}"
    seen = set()
    for number in range(20):
        command = [sys.executable, "-c", code, str(path), str(backup)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.01 * number)
        process.kill()
        process.communicate()
        with Store.open(str(path)) as store:
            seen.add(len(store.facts.find(NAMESPACE)))
            assert [check.name for check in diagnose(store) if not check.ok] == []
    assert seen <= {10, 20}
    Memory.restore(backup, str(path))
    assert known(path) in {10, 20}
    assert list(path.parent.glob(".*.part*")) == []


def test_errors_of_the_files_are_errors_of_this_package(tmp_path: Path) -> None:
    with pytest.raises(CFPMError):
        Memory.restore(tmp_path / "nothing", str(tmp_path / "memory.db"))
