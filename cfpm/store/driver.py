"""The one way to open a database file: with Python's SQLite, or with SQLCipher when a key is configured."""

from __future__ import annotations

import sqlite3
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.errors import MissingExtraError
from cfpm.store.key_sources import encryption_key, is_raw

if TYPE_CHECKING:
    from types import ModuleType


_OPTIONS: dict[str, Any] = {"isolation_level": None, "check_same_thread": False, "cached_statements": 256}


class Driver(NamedTuple):
    """An open connection with what its library raises. SQLCipher's has the methods of SQLite's."""

    connection: sqlite3.Connection
    errors: tuple[type[Exception], ...]
    encrypted: bool


def connect(target: str, *, uri: bool, timeout: float) -> Driver:
    """Opens a file with the configured key, if there is one, or `:memory:`.

    Statements commit by themselves, and any thread may use it. A wrong key is noticed by the first read. Raises what
    the library raises, UsageError for the configuration of the key, MissingExtraError without SQLCipher.
    """
    key = None if target == ":memory:" else encryption_key()
    if key is None:
        return Driver(sqlite3.connect(target, timeout=timeout, uri=uri, **_OPTIONS), (sqlite3.Error,), encrypted=False)
    return connect_with(target, key=key, uri=uri, timeout=timeout)


def connect_with(target: str, *, key: str | None, uri: bool, timeout: float) -> Driver:
    """Opens a file with SQLCipher, in plain text where `key` is None, which it reads as well. Raises MissingExtraError,
    and what the library raises."""
    library = sqlcipher()
    connection = library.connect(target, timeout=timeout, uri=uri, **_OPTIONS)
    # What is wrong is raised; it need not stand in the host's output as well.
    connection.execute("PRAGMA cipher_log_level = NONE")
    if key is not None:
        connection.execute(f"PRAGMA key = {key_literal(key)}")
    return Driver(connection, (library.Error,), encrypted=key is not None)


def sqlcipher() -> ModuleType:
    """The library. Raises MissingExtraError."""
    try:
        return import_module("sqlcipher3.dbapi2")
    except ImportError as error:
        raise MissingExtraError("Encryption of the database", "encrypted") from error


def key_literal(key: str) -> str:
    """The key as it stands in a statement: PRAGMA takes no parameters."""
    quoted = key.replace("'", "''")
    return f"\"x'{key}'\"" if is_raw(key) else f"'{quoted}'"
