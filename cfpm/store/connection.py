"""One SQLite connection with one transaction at a time: opening, pragmas, transactions. What runs inside them is in
`statements`. Knows no table."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cfpm.errors import StoreError
from cfpm.store.faults import fault
from cfpm.store.location import MEMORY, check_file, database_path, database_uri
from cfpm.store.statements import Statements

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE_KIB = 32_768
"""Page cache: enough for the upper levels of every index at a million facts, and small beside a host's own memory."""

CHECKPOINT_PAGES = 2_000
"""WAL pages (8 MB) between checkpoints: half as many flushes as the default of 1,000, for little disk."""

WAL_LIMIT = 64 * 1024 * 1024
"""Bytes to which the WAL file is cut after a large import."""

PATIENCE = 0.01
"""Seconds that SQLite itself waits for a lock; then `Statements` asks again, until the settings' `busy_timeout`.

Left to itself, SQLite asks every 0.1 s after a while and never meets the moment between two turns of a busy writer:
of eight processes with 100 turns of 15 ms each, some waited 11 s for their first turn.
"""


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


class Connection(Statements):
    """An open database. Not for two threads at once; several processes may have one on the same file."""

    def __init__(self, url: str, settings: Opening, *, read_only: bool = False) -> None:
        """Opens the file, creating it unless `read_only`. Raises UsageError for the url, StoreError for the file."""
        self.url = url
        self.path = database_path(url)
        self.read_only = read_only
        self.timeout = settings.busy_timeout
        self._durability = settings.durability
        self._writing = False
        if self.path != MEMORY:
            check_file(url, Path(self.path), read_only=read_only)
        try:
            self._driver = self._connect()
        except sqlite3.Error as error:
            raise fault(url, error) from error
        try:
            # A file that is no database, or that this user may not read, is noticed by the first read.
            self.rows("PRAGMA schema_version")
            self._configure(settings)
        except StoreError:
            self._driver.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        named = self.path != MEMORY
        # `timeout` is SQLite's busy timeout: set before anything is read, so that no statement meets a lock without it.
        return sqlite3.connect(
            database_uri(self.path, read_only=self.read_only) if named else MEMORY,
            timeout=min(self.timeout, PATIENCE),
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            uri=named,
        )

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

    def close(self) -> None:
        """Closes the connection; a second call does nothing."""
        try:
            self._driver.close()
        except sqlite3.Error as error:
            raise fault(self.url, error) from error

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
        self.run("BEGIN IMMEDIATE")
        self._writing = True
        try:
            yield
            self.run("COMMIT")
        finally:
            self._writing = False
            # Still open only if something was raised; SQLite itself ends it on a full disk.
            if self.in_transaction:
                self._driver.rollback()

    @contextmanager
    def noting(self) -> Iterator[None]:
        """As `writing`, but the commit does not wait for the disk, which is half a millisecond and more.

        It survives a killed process; a power cut may undo what was noted since the last commit of `writing`.
        """
        # Inside a transaction SQLite refuses to change this, and `writing` says what is wrong.
        waits = self._durability == "full" and not self.in_transaction
        if waits:
            self.run("PRAGMA synchronous=normal")
        try:
            with self.writing():
                yield
        finally:
            if waits:
                self.run("PRAGMA synchronous=full")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All reads inside see the same moment. Inside `writing` they already do.

        Each statement by itself would lock the file and let it go, which costs more than a short statement.
        """
        if self._driver.in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
            # Not rolled back: temporary tables that were made inside stay.
            self.run("COMMIT")
        finally:
            if self.in_transaction:
                self._driver.rollback()
