"""A copy of the whole database in one file, made while others write, and the way back. The file ends with a manifest:
what it holds and what its bytes hash to. Any byte that was changed since is found before anything is replaced."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.errors import InputError, StoreError
from cfpm.store.connection import Connection
from cfpm.store.driver import connect
from cfpm.store.location import database_uri
from cfpm.store.migrations import APPLICATION_ID, MIGRATIONS, schema_version
from cfpm.store.replacing import file_of, move_in, new_part, sole_access
from cfpm.store.seals import verify
from cfpm.store.trail import Trail, canonical, keyed_hash, read_state
from cfpm.store.watch import beside

if TYPE_CHECKING:
    from cfpm.store.connection import Opening

_MAGIC = b"CFPM-BACKUP-1\n"
_LENGTH = 8
"""Digits that say how long the manifest is, between it and the magic."""

_CHUNK = 1 << 20
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    " AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
_UNCHANGED = "Nothing was restored, and the database is as it was. Use another backup"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds."""

    database: str
    writes: int
    schema: int
    size: int
    """Bytes of the database."""
    sha256: str
    """Of these bytes."""
    rows: dict[str, int] = field(default_factory=dict)
    """The number of rows of each table."""
    seal: str = ""
    """The keyed hash of all of the above, for who has the key of the audit trail."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back; `verified` is false when the key of the audit trail is not there, so that only the checksums
    could be compared."""

    manifest: Manifest
    verified: bool


def back_up(connection: Connection, target: Path, opening: Opening) -> Manifest:
    """Writes a backup of an open database to a file, which is replaced if there is one, and reads it back.

    Others may go on writing: it holds one moment. Raises InputError for the target, StoreError.
    """
    target = target.resolve()
    if target.is_dir() or not target.parent.is_dir():
        raise InputError(str(target), "no file can be written there", "Name a file in a folder that exists")
    if str(target) == str(Path(connection.path).resolve()):
        raise InputError(str(target), "this is the database itself", "Name another file")
    with new_part(target) as part:
        with closing(connect(database_uri(str(part), read_only=False), uri=True, timeout=1).connection) as copy:
            connection.copy_to(copy)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()
        with closing(Connection(str(part), opening)) as written:
            own_trail = Trail(written, beside(file_of(connection.url), "-key"))
            own_trail.adopt()
            _check_integrity(written, str(target))
            manifest = _sealed(_manifest(written, part), own_trail, written)
        _append(part, manifest)
        _read_back(part, str(target))
        move_in(part, target)
    return manifest


def restore(source: Path, url: str, opening: Opening, *, as_is: bool = False) -> Restored:
    """Puts a backup in the place of the database at `url`, which nobody may have open.

    The old file stays until the new one is on disk and checked: its bytes, its integrity, its schema, its rows, and
    with the key its audit trail. With `as_is` a plain copy is taken too, without a manifest and whatever it lacks.
    Raises InputError for a source that was cut or altered or is none, StoreError for the database.
    """
    if not source.is_file():
        raise InputError(str(source), "there is no such file", "Name a file that `cfpm backup` wrote")
    target = file_of(url)
    with new_part(target) as part:
        if as_is and _manifest_of(source) is None:
            _copy_as_is(source, part)
            manifest = None
        else:
            manifest = _copy(source, part)
        with closing(Connection(str(part), opening)) as copy:
            _examine(copy, str(source), manifest)
            trail = Trail(copy, beside(target, "-key"))
            verified = _verify(copy, trail, str(source), manifest, as_is=as_is)
            _adopt(copy, trail)
            manifest = manifest or _manifest(copy, part)
            copy.use_wal()
            knows_itself = read_state(copy) is not None if schema_version(copy) == len(MIGRATIONS) else False
        with sole_access(url, target):
            move_in(part, target)
            if not knows_itself:
                # An older file cannot say that what stands beside it belongs to another.
                beside(target, "-head").unlink(missing_ok=True)
    return Restored(manifest, verified)


def _copy(source: Path, part: Path) -> Manifest:
    """Copies the database out of a backup; what is compared is what was copied."""
    manifest = _manifest_of(source)
    if manifest is None:
        problem = "it does not end with the manifest of a backup: it was cut, or is none"
        remedy = "Use a whole backup; a plain copy of a database is taken with --as-is. Nothing was changed"
        raise InputError(str(source), problem, remedy)
    sha256, left = hashlib.sha256(), manifest.size
    with source.open("rb") as whole, part.open("r+b") as copy:
        while left and (chunk := whole.read(min(_CHUNK, left))):
            sha256.update(chunk)
            copy.write(chunk)
            left -= len(chunk)
    if left or sha256.hexdigest() != manifest.sha256 or source.stat().st_size != _size_of(manifest):
        raise InputError(str(source), "its bytes are not those that were backed up", _UNCHANGED)
    return manifest


def _copy_as_is(source: Path, part: Path) -> None:
    opened = connect(database_uri(str(source), read_only=True), uri=True, timeout=1)
    copy = connect(database_uri(str(part), read_only=False), uri=True, timeout=1)
    with closing(opened.connection), closing(copy.connection):
        try:
            opened.connection.backup(copy.connection)
            copy.connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        except opened.errors as error:
            raise InputError(str(source), f"it cannot be read ({error})", _UNCHANGED) from error


