"""Putting a new database file in the place of an old one: nobody else has it open, the new one is whole and on disk
before, and at every moment one of the two is there. Looks into neither."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.paths.private_files import make_file, make_folder
from cfpm.store.driver import connect
from cfpm.store.driver_errors import primary_code, store_error
from cfpm.store.location import MEMORY, database_path, database_uri
from cfpm.store.watch import beside

if TYPE_CHECKING:
    from cfpm.store.driver import Driver

_WAIT = 2.0
"""Seconds to wait for other processes to let go."""

_BUSY, _LOCKED = 5, 6

_PART = re.compile(r"\..+\.(\d+)-[0-9a-f]{8}\.part(?:-journal|-wal|-shm)?")
"""The name of a file that is to take the place of another, with the process that writes it."""


def file_of(url: str) -> Path:
    """The file behind a url. Raises StoreError for a database in memory."""
    name = database_path(url)
    if name == MEMORY:
        raise StoreError(url, "this database is in memory", "Name a file: sqlite:///PATH")
    return Path(name).resolve()


@contextmanager
def new_part(target: Path) -> Iterator[Path]:
    """An empty file beside the target for what is to take its place; deleted unless it was moved. Those that killed
    processes left behind are deleted as well."""
    _without_remains(target.parent)
    part = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    make_folder(target.parent)
    make_file(part)
    try:
        yield part
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            beside(part, ending).unlink(missing_ok=True)


def move_in(part: Path, target: Path) -> None:
    """Gives the part the name of the target, for good: both the bytes and the name are on disk when it returns."""
    sync(part)
    part.replace(target)
    if sys.platform != "win32":
        sync(target.parent)


def sync(path: Path) -> None:
    """Waits until the disk has a file or folder."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def sole_access(url: str, path: Path, opened: Driver | None = None) -> Iterator[None]:
    """Inside, no other process has the database open, and it has no log beside it. Raises StoreError.

    A file that cannot be read at all is moved aside with all that belongs to it, as `NAME.damaged`.
    """
    if not path.exists():
        _set_aside(path)
        yield
        return
    given = opened is not None
    opened = opened or connect(database_uri(str(path), read_only=False), uri=True, timeout=_WAIT)
    with closing(opened.connection) as connection:
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
        except opened.errors as error:
            if primary_code(error) in (_BUSY, _LOCKED):
                raise _in_use(url) from error
            if primary_code(error) not in (11, 26):
                raise store_error(url, error) from error
            mode = ""
        if mode not in ("delete", ""):
            raise _in_use(url)
        if mode == "":
            connection.close()
            _set_aside(path)
        elif sys.platform == "win32" and not given:
            # An open file cannot be replaced there.
            connection.close()
        yield


def _set_aside(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        file = beside(path, ending)
        if file.exists():
            file.replace(beside(path, f".damaged{ending}"))


def _in_use(url: str) -> StoreError:
    return StoreError(url, "another process has it open", "Close that process; nothing was changed")


def _without_remains(folder: Path) -> None:
    with suppress(OSError):
        for file in list(folder.iterdir()):
            if (found := _PART.fullmatch(file.name)) and not _is_alive(int(found[1])):
                file.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":
        # A file that is open cannot be deleted there.
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
