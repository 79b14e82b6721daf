"""Writing a database anew with another key, or without one. The old file stays until the new one is on disk and has
been compared with it, row by row; then what it held in plain text is written over."""

from __future__ import annotations

import os
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.store.connection import Connection
from cfpm.store.driver import connect_with, key_literal
from cfpm.store.driver_errors import store_error
from cfpm.store.location import database_uri
from cfpm.store.migrations import APPLICATION_ID
from cfpm.store.replacing import file_of, move_in, new_part, sole_access
from cfpm.store.trail import Trail, read_state
from cfpm.store.watch import beside

if TYPE_CHECKING:
    from cfpm.store.connection import Opening
    from cfpm.store.driver import Driver

_CHUNK = 1 << 20
_TABLES = (
    "SELECT name FROM {schema}.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
)


def rewrite(url: str, old: str | None, new: str | None, opening: Opening) -> int:
    """Writes the database with the key `new` (None: in plain text) instead of `old`, and returns how many rows it has.

    Nobody else may have it open. Raises StoreError for another key than `old`, and MissingExtraError; then the file is
    as it was.
    """
    path = file_of(url)
    if not path.is_file():
        raise StoreError(url, "there is no such database", "Check the path")
    source = connect_with(database_uri(str(path), read_only=False), key=old, uri=True, timeout=2)
    with closing(source.connection), new_part(path) as part:
        _check_ours(url, source)
        with sole_access(url, path, source):
            rows = _written_anew(url, source, part, new)
            with closing(_opened(part, new, opening)) as copy:
                found = [text for (text,) in copy.rows("PRAGMA integrity_check(3)")]
                if found != ["ok"]:
                    raise StoreError(url, f"it could not be written anew ({found[0]})", "Run `cfpm doctor`")
                if read_state(copy) is not None:
                    Trail(copy, beside(path, "-key")).adopt()
                copy.use_wal()
            _put_in_place(part, path, source, wipe=old is None)
    return rows


def _opened(part: Path, key: str | None, opening: Opening) -> Connection:
    """The new file, with its own key whatever is configured."""
    return Connection(str(part), opening, opened=partial(connect_with, key=key))


def _put_in_place(part: Path, path: Path, source: Driver, *, wipe: bool) -> None:
    if sys.platform == "win32":
        # An open file cannot be replaced there, nor written to afterwards.
        source.connection.close()
        move_in(part, path)
        return
    remains = os.open(path, os.O_RDWR)
    try:
        move_in(part, path)
        source.connection.close()
        if wipe:
            _write_over(remains)
    finally:
        os.close(remains)


def _check_ours(url: str, source: Driver) -> None:
    try:
        (owner,) = source.connection.execute("PRAGMA application_id").fetchone()
    except source.errors as error:
        problem = "it cannot be read with this key: it has another one, or is as you want it already"
        raise StoreError(url, problem, "Set CFPM_KEY to its key; `cfpm doctor` says whether it opens") from error
    if owner != APPLICATION_ID:
        raise StoreError(url, "this is a database of another program", "Choose another path; it was not changed")


def _written_anew(url: str, source: Driver, part: Path, key: str | None) -> int:
    """Copies everything into the part, compares it, and returns the number of rows."""
    connection = source.connection
    literal = key_literal(key) if key is not None else "''"
    try:
        connection.execute(f"ATTACH ? AS anew KEY {literal}", (str(part),))
        connection.execute("SELECT sqlcipher_export('anew')").fetchall()
        for name in ("application_id", "user_version"):
            (value,) = connection.execute(f"PRAGMA main.{name}").fetchone()
            connection.execute(f"PRAGMA anew.{name} = {int(value)}")
        tables = [name for (name,) in connection.execute(_TABLES.format(schema="main")).fetchall()]
        copied = [name for (name,) in connection.execute(_TABLES.format(schema="anew")).fetchall()]
        wrong = set(tables) ^ set(copied)
        rows = 0
        for name in set(tables) & set(copied):
            counts = [
                connection.execute(f'SELECT count(*) FROM {schema}."{name}"').fetchone()[0]
                for schema in ("main", "anew")
            ]
            missing = f'SELECT count(*) FROM (SELECT * FROM main."{name}" EXCEPT SELECT * FROM anew."{name}")'
            if counts[0] != counts[1] or connection.execute(missing).fetchone()[0]:
                wrong.add(name)
            rows += counts[0]
        connection.execute("DETACH anew")
    except source.errors as error:
        raise store_error(url, error) from error
    if wrong:
        raise StoreError(url, f"{', '.join(sorted(wrong))} could not be copied whole", "Run `cfpm doctor`")
    return rows


def _write_over(file: int) -> None:
    """Zeros over what was in plain text. A disk that writes elsewhere, as solid state disks do, may keep it still."""
    with suppress(OSError):
        left = os.fstat(file).st_size
        os.lseek(file, 0, os.SEEK_SET)
        while left > 0:
            left -= os.write(file, bytes(min(_CHUNK, left)))
        os.fsync(file)
