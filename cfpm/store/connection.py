"""One SQLite connection: opening, pragmas, one transaction at a time, statements, waiting for other processes. Knows no
table.

Statements run on the driver's own connection. Measured on a turn of eight statements: 0.22 ms there, 0.70 ms as
SQLAlchemy Core statements.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Protocol

from cfpm.errors import StoreError
from cfpm.paths.private_files import make_file
from cfpm.store.driver import connect
from cfpm.store.driver_errors import primary_code, store_error
from cfpm.store.location import MEMORY, check_file, database_path, database_uri
from cfpm.store.schema import marks
from cfpm.store.watch import FileWatch, beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from cfpm.store.driver import Driver
    from cfpm.store.trail import State

Row = tuple[Any, ...]
"""One row as SQLite gives it: str, int, float, None."""

CACHE_KIB = 32_768
"""Page cache: enough for the upper levels of every index at a million facts, and small beside a host's own memory."""

CHECKPOINT_PAGES = 2_000
"""WAL pages (8 MB) between checkpoints: half as many flushes as the default of 1,000, for little disk."""

WAL_LIMIT = 64 * 1024 * 1024
"""Bytes to which the WAL file is cut after a large import."""

PATIENCE = 0.01
"""Seconds that SQLite itself waits for a lock; then a `Connection` asks again, until the settings' `busy_timeout`.

Left to itself, SQLite asks every 0.1 s after a while and never meets the moment between two turns of a busy writer:
of eight processes with 100 turns of 15 ms each, some waited 11 s for their first turn.
"""

_AT_ONCE = 512
"""Texts that one statement looks for; SQLite allows 32,766 values, older ones 999."""

_EACH = 100
"""Rows that `each` holds at a time."""


class Opening(Protocol):
    """What the settings say about how a store is opened."""

    @property
    def durability(self) -> str:
        """SQLite's `synchronous`: `full` or `normal`."""
        ...

    @property
    def embedder(self) -> str:
        """What makes vectors: `static` or `none`."""
        ...

    @property
    def busy_timeout(self) -> float:
        """Seconds to wait for another writer."""
        ...


