"""What providers remember between runs, in one small SQLite file: failures for `cfpm doctor`, and room for an outbox.

Not for memories: losing this file loses counts, and deltas that were not sent yet.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

from cfpm.errors import StoreError
from cfpm.model.clock import Clock, to_text, utc_now
from cfpm.model.ids import digest
from cfpm.paths.private_files import keep_private, make_file, make_folder
from cfpm.secrets import redact

FILE_VARIABLE = "CFPM_PROVIDERS"
"""Names the file for all providers and for `cfpm doctor`."""

FILE_NAME = "providers.db"

VERSION = 2
"""2 keeps names of messages as hashes."""

MAX_DETAIL = 300
"""Characters of a failure that are kept."""

BUSY = 30.0
"""Seconds to wait for another writer, as the store does: transactions take milliseconds, but a machine may be busy."""

BUSY_NOTE = 2.0
"""Seconds to wait with a note, for which no turn should be held up."""

POLL = 0.01
"""Seconds between two tries. SQLite itself soon asks only every 0.1 s, and not at all for some locks."""

NOTED = timedelta(minutes=10)
"""How long a note that something works counts as new."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS failures (
  provider TEXT NOT NULL, verb TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, detail TEXT NOT NULL,
  first_at TEXT NOT NULL, last_at TEXT NOT NULL, PRIMARY KEY (provider, verb, kind)
) STRICT;
CREATE TABLE IF NOT EXISTS outcomes (
  provider TEXT NOT NULL, verb TEXT NOT NULL, ok INTEGER NOT NULL, detail TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (provider, verb)
) STRICT;
CREATE TABLE IF NOT EXISTS waiting (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
  item TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS batches (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL,
  messages INTEGER NOT NULL, refused TEXT NOT NULL DEFAULT '', UNIQUE (provider, key)
) STRICT;
CREATE TABLE IF NOT EXISTS taken (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (provider, key)
) STRICT;
"""


def default_file() -> Path:
    """The variable CFPM_PROVIDERS, else a file in this user's data folder."""
    if named := os.environ.get(FILE_VARIABLE, "").strip():
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("cfpm", appauthor=False) / FILE_NAME


class Ledger:
    """Opened on first use, so that making a provider touches no disk. Any number of threads and processes."""

    def __init__(self, file: Path, clock: Clock = utc_now) -> None:
        self.file = file
        self.clock = clock
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._noted: dict[tuple[str, str], datetime] = {}

    def record_failure(self, provider: str, verb: str, kind: str, detail: str) -> None:
        """Counts a failure. A ledger that cannot be written is no second failure."""
        now = to_text(self.clock()) or ""
        text = redact(detail).text[:MAX_DETAIL]
        with suppress(sqlite3.Error, OSError, StoreError), self.writing(BUSY_NOTE) as db:
            db.execute(
                "INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " count = count + 1, detail = excluded.detail, last_at = excluded.last_at",
                (provider, verb, kind, text, now, now),
            )
            self._outcome(db, provider, verb, ok=False, detail=f"{kind}: {text}", at=now)
            self._noted.pop((provider, verb), None)

    def record_success(self, provider: str, verb: str) -> None:
        """Notes that a verb works; writes only when it did not before, or a while ago, since others may have failed."""
        now = self.clock()
        if (noted := self._noted.get((provider, verb))) is not None and now - noted < NOTED:
            return
        with suppress(sqlite3.Error, OSError, StoreError), self.writing(BUSY_NOTE) as db:
            self._outcome(db, provider, verb, ok=True, detail="", at=to_text(now) or "")
            self._noted[provider, verb] = now

    @contextmanager
    def writing(self, seconds: float = BUSY) -> Iterator[sqlite3.Connection]:
        """One transaction, as a whole or not at all. Waits `seconds` for other writers.

        Raises sqlite3.Error, OSError, StoreError.
        """
        with self._lock:
            db = self._open(seconds)
            _execute(db, "BEGIN IMMEDIATE", seconds)
            try:
                yield db
                _execute(db, "COMMIT", seconds)
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def clean(self) -> bool:
        """Rewrites the file without what was deleted; False while another process reads it. Raises sqlite3.Error."""
        with self._lock:
            db = self._open(BUSY)
            _execute(db, "VACUUM", BUSY)
            busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @staticmethod
    def _outcome(db: sqlite3.Connection, provider: str, verb: str, *, ok: bool, detail: str, at: str) -> None:
        db.execute("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?)", (provider, verb, ok, detail, at))

    def _open(self, seconds: float) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self.file, seconds)
        return self._connection


def message_hash(session: str, message: str) -> str:
    """What stands for a message where its session and its id are not to be told: 20 hex digits of the SHA-256 of the
    session, U+001F and the id."""
    return digest(session, message)


def message_name(agent: str, session: str, message: str) -> str:
    """The name under which an outbox knows a message."""
    return f"{agent}\x1f{message_hash(session, message)}"


def _hash_names(db: sqlite3.Connection) -> None:
    for seq, key in db.execute("SELECT seq, key FROM taken").fetchall():
        agent, _, rest = key.partition("\x1f")
        session, _, message = rest.rpartition("\x1f")
        db.execute("UPDATE OR REPLACE taken SET key = ? WHERE seq = ?", (message_name(agent, session, message), seq))


def _execute(db: sqlite3.Connection, statement: str, seconds: float) -> None:
    """Runs a statement that takes a lock, again and again while another connection has it. Raises sqlite3.Error."""
    until = monotonic() + seconds
    while True:
        try:
            db.execute(statement)
        except sqlite3.OperationalError as error:
            # The last byte says what happened, the others why.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(POLL)
        else:
            return


def _connect(file: Path, seconds: float) -> sqlite3.Connection:
    make_folder(file.parent)
    if file.parent == default_file().parent:
        keep_private(file.parent)
    # What waits in it are words of a conversation: for this user only.
    make_file(file)
    for ending in ("", "-wal", "-shm"):
        keep_private(file.with_name(file.name + ending))
    db = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        _execute(db, "PRAGMA journal_mode = WAL", seconds)
        db.execute("PRAGMA synchronous = FULL")
        # What has left is not to stay in the file: it is words of a conversation.
        db.execute("PRAGMA secure_delete = ON")
        _execute(db, "BEGIN IMMEDIATE", seconds)
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreError(str(file), f"version {version} is newer than this program", "Update cfpm")
        for statement in _SCHEMA.split(";\n"):
            db.execute(statement)
        if version == 1:
            _hash_names(db)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        # Also when interrupted or cancelled: an open ledger must not stay behind. Raised again as it came.
        db.close()
        raise
    return db
