"""The database file copied, put back, replaced, renamed, deleted or cut: does anything go on as if nothing was?"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.tamper.samples import Outcome, copied, make, turn
from cfpm import CFPMError, Memory

_CODE = """
import os, sys
from cfpm import Memory
from benchmarks.tamper.samples import turn
memory = Memory.open(sys.argv[1])
for number in range(100, 112):
    memory.observe(turn(number), session="late")
    if number == 105:
        memory.store.connection.rows("PRAGMA wal_checkpoint(PASSIVE)")
os.kill(os.getpid(), 9)
"""


def measure(folder: Path) -> Iterator[Outcome]:
    """What stands there when it is opened, and what happens while it is open."""
    store = make(folder / "files.db", turns=4)
    shutil.copy(store, folder / "older")
    if sys.platform != "win32":
        subprocess.run([sys.executable, "-c", _CODE, str(store)], check=False)
    other = make(folder / "other.db", turns=2)
    opened: dict[str, Callable[[Path], object]] = {
        "a plain copy": lambda file: _without(file, "-head", "-wal"),
        "a copy without its log": lambda file: _without(file, "-wal"),
        "an older copy": lambda file: _without(shutil.copy(folder / "older", file), "-wal"),
        "an older copy beside a newer log": lambda file: shutil.copy(folder / "older", file),
        "another database": lambda file: _without(shutil.copy(other, file), "-wal"),
        "a file that was cut": lambda file: os.truncate(file, file.stat().st_size // 2 // 4096 * 4096),
        "a deleted file": lambda file: _without(file, "", "-wal"),
        "an emptied file": lambda file: os.truncate(file, 0),
        "a log that was cut": lambda file: os.truncate(f"{file}-wal", 0),
        "a file of zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    }
    missed = [name for name, change in opened.items() if not _refused(copied(store, folder / "copy"), change)]
    yield Outcome("files, when opened", len(opened), tuple(missed))
    while_open: dict[str, Callable[[Path], object]] = {
        "deleted": Path.unlink,
        "renamed": lambda file: file.rename(file.with_name("elsewhere.db")),
        "replaced": lambda file: Path(shutil.copy(other, file.with_name("new"))).replace(file),
        "cut to half": lambda file: os.truncate(file, file.stat().st_size // 2 // 4096 * 4096),
        "cut to nothing": lambda file: os.truncate(file, 0),
        "log cut": lambda file: os.truncate(f"{file}-wal", 0),
        "locks deleted": lambda file: _without(file, "-shm"),
        "log deleted": lambda file: _without(file, "-wal"),
        "log replaced": lambda file: Path(shutil.copy(f"{file}-wal", file.with_name("log"))).replace(f"{file}-wal"),
    }
    missed = [name for name, change in while_open.items() if not _raises(copied(store, folder / "copy"), change)]
    yield Outcome("files, while open", len(while_open), tuple(missed))


def _without(file: str | Path, *endings: str) -> None:
    for ending in endings:
        Path(f"{file}{ending}").unlink()


def _refused(file: Path, change: Callable[[Path], object]) -> bool:
    change(file)
    try:
        with Memory.open(str(file)) as memory:
            memory.observe(turn(900), session="new")
    except CFPMError:
        return True
    return False


def _raises(file: Path, change: Callable[[Path], object]) -> bool:
    """Whether the turn after the change is refused. What was committed before it must be there."""
    memory = Memory.open(str(file))
    try:
        memory.observe(turn(900), session="new")
        change(file)
        memory.observe(turn(901), session="new")
    except CFPMError:
        return True
    finally:
        memory.close()
    return False


def innocent(folder: Path) -> Outcome:
    """What the memory does itself, examined after each step."""
    store = folder / "innocent.db"
    alarms, steps = [], 0
    with Memory.open(str(store)) as memory:
        for number in range(20):
            memory.observe(turn(number % 15), session=f"s{number % 2}")
            memory.recall(f"port of service {number}")
            facts, rejected = memory.facts(), memory.candidates(decision="rejected", limit=1)
            step = number % 6
            if step == 1 and rejected:
                memory.accept(rejected[0].id)
            elif step == 2:
                memory.forget(facts[0].id)
            elif step == 3:
                memory.pin(next(fact.id for fact in facts if fact.status == "active"))
            elif step == 4:
                memory.purge(keep_rejected=1)
            elif step == 0 and number:
                memory.erase(query=f"service {number - 2} is")
            elif step == 5:
                memory.rollback(memory.store.events.last("default") - 2)
            steps += 1
            alarms += [f"step {number}: {one.place} {one.problem}" for one in memory.verify()]
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("VACUUM")
    with Memory.open(str(store)) as memory:
        alarms += [f"after vacuum: {one.place} {one.problem}" for one in memory.verify()]
    return Outcome("innocent steps, false alarms", steps + 1, tuple(alarms))
