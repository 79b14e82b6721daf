"""Messages that wait for an endpoint, kept on disk until it has taken them. Sends nothing, and judges nothing.

A message goes waiting -> batch -> acknowledged. A batch never changes once it is made, so that trying again sends the
same bytes under the same key. What was taken in once is known by name and is not taken in again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from cfpm.errors import StoreError
from cfpm.model import Message
from cfpm.private_files import keep_private, make_file
from cfpm_adapters.ledger import Ledger

NAMES_KEPT = 200_000
"""Names of messages that are kept to recognise them; older ones fall out, and the endpoint recognises them by id."""

MAX_BYTES = 64 * 1024 * 1024
"""Waiting text. Above it nothing is taken in until something has left; the host still has its history."""

BATCH_MESSAGES = 200
BATCH_BYTES = 256 * 1024
"""A batch ends before this, but has at least one message, however long."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Bytes to post, and the key by which the endpoint recognises them."""

    seq: int
    key: str
    body: bytes
    messages: int


Compose = Callable[[str, str, Sequence[str]], tuple[str, bytes]]
"""Agent, session and JSON of messages to a key and a body."""


@dataclass(slots=True)
class Outbox:
    """The part of a ledger that belongs to one endpoint, `provider`."""

    ledger: Ledger
    provider: str

    def enqueue(self, agent: str, session: str, messages: Sequence[Message], text_of: Callable[[Message], str]) -> int:
        """Keeps the messages that are new, by id; returns how many were. Raises StoreError when the outbox is full."""
        with self.ledger.writing() as db:
            fresh = [message for message in messages if self._is_new(db, f"{agent}\x1f{session}\x1f{message.id}")]
            if not fresh:
                return 0
            # A host hands over its whole history each time: only what is new is worth the work.
            texts = [text_of(message) for message in fresh]
            if self._size(db) + sum(map(len, texts)) > MAX_BYTES:
                raise StoreError(str(self.ledger.file), "the outbox is full", "See why nothing is sent: cfpm doctor")
            db.executemany(
                "INSERT INTO waiting (provider, agent, session, item) VALUES (?, ?, ?, ?)",
                [(self.provider, agent, session, text) for text in texts],
            )
            db.execute("DELETE FROM taken WHERE seq <= (SELECT max(seq) FROM taken) - ?", (NAMES_KEPT,))
            return len(fresh)

    def next_batch(self, compose: Compose) -> Batch | None:
        """The oldest batch that was neither acknowledged nor refused, made now if need be; None when nothing waits."""
        with self.ledger.writing() as db:
            if (found := self._oldest(db)) is None and self._freeze(db, compose):
                found = self._oldest(db)
            return found

    def acknowledge(self, batch: Batch) -> None:
        """The endpoint has taken it: it is never sent again."""
        with self.ledger.writing() as db:
            db.execute("DELETE FROM batches WHERE seq = ?", (batch.seq,))

    def refuse(self, batch: Batch, reason: str) -> None:
        """The endpoint will never take it: it is kept, so that somebody can look, and the others may pass."""
        with self.ledger.writing() as db:
            db.execute("UPDATE batches SET refused = ? WHERE seq = ?", (reason, batch.seq))

    def requeue_refused(self) -> int:
        """Refused batches wait again; returns how many."""
        with self.ledger.writing() as db:
            return db.execute(
                "UPDATE batches SET refused = '' WHERE provider = ? AND refused <> ''", (self.provider,)
            ).rowcount

    @contextmanager
    def send_lock(self, name: str) -> Iterator[bool]:
        """Whether this process may send now: one at a time, and a process that dies lets go."""
        file = self.ledger.file.with_name(f"{self.ledger.file.name}-{name}.lock")
        make_file(file)
        keep_private(file)
        lock = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                yield False
            else:
                yield True
        finally:
            lock.close()

    @staticmethod
    def _size(db: sqlite3.Connection) -> int:
        waiting = db.execute("SELECT coalesce(sum(length(item)), 0) FROM waiting").fetchone()[0]
        return int(waiting + db.execute("SELECT coalesce(sum(length(body)), 0) FROM batches").fetchone()[0])

    def _is_new(self, db: sqlite3.Connection, name: str) -> bool:
        return (
            db.execute("INSERT OR IGNORE INTO taken (provider, key) VALUES (?, ?)", (self.provider, name)).rowcount == 1
        )

    def _oldest(self, db: sqlite3.Connection) -> Batch | None:
        row = db.execute(
            "SELECT seq, key, body, messages FROM batches WHERE provider = ? AND refused = '' ORDER BY seq LIMIT 1",
            (self.provider,),
        ).fetchone()
        return Batch(*row) if row else None

    def _freeze(self, db: sqlite3.Connection, compose: Compose) -> bool:
        """Makes a batch of the oldest messages of one agent and session; False when none wait."""
        rows = db.execute(
            "SELECT seq, agent, session, item FROM waiting WHERE provider = ? ORDER BY seq LIMIT ?",
            (self.provider, BATCH_MESSAGES),
        ).fetchall()
        size = 0
        chosen: list[tuple[int, str, str, str]] = []
        for row in rows:
            size += len(row[3].encode())
            if row[1:3] != rows[0][1:3] or (chosen and size > BATCH_BYTES):
                break
            chosen.append(row)
        if not chosen:
            return False
        key, body = compose(chosen[0][1], chosen[0][2], [row[3] for row in chosen])
        db.execute(
            "INSERT OR IGNORE INTO batches (provider, key, body, messages) VALUES (?, ?, ?, ?)",
            (self.provider, key, body, len(chosen)),
        )
        db.execute("DELETE FROM waiting WHERE provider = ? AND seq <= ?", (self.provider, chosen[-1][0]))
        return True