def _examine(copy: Connection, source: str, manifest: Manifest | None) -> None:
    owner, version = copy.number("PRAGMA application_id"), schema_version(copy)
    if owner != APPLICATION_ID:
        raise InputError(source, "it is no memory", _UNCHANGED)
    if version > len(MIGRATIONS):
        problem = f"its schema has version {version}, this cfpm knows {len(MIGRATIONS)}"
        raise InputError(source, problem, "Upgrade cfpm: pip install --upgrade cfpm. Nothing was changed")
    _check_integrity(copy, source)
    if manifest is not None and _rows(copy) != manifest.rows:
        raise InputError(source, "it has other rows than were backed up", _UNCHANGED)


def _check_integrity(copy: Connection, source: str) -> None:
    try:
        found = [text for (text,) in copy.rows("PRAGMA integrity_check(3)")]
    except StoreError as error:
        raise InputError(source, f"it is damaged ({error.problem})", _UNCHANGED) from error
    if found != ["ok"]:
        raise InputError(source, f"it is damaged ({'; '.join(found)})", _UNCHANGED)


def _verify(copy: Connection, trail: Trail, source: str, manifest: Manifest | None, *, as_is: bool) -> bool:
    """Whether the audit trail could be verified. Raises InputError when it is not what was sealed."""
    if schema_version(copy) < len(MIGRATIONS) or (state := read_state(copy)) is None:
        return False
    try:
        trail.key(state)
    except StoreError:
        return False
    if manifest is not None and _sealed(manifest, trail, copy).seal != manifest.seal:
        raise InputError(source, "its manifest was not made with the key of this database", _UNCHANGED)
    found = verify(copy, trail)
    if found and not as_is:
        problem = f"its audit trail was tampered with: {found[0].place}, {found[0].problem}"
        raise InputError(source, problem, f"{_UNCHANGED}, or take it with --as-is")
    return not found


def _adopt(copy: Connection, trail: Trail) -> None:
    """Says in the file that what stands beside it is older."""
    state = read_state(copy) if schema_version(copy) == len(MIGRATIONS) else None
    if state is None or state.adopted:
        return
    try:
        trail.adopt()
    except StoreError:
        # Without the key nothing can be written before the trail is begun anew.
        copy.run("UPDATE store_state SET adopted = 1")


def _rows(copy: Connection) -> dict[str, int]:
    return {name: copy.number(f'SELECT count(*) FROM "{name}"') for (name,) in copy.rows(_TABLES)}


def _manifest(copy: Connection, file: Path) -> Manifest:
    state = read_state(copy) if schema_version(copy) == len(MIGRATIONS) else None
    name, writes = (state.database, state.writes) if state else ("", 0)
    size, sha256 = _hash(file)
    return Manifest(name, writes, schema_version(copy), size, sha256, _rows(copy))


def _hash(file: Path) -> tuple[int, str]:
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return file.stat().st_size, digest


def _sealed(manifest: Manifest, trail: Trail, copy: Connection) -> Manifest:
    """The manifest with its seal. Raises StoreError when the key is not there."""
    if (state := read_state(copy)) is None:
        return manifest
    said = {name: value for name, value in asdict(manifest).items() if name != "seal"}
    seal = keyed_hash(trail.key(state), canonical(("backup", json.dumps(said, sort_keys=True))))
    return replace(manifest, seal=seal.hex())


def _bytes_of(manifest: Manifest) -> bytes:
    said = json.dumps(asdict(manifest), sort_keys=True)
    text = json.dumps({"manifest": said, "sha256": hashlib.sha256(said.encode()).hexdigest()}, sort_keys=True).encode()
    return text + str(len(text)).zfill(_LENGTH).encode() + _MAGIC


def _size_of(manifest: Manifest) -> int:
    return manifest.size + len(_bytes_of(manifest))


def _append(part: Path, manifest: Manifest) -> None:
    with part.open("ab") as file:
        file.write(_bytes_of(manifest))


def _manifest_of(file: Path) -> Manifest | None:
    """The manifest at the end of a file, or None if there is none or it was altered."""
    tail = _LENGTH + len(_MAGIC)
    with file.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - tail))
        end = stream.read()
        if len(end) != tail or not end.endswith(_MAGIC) or not end[:_LENGTH].isdigit():
            return None
        length = int(end[:_LENGTH])
        stream.seek(max(0, size - tail - length))
        text = stream.read(length)
    try:
        found = json.loads(text)
        said = found["manifest"]
        manifest = Manifest(**json.loads(said))
    except (ValueError, KeyError, TypeError):
        return None
    return manifest if _bytes_of(manifest) == text + end else None


def _read_back(part: Path, target: str) -> None:
    """A disk may have kept something else than was written."""
    manifest = _manifest_of(part)
    if manifest is None or manifest.sha256 != _hash_of_start(part, manifest.size):
        raise InputError(target, "what was written could not be read back", "Check the disk, and try again")


def _hash_of_start(file: Path, size: int) -> str:
    sha256 = hashlib.sha256()
    with file.open("rb") as stream:
        while size and (chunk := stream.read(min(_CHUNK, size))):
            sha256.update(chunk)
            size -= len(chunk)
    return sha256.hexdigest()