class Connection:
    """An open database. Not for two threads at once; several processes may have one on the same file.

    Errors of SQLite are raised as StoreErrors that name its `url`.
    """

    def __init__(
        self,
        url: str,
        settings: Opening,
        *,
        read_only: bool = False,
        opened: Callable[..., Driver] = connect,
    ) -> None:
        """Opens the file, creating it unless `read_only`; by `opened`, which takes the configured key, if there is one.

        Raises UsageError for the url, StoreError for the file.
        """
        self.url = url
        self.path = database_path(url)
        self.read_only = read_only
        self.timeout = settings.busy_timeout
        self._durability = settings.durability
        self._writing = False
        self._noting = False
        self.transaction = 0
        """Counts the transactions that write."""
        self._opened = opened
        self.watch: FileWatch | None = None
        """Looks at the path of the file with every transaction."""
        self.seal: Callable[[], State] | None = None
        """Called before each commit, in the transaction."""
        self._errors: tuple[type[Exception], ...] = (sqlite3.Error,)
        if self.path != MEMORY:
            check_file(url, Path(self.path), read_only=read_only)
            if not read_only:
                # SQLite itself would make it readable by everybody; its logs take the rights of the file.
                with suppress(OSError):
                    make_file(Path(self.path))
            with suppress(OSError):
                self.watch = FileWatch(url, Path(self.path))
        with self._translated():
            driver = self._connect()
        self._driver, self._errors = driver.connection, driver.errors
        try:
            if self.watch is not None:
                self.watch.check()
            # A file that is no database, or that this user may not read, is noticed by the first read.
            self.rows("PRAGMA schema_version")
            self._configure(settings)
        except StoreError:
            self._driver.close()
            raise

    def _connect(self) -> Driver:
        named = self.path != MEMORY
        target = database_uri(self.path, read_only=self.read_only) if named else MEMORY
        # `timeout` is SQLite's busy timeout: set before anything is read, so that no statement meets a lock without it.
        return self._opened(target, uri=named, timeout=min(self.timeout, PATIENCE))

    def _configure(self, settings: Opening) -> None:
        for pragma, value in (
            ("synchronous", self._durability),
            ("cache_size", -CACHE_KIB),
            ("wal_autocheckpoint", CHECKPOINT_PAGES),
            ("journal_size_limit", WAL_LIMIT),
        ):
            self.run(f"PRAGMA {pragma}={value}")

    def use_wal(self) -> None:
        """Switches the file to write-ahead logging."""
        self.rows("PRAGMA journal_mode=WAL")

    def beside(self, ending: str) -> Path | None:
        """The file that belongs to this one with such an ending; None for a database in memory."""
        return None if self.path == MEMORY else beside(Path(self.path).resolve(), ending)

    def close(self) -> None:
        """Closes the connection; a second call does nothing."""
        if self.watch is not None:
            self.watch.close()
        with self._translated():
            self._driver.close()

    @property
    def in_transaction(self) -> bool:
        return self._driver.in_transaction

    @property
    def may_roll_back(self) -> bool:
        """Whether what is read now may be what this connection wrote and has not committed yet."""
        return self._writing

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction that holds the write lock from its start: all of it is stored, or nothing.

        Raises StoreError when it cannot begin or commit, RuntimeError inside another one.
        """
        if self._driver.in_transaction:
            raise RuntimeError("Store.writing() cannot be nested: one turn is one transaction")
        self._look()
        self.run("BEGIN IMMEDIATE")
        self.transaction += 1
        self._writing = True
        try:
            if self.watch is not None:
                self.watch.began()
            yield
            state = self.seal() if self.seal is not None else None
            self.run("COMMIT")
            if self.watch is not None and state is not None:
                durable = self._durability == "full" and not self._noting
                self.watch.committed(state.database, state.writes, durable=durable)
        finally:
            self._writing = False
            # Still open only if something was raised; SQLite itself ends it on a full disk.
            if self.in_transaction:
                self._driver.rollback()

    def _look(self) -> None:
        """Whether the path still leads to this file, and to all of it."""
        if self.watch is None:
            return
        self.watch.check()
        if self.watch.shrunk and not self.read_only:
            self._check_whole()

    def _check_whole(self) -> None:
        """After the file or its log became shorter, as they rightly do when another process vacuums: reads all of it,
        by a connection that remembers nothing of what was there before."""
        assert self.watch is not None, "it noticed"
        try:
            moved = self.row("PRAGMA wal_checkpoint(PASSIVE)")
            with closing(self._connect().connection) as fresh:
                found = fresh.execute("PRAGMA quick_check(1)").fetchall()
        except StoreError as error:
            raise self.watch.cut() from error
        except self._errors as error:
            raise self.watch.cut() from error
        if found != [("ok",)]:
            raise self.watch.cut()
        if moved is not None and moved[0] == 0 and moved[1] == moved[2]:
            self.watch.settle()

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """The running transaction, or one of its own for a call outside `writing`."""
        if self.in_transaction:
            yield
        else:
            with self.writing():
                yield

    @contextmanager
    def noting(self) -> Iterator[None]:
        """As `writing`, but the commit does not wait for the disk, which is half a millisecond and more.

        It survives a killed process; a power cut may undo what was noted since the last commit of `writing`.
        """
        # Inside a transaction SQLite refuses to change this, and `writing` says what is wrong.
        waits = self._durability == "full" and not self.in_transaction
        if waits:
            self.run("PRAGMA synchronous=normal")
            self._noting = True
        try:
            with self.writing():
                yield
        finally:
            if waits:
                self._noting = False
                self.run("PRAGMA synchronous=full")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All reads inside see the same moment. Inside `writing` they already do.

        Each statement by itself would lock the file and let it go, which costs more than a short statement.
        """
        if self._driver.in_transaction:
            yield
            return
        self._look()
        self.run("BEGIN")
        try:
            yield
            # Not rolled back: temporary tables that were made inside stay.
            self.run("COMMIT")
        finally:
            if self.in_transaction:
                self._driver.rollback()

    def copy_to(self, copy: sqlite3.Connection) -> None:
        """Copies all pages, as they are at one moment, into a connection of the same library."""
        self._look()
        with self._translated():
            self._driver.backup(copy)

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Runs one statement and returns how many rows it changed."""
        with self._translated():
            return self._execute(sql, values).rowcount

    def insert(self, sql: str, values: Sequence[object]) -> int | None:
        """Runs one INSERT and returns the row id of the new row, or None if a conflict left nothing to do."""
        with self._translated():
            cursor = self._execute(sql, values)
        return cursor.lastrowid if cursor.rowcount == 1 else None

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> int:
        """Runs one statement for every row and returns how many rows it changed."""
        waiting = list(rows)
        changes = self._driver.total_changes
        with self._translated():
            try:
                return self._driver.executemany(sql, waiting).rowcount
            except UnicodeEncodeError:
                # The rows before the bad one are in; SQLite holds no lone surrogates, so go on with them replaced.
                bad = next(number for number, row in enumerate(waiting) if _encodable(row) != list(row))
                self._driver.executemany(sql, map(_encodable, waiting[bad:]))
                return self._driver.total_changes - changes

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self._translated():
            try:
                return self._execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if not self._reads_anything(error):
                    raise
                return self._execute(sql, values).fetchall()

    def among(self, sql: str, values: Sequence[object], wanted: Iterable[str | int]) -> list[Row]:
        """The rows for any of the wanted texts or numbers, which stand for `{wanted}` after all other values.

        Not `json_each(?)`: SQLite's JSON ends a text at a NUL character.
        """
        left = list(dict.fromkeys(wanted))
        found: list[Row] = []
        for start in range(0, len(left), _AT_ONCE):
            part = left[start : start + _AT_ONCE]
            # Powers of two, so that a handful of statements serve every number of texts and stay prepared.
            size = 1 << (len(part) - 1).bit_length()
            part += part[-1:] * (size - len(part))
            found += self.rows(_for_many(sql, size), (*values, *part))
        return found

    def at_once(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """As `rows`, for a transaction that writes, in which there is nobody to wait for; takes half the time."""
        try:
            return self._driver.execute(sql, values).fetchall()
        except self._errors as error:
            raise store_error(self.url, error) from error

    def row(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def number(self, sql: str, values: Sequence[object] = ()) -> int:
        """The single integer that a query gives; 0 for NULL or no row."""
        found = self.row(sql, values)
        return int(found[0] or 0) if found else 0

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """The rows of a query, for results that do not fit into memory."""
        for part in self.parts(sql, values, _EACH):
            yield from part

    def parts(self, sql: str, values: Sequence[object], size: int) -> Iterator[list[Row]]:
        """The rows of a query in lists of at most `size`."""
        given = 0
        with self._translated():
            try:
                for found in self._parts(sql, values, size):
                    given += len(found)
                    yield found
            except sqlite3.OperationalError as error:
                if not self._reads_anything(error):
                    raise
                left = given
                for found in self._parts(sql, values, size):
                    skipped = min(left, len(found))
                    left -= skipped
                    if found[skipped:]:
                        yield found[skipped:]

    def _parts(self, sql: str, values: Sequence[object], size: int) -> Iterator[list[Row]]:
        with closing(self._execute(sql, values)) as cursor:
            while found := cursor.fetchmany(size):
                yield found

    def _reads_anything(self, error: sqlite3.OperationalError) -> bool:
        """Reads bytes that are no UTF-8 as U+FFFD from now on, if it was they that could not be read.

        Not from the start: that takes a call for every text.
        """
        if "decode to UTF-8" not in str(error):
            return False
        self._driver.text_factory = _decoded
        return True

    def _execute(self, sql: str, values: Sequence[object]) -> sqlite3.Cursor:
        try:
            return self._patiently(sql, values)
        except UnicodeEncodeError:
            return self._patiently(sql, _encodable(values))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raises a StoreError for what the driver raises inside."""
        try:
            yield
        except OverflowError as error:
            raise store_error(self.url, error) from error
        except self._errors as error:
            raise store_error(self.url, error) from error

    def _patiently(self, sql: str, values: Sequence[object]) -> sqlite3.Cursor:
        """Runs a statement, waiting for other processes until the deadline."""
        deadline = 0.0
        while True:
            try:
                return self._driver.execute(sql, values)
            except self._errors as error:
                # Whoever waits inside a transaction keeps others waiting for it.
                if primary_code(error) != sqlite3.SQLITE_BUSY or self._driver.in_transaction:
                    raise
                deadline = deadline or monotonic() + self.timeout
                if monotonic() > deadline:
                    raise
                sleep(0.001)


def _decoded(raw: bytes) -> str:
    return raw.decode(errors="replace")


@lru_cache(maxsize=256)
def _for_many(sql: str, count: int) -> str:
    return sql.format(wanted=marks(count))


def _encodable(values: Sequence[object]) -> list[object]:
    """The values with U+FFFD for every lone surrogate, so that offsets into the text stay true."""
    return [
        value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str) else value
        for value in values
    ]
