"""Is the file still the one that was opened, and all of it? Looked at with every transaction. Knows no table.

Beside the database stands a small file, the head: how many transactions were committed, and on which state of the
database its write-ahead log was begun. What is less than that was copied without its log, put back, or cut.
The database itself is never opened here: to close it again would give up the locks that SQLite holds on it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cfpm.errors import StoreError
from cfpm.paths.private_files import private_opener

_HEAD_BYTES = 512
"""The head is written over in place, in one piece: less than a sector of any disk."""

_SALTS = slice(16, 24)
"""Where the header of a write-ahead log says which of its generations it is."""

_WAL_HEADER = 32

_TITLE = "cfpm-head-1"

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)

AS_IS = (
    "Put back what belongs to it, run `cfpm restore BACKUP`, or take the file as it is: "
    "cfpm restore FILE --as-is --db FILE"
)
_AGAIN = "What was written since is not in that path. Close, find out what replaced it, and open it again"


@dataclass(frozen=True, slots=True)
class Head:
    """What the file beside the database says."""

    database: str
    """The random name of the database."""
    writes: int = 0
    """Transactions that are on disk for certain."""
    wal: str = ""
    """The generation of the write-ahead log."""
    base: int = 0
    """Transactions that the database held without its log when that generation began; 0 where it is not known."""


def beside(path: Path, ending: str) -> Path:
    """A file that belongs to the database, such as `-wal`, `-head`, `-key`."""
    return path.with_name(path.name + ending)


def read_head(path: Path) -> Head | None:
    """The head of this database, or None if there is none or what it says makes no sense. Raises PermissionError."""
    try:
        return _head_in(beside(path, "-head").read_bytes())
    except PermissionError:
        raise
    except OSError:
        return None


def write_head(path: Path, head: Head) -> None:
    """Writes it in place. Raises OSError."""
    file = private_opener(str(beside(path, "-head")), _FLAGS)
    try:
        os.write(file, _head_bytes(head))
    finally:
        os.close(file)


def _head_in(found: bytes) -> Head | None:
    words = found.decode(errors="replace").split()
    try:
        title, database, writes, base, *wal = words
        return Head(database, int(writes), "".join(wal), int(base)) if title == _TITLE else None
    except ValueError:
        return None


def _head_bytes(head: Head) -> bytes:
    return f"{_TITLE} {head.database} {head.writes} {head.base} {head.wal}".ljust(_HEAD_BYTES - 1).encode() + b"\n"


def wal_generation(path: Path) -> str:
    """The generation of the write-ahead log, empty if there is no log or nothing in it."""
    try:
        with beside(path, "-wal").open("rb") as file:
            return _generation(file.read(_WAL_HEADER))
    except OSError:
        return ""


def _generation(header: bytes) -> str:
    return header[_SALTS].hex() if len(header) == _WAL_HEADER else ""


if hasattr(os, "pread"):

    def _at_start(file: int, size: int) -> bytes:
        """The first bytes of an open file."""
        return os.pread(file, size, 0)

    def _put_at_start(file: int, data: bytes) -> None:
        os.pwrite(file, data, 0)
else:

    def _at_start(file: int, size: int) -> bytes:
        """The first bytes of an open file."""
        os.lseek(file, 0, os.SEEK_SET)
        return os.read(file, size)

    def _put_at_start(file: int, data: bytes) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, data)


class FileWatch:
    """Watches the path of one open connection. `check`, `began` and `committed` raise StoreError."""

    def __init__(self, url: str, path: Path) -> None:
        """Raises OSError when there is no such file."""
        self.url = url
        # Where SQLite has it: beside the file itself, not beside a link to it.
        self.path = path.resolve()
        self._given = str(path.absolute())
        self._log_name = f"{self.path}-wal"
        self._locks_name = f"{self.path}-shm"
        found = os.stat(self._given)  # noqa: PTH116 (a third of the time of Path.stat, in every transaction)
        self._identity = (found.st_dev, found.st_ino)
        self._size = found.st_size
        self._log: int | None = None
        self._log_identity = self._locks_identity = (0, 0)
        self._log_size = 0
        self._head: int | None = None
        self._written = Head("")
        self._committed = 0
        self._generation = ""
        self.shrunk = False
        """True when the file or its log became shorter: whoever reads them must say whether they may."""

    def check(self) -> None:
        """Whether the path still leads to the file that was opened."""
        try:
            found = os.stat(self._given)  # noqa: PTH116
        except OSError as error:
            raise self._gone("it was deleted or renamed while it was open") from error
        if (found.st_dev, found.st_ino) != self._identity:
            raise self._gone("another file was put in its place while it was open")
        if found.st_size < self._size or (self._log is not None and os.fstat(self._log).st_size < self._log_size):
            self.shrunk = True
        self._size = found.st_size

    def settle(self) -> None:
        """Says that what became shorter is whole."""
        self.shrunk = False
        self._log_size = 0

    def cut(self) -> StoreError:
        """What to raise when a part is missing."""
        return self._gone("it or its write-ahead log was cut while it was open")

    def began(self) -> None:
        """At the beginning of a transaction that writes."""
        self._generation = self._log_generation()

    def committed(self, database: str, writes: int, *, durable: bool) -> None:
        """After the commit: notes how far the database is, unless the file is not there any more.

        Only what is `durable` counts as written: after a power cut the rest may be missing rightly. A head that cannot
        be written says less than is true, which does no harm.
        """
        self.check()
        self._check_log()
        generation = self._log_generation()
        with suppress(OSError):
            known = self._known_head(database, writes)
            base = known.base if known.wal == generation else 0
            if generation != self._generation:
                base = writes - 1
            self._note(Head(database, max(base, known.writes, writes if durable else 0), generation, base))
            self._committed = writes

    def close(self) -> None:
        """Lets go of the log, which the last connection deletes, and of the head."""
        for file in (self._log, self._head):
            if file is not None:
                os.close(file)
        self._log = self._head = None

    def _known_head(self, database: str, writes: int) -> Head:
        if self._head is None:
            self._head = private_opener(f"{self.path}-head", _FLAGS)
        if self._written.database == database and self._committed == writes - 1:
            # Nobody else has written since.
            return self._written
        known = _head_in(_at_start(self._head, _HEAD_BYTES))
        return known if known is not None and known.database == database else Head(database)

    def _note(self, head: Head) -> None:
        assert self._head is not None, "it was opened to be read"
        _put_at_start(self._head, _head_bytes(head))
        self._written = head

    def _check_log(self) -> None:
        """Whether the log is the file that it was: SQLite goes on writing into one that was deleted."""
        if self._log is None:
            return
        try:
            log, locks = os.stat(self._log_name), os.stat(self._locks_name)  # noqa: PTH116
        except OSError as error:
            raise self._gone("its write-ahead log or the locks on it (-shm) were deleted while it was open") from error
        if (log.st_dev, log.st_ino) != self._log_identity:
            raise self._gone("another write-ahead log was put beside it while it was open")
        if (locks.st_dev, locks.st_ino) != self._locks_identity:
            raise self._gone("the locks on its write-ahead log (-shm) were replaced while it was open")
        self._log_size = log.st_size

    def _log_generation(self) -> str:
        if self._log is None:
            try:
                self._log = os.open(self._log_name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            except OSError:
                return ""
            found = os.fstat(self._log)
            self._log_identity = (found.st_dev, found.st_ino)
            with suppress(OSError):
                found = os.stat(self._locks_name)  # noqa: PTH116
                self._locks_identity = (found.st_dev, found.st_ino)
        return _generation(_at_start(self._log, _WAL_HEADER))

    def _gone(self, problem: str) -> StoreError:
        return StoreError(self.url, problem, _AGAIN)
