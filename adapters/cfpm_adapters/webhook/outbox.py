"""Messages that wait for an endpoint, kept on disk until it has taken them. Sends nothing, and judges nothing.

A message goes waiting -> batch -> acknowledged. A batch never changes once it is made, so that trying again sends the
same bytes under the same key. What was taken in once is known by name and is not taken in again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from cfpm.errors import StoreError
from cfpm.model import Message
from cfpm.paths.private_files import keep_private, make_file
from cfpm_adapters.ledger import Ledger, message_hash, message_name
from cfpm_adapters.webhook.protocol import erase_body, save_key

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
            fresh = [message for message in messages if self._is_new(db, message_name(agent, session, message.id))]
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

    def erase(self, gone: Iterable[tuple[str, str, str]]) -> int:
        """Takes messages, given by session, id and text, out of what waits, and asks the other side to erase those
        that may have left; returns how many those are. Call `Ledger.clean` after it."""
        places = {(session, name): text for session, name, text in gone}
        with self.ledger.writing() as db:
            waited = self._unqueue(db, places)
            self._rewrite(db, places)
            asked = 0
            for agent, names in self._sent(db, places, waited).items():
                key, body = erase_body(agent, names)
                db.execute(
                    "INSERT OR IGNORE INTO batches (provider, key, body, messages) VALUES (?, ?, ?, ?)",
                    (self.provider, key, body, len(names)),
                )
                asked += len(names)
            return asked

    def _unqueue(self, db: sqlite3.Connection, places: Mapping[tuple[str, str], str]) -> set[str]:
        """Deletes what waits, and returns the names of what therefore never leaves."""
        texts = {text for text in places.values() if text}
        names = set()
        rows = "SELECT seq, agent, session, item FROM waiting WHERE provider = ?"
        for seq, agent, session, item in db.execute(rows, (self.provider,)).fetchall():
            said = json.loads(item)
            if (session, said.get("id")) in places or said.get("content") in texts:
                db.execute("DELETE FROM waiting WHERE seq = ?", (seq,))
                names.add(message_name(agent, session, str(said.get("id", ""))))
        return names

    def _rewrite(self, db: sqlite3.Connection, places: Mapping[tuple[str, str], str]) -> None:
        """Batches without the messages, under keys of their own; one that has none left is deleted."""
        texts = {text for text in places.values() if text}
        rows = "SELECT seq, body FROM batches WHERE provider = ?"
        for seq, raw in db.execute(rows, (self.provider,)).fetchall():
            body = json.loads(raw)
            session = body.get("session", "")
            kept = [
                said
                for said in body["history"]
                if (session, said.get("id")) not in places and said.get("content") not in texts
            ]
            if len(kept) == len(body["history"]):
                continue
            if not kept:
                db.execute("DELETE FROM batches WHERE seq = ?", (seq,))
                continue
            text = json.dumps({**body, "history": kept}, separators=(",", ":")).encode()
            db.execute(
                "UPDATE batches SET key = ?, body = ?, messages = ? WHERE seq = ?",
                (save_key(session, text), text, len(kept), seq),
            )

    def _sent(
        self, db: sqlite3.Connection, places: Iterable[tuple[str, str]], waited: set[str]
    ) -> dict[str, list[str]]:
        """The hashes of messages that were taken in and do not wait, by agent."""
        hashes = {message_hash(*place) for place in places}
        found: dict[str, list[str]] = {}
        for (name,) in db.execute("SELECT key FROM taken WHERE provider = ? ORDER BY seq", (self.provider,)):
            agent, _, told = name.rpartition("\x1f")
            if told in hashes and name not in waited:
                found.setdefault(agent, []).append(told)
        return found

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
