"""Is this file all that it was? Asked when a database is opened: a copy without its log, an older copy put back, one
beside a newer log, or another database are refused before anything is written. While it is open, `watch.py` looks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.paths.private_files import keep_private
from cfpm.store.driver import connect
from cfpm.store.location import MEMORY, database_path, database_uri
from cfpm.store.trail import read_state
from cfpm.store.watch import AS_IS, Head, beside, read_head, wal_generation, write_head

if TYPE_CHECKING:
    from cfpm.store.connection import Connection

_CORRUPT, _NOT_A_DATABASE = 11, 26
"""What SQLite calls them; its library is not loaded for two numbers."""

_WRITES = 'SELECT "database", writes FROM store_state WHERE id = 1'


def check_before(url: str) -> None:
    """Whether a file is there where one was, and the write-ahead log beside it belongs to it: before SQLite makes a new
    one, or puts the two together. Raises StoreError."""
    if (name := database_path(url)) == MEMORY:
        return
    path = Path(name).resolve()
    generation = wal_generation(path)
    try:
        head = read_head(path)
    except PermissionError:
        # Another user, who was given the right to read the database, cannot know.
        return
    if head is None:
        return
    if head.writes and (not path.exists() or not path.stat().st_size):
        raise _lost(url, path, head)
    if not generation:
        return
    if head.wal != generation:
        _check_together(url, path)
    elif head.base and (found := _without_log(path)) and (found[0] != head.database or found[1] < head.base):
        raise StoreError(url, "an older copy of the database was put beside a newer write-ahead log", AS_IS)


def check_state(connection: Connection) -> None:
    """Whether an open file holds what the head beside it says. Raises StoreError."""
    if connection.watch is None:
        return
    path = connection.watch.path
    try:
        # Before the state: another process may commit in between, and a head is written after its transaction.
        head = read_head(path)
    except PermissionError:
        return
    state = read_state(connection)
    if state is not None and state.adopted:
        return
    if state is None:
        if head is not None and head.writes:
            raise _lost(connection.url, path, head)
        return
    if head is None:
        name = beside(path, "-head").name
        problem = f"{name} is not beside it: this is a plain copy, which may lack what was written last"
    elif head.database != state.database:
        problem = "another database was put in its place"
    elif state.writes < head.writes:
        lost = head.writes - state.writes
        problem = f"the last {lost} transactions are missing: an older copy, or a copy without its write-ahead log"
    else:
        return
    raise StoreError(connection.url, problem, AS_IS)


def _lost(url: str, path: Path, head: Head) -> StoreError:
    name = beside(path, "-head").name
    problem = f"all of it is missing: {head.writes} transactions were committed to it"
    remedy = f"Restore a backup: cfpm restore BACKUP. To begin a new memory there, delete {name} first"
    return StoreError(url, problem, remedy)


def take_up(connection: Connection) -> None:
    """Makes a file, before anything is written into it, one that is watched: for its owner only, with a head beside it
    if it is new, or was restored or encrypted."""
    if (watch := connection.watch) is None:
        return
    for ending in ("", "-wal", "-shm", "-head"):
        keep_private(beside(watch.path, ending))
    if (state := read_state(connection)) is None:
        with connection.writing():
            pass
    elif state.adopted:
        with suppress(OSError):
            write_head(watch.path, Head(state.database, state.writes))


def _without_log(path: Path) -> tuple[str, int] | None:
    """The name and the number of transactions that the file holds without its log; None where it cannot be read, as
    while its log is being moved into it."""
    with_library = connect(f"{database_uri(str(path), read_only=True)}&immutable=1", uri=True, timeout=0)
    try:
        found = with_library.connection.execute(_WRITES).fetchone()
        return (str(found[0]), int(found[1])) if found else None
    except with_library.errors:
        return None
    finally:
        with_library.connection.close()


def _check_together(url: str, path: Path) -> None:
    """Whether a file and a log that the head does not know are one database: read only, so that nothing is moved."""
    opened = connect(database_uri(str(path), read_only=True), uri=True, timeout=1.0)
    try:
        found = [text for (text,) in opened.connection.execute("PRAGMA quick_check(1)").fetchall()]
    except opened.errors as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (_CORRUPT, _NOT_A_DATABASE):
            return
        found = [str(error)]
    finally:
        opened.connection.close()
    if found != ["ok"]:
        raise StoreError(url, f"its write-ahead log does not belong to it ({found[0]})", AS_IS)
