"""The history of the schema: an ordered ledger of steps, each applied once, in one transaction with its row.

Read it top to bottom. A step that has been released is never edited. Not for data that can be derived again. An empty
file gets the schema of `store/tables` at once, which is what all steps lead to.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.store.location import MEMORY
from cfpm.store.schema import STATEMENTS, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfpm.store.connection import Connection

APPLICATION_ID = 0x4346504D
"""`CFPM`: what the header of a file of ours says, so that a database of somebody else is not touched."""

_FILES = resources.files("cfpm.store") / "steps"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; its version is its place in the list, counted from 1."""

    version: int
    name: str
    apply: Callable[[Connection], None]


MIGRATIONS: list[Migration] = []


def migration(apply: Callable[[Connection], None]) -> Callable[[Connection], None]:
    """Appends a step to the ledger. Its docstring says why it was needed."""
    MIGRATIONS.append(Migration(len(MIGRATIONS) + 1, apply.__name__, apply))
    return apply


@migration
def first_tables(connection: Connection) -> None:
    """All tables and indices of the first version."""
    _run_file(connection, "0001_first_tables.sql")


@migration
def speaker_and_salience(connection: Connection) -> None:
    """Two people who say the same words are two facts, and what a fact is worth is kept with it."""
    _run_file(connection, "0002_speaker_and_salience.sql")


@migration
def vectors(connection: Connection) -> None:
    """What shares no word with a question is found by its vector, which is written with the row it belongs to."""
    _run_file(connection, "0003_vectors.sql")


@migration
def fewer_indices(connection: Connection) -> None:
    """A turn wrote 65 pages, a quarter of them for questions about the audit trail that few people ask."""
    _run_file(connection, "0004_fewer_indices.sql")


@migration
def erasure(connection: Connection) -> None:
    """What was forgotten is recognised by keyed hashes, and what was erased leaves a record without words."""
    from cfpm.model import Category
    from cfpm.store.keys import KeyedHashes
    from cfpm.store.tombstones import Tombstones

    _run_file(connection, "0005_erasure.sql")
    tombstones = Tombstones(connection, KeyedHashes(connection))
    forgotten = "SELECT namespace, category, content, speaker, id FROM memory_facts WHERE status = 'forgotten'"
    for namespace, category, content, speaker, name in connection.rows(forgotten):
        tombstones.add(namespace, Category(category), content, speaker=speaker, fact_id=name)


@migration
def verdicts_by_turn(connection: Connection) -> None:
    """Every recall asks what was decided about the words that it shows."""
    _run_file(connection, "0006_verdicts_by_turn.sql")


@migration
def sealed_trail(connection: Connection) -> None:
    """Whoever could write the file could change what was said and decided, and nobody noticed."""
    _run_file(connection, "0007_sealed_trail.sql")


@migration
def deeds(connection: Connection) -> None:
    """What calls did is added up from rows, because reading all messages for it takes seconds."""
    _run_file(connection, "0008_deeds.sql")


@migration
def documents(connection: Connection) -> None:
    """What stands in files is looked up where it is needed, instead of in every prompt."""
    _run_file(connection, "0009_documents.sql")


@migration
def sessions(connection: Connection) -> None:
    """Which sessions there are, since when and about what, could only be added up from all messages."""
    from cfpm.store.sessions import SessionTable

    _run_file(connection, "0010_sessions.sql")
    SessionTable(connection).fill()


@migration
def state(connection: Connection) -> None:
    """After a compaction an agent knew neither what it had been refused nor where its plan stood."""
    _run_file(connection, "0011_state.sql")


@migration
def sentence_vectors(connection: Connection) -> None:
    """A sentence that answers in other words than the question stood behind all that share a word with it."""
    _run_file(connection, "0012_sentence_vectors.sql")


@migration
def replaced(connection: Connection) -> None:
    """An index of what each fact took the place of."""
    _run_file(connection, "0013_replaced.sql")


def prepare(connection: Connection) -> None:
    """Creates the schema in an empty file, brings an older one up to date, refuses what is newer or not ours.

    An up-to-date file costs two reads of its header. Raises StoreError.
    """
    latest = len(MIGRATIONS)
    if _header(connection) == (APPLICATION_ID, latest):
        if not connection.read_only and connection.path != MEMORY:
            # A file that was restored or encrypted has none yet; of any other this asks only.
            connection.use_wal()
        return
    version = _version(connection)
    if connection.read_only:
        raise StoreError(
            connection.url,
            f"its schema has version {version}, this cfpm reads version {latest}",
            "Run `cfpm reindex` on it once, which brings it up to date",
        )
    if version == 0:
        connection.use_wal()
    with connection.writing():
        # Another process may have done it while this one waited for the lock.
        version = _version(connection)
        if version == 0:
            _create(connection)
            version = VERSION
        for step in MIGRATIONS[version:]:
            apply(connection, step)


def schema_version(connection: Connection) -> int:
    """The number of the last step that was applied to this file."""
    return connection.number("PRAGMA user_version")


def apply(connection: Connection, step: Migration) -> None:
    """Takes a step, and notes it in the file."""
    step.apply(connection)
    _note(connection, step)


def _create(connection: Connection) -> None:
    """All tables and indices at once, and in the ledger the steps that lead to them."""
    for statement in STATEMENTS:
        connection.run(statement)
    for step in MIGRATIONS[:VERSION]:
        _note(connection, step)


def _note(connection: Connection, step: Migration) -> None:
    from cfpm import __version__

    connection.run(f"PRAGMA application_id={APPLICATION_ID}")
    connection.run(f"PRAGMA user_version={step.version}")
    connection.run(
        "INSERT INTO schema_migrations (version, name, applied_by) VALUES (?, ?, ?)",
        (step.version, step.name, __version__),
    )


def _header(connection: Connection) -> tuple[int, int]:
    return connection.number("PRAGMA application_id"), schema_version(connection)


def _version(connection: Connection) -> int:
    """0 for an empty file, else the version of one of ours. All of it is read at the same moment."""
    with connection.reading():
        owner, version = _header(connection)
        objects = connection.number("SELECT count(*) FROM sqlite_master")
    if owner != APPLICATION_ID and (owner, version, objects) != (0, 0, 0):
        raise StoreError(
            connection.url, "this is a database of another program", "Choose another path; it was not changed"
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            connection.url,
            f"its schema has version {version}, this cfpm knows {len(MIGRATIONS)}",
            "Upgrade cfpm: pip install --upgrade cfpm",
        )
    return version


def _run_file(connection: Connection, name: str) -> None:
    """Runs the statements of a file one by one, because a script would end the transaction."""
    statement = ""
    for line in _FILES.joinpath(name).read_text(encoding="utf-8").splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.run(statement)
            statement = ""
