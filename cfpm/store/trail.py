"""The chain that seals what was said and decided: each transaction adds keyed hashes of its rows, linked to the last.

Who has no key can change a row but not its seal, nor drop the last ones. Who has the key can seal anything: it guards
against other programs, other users and thieves of a copy, not against the user. Finding what was changed is `seals.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from marshal import dumps
from os import urandom
from typing import TYPE_CHECKING, Any

from cfpm.errors import StoreError
from cfpm.store.key_sources import key_id, sealing_key
from cfpm.store.schema import insert_into, listed, types

if TYPE_CHECKING:
    from pathlib import Path

    from cfpm.store.connection import Connection, Row

SUBJECTS = (
    "memory_turns",
    "memory_facts",
    "memory_candidates",
    "memory_events",
    "recall_events",
    "gate_events",
    "erasures",
    "memory_approvals",
)
"""The tables whose rows are sealed: all that is not derived from them."""

DIGEST_BYTES = 16
"""Of SHA-256: 128 bits, which nobody hits by chance."""

RUN = 4_096
"""Rows of one link at most, so that a large import stays a handful of links and each fits into memory."""

ADDED, CHANGED, ERASED, REMOVED, RESEALED = "added", "changed", "erased", "removed", "resealed"

ROWS = {table: f"SELECT seq, {listed(tuple(types(table)))} FROM {table}" for table in SUBJECTS}
"""How the rows of each table are read to be sealed."""

_NEW_ROWS = {table: f"{sql} WHERE seq > ? ORDER BY seq LIMIT {RUN}" for table, sql in ROWS.items()}

_STATE = 'SELECT "database", writes, adopted, links, key_id, sealed, last_seal, head'
_STATE_ALONE = f"{_STATE} FROM store_state WHERE id = 1"
_NEWEST = ", ".join(f"(SELECT max(seq) FROM {table})" for table in SUBJECTS)
_STATE_AND_NEWEST = f"{_STATE}, {_NEWEST} FROM store_state WHERE id = 1"
_FIRST_STATE = (
    'INSERT INTO store_state (id, "database", writes, adopted, links, key_id, sealed, last_seal, head)'
    " VALUES (1, ?, 0, 0, 0, '', '', x'', x'') ON CONFLICT DO NOTHING"
)
_STORE = (
    "UPDATE store_state SET writes = ?, adopted = ?, links = ?, key_id = ?, sealed = ?, last_seal = ?, head = ?"
    " WHERE id = 1"
)
_LINK = insert_into("trail_links", ("number", "entries", "digests", "seal"))

_WATCHING = (
    "CREATE TEMP TABLE touched_rows (subject TEXT, seq INTEGER, PRIMARY KEY (subject, seq)) WITHOUT ROWID",
    *(
        f"CREATE TEMP TRIGGER note_{verb.lower()}_{table} AFTER {verb} ON main.{table}"
        f" BEGIN INSERT OR IGNORE INTO touched_rows VALUES ('{table}', old.seq); END"
        for table in SUBJECTS
        for verb in ("UPDATE", "DELETE")
    ),
)
_NOT_WATCHING = (
    *(f"DROP TRIGGER temp.note_{verb}_{table}" for table in SUBJECTS for verb in ("update", "delete")),
    "DROP TABLE temp.touched_rows",
)

Entry = tuple[str, str, int, int]
"""What a link says of a run of rows: the table, the action, the `seq` of the first, and how many there are."""


def keyed_hash(key: bytes, about: bytes, size: int = 32) -> bytes:
    """BLAKE2b with a key: a third of the time of an HMAC, which every row of a turn takes."""
    return blake2b(about, key=key, digest_size=size).digest()


def canonical(values: tuple[Any, ...]) -> bytes:
    """The same bytes for the same values, in every version of Python: this format of `marshal` is frozen, and takes a
    tenth of the time of JSON. It is only hashed, never read."""
    return dumps(values, 2)


@dataclass(slots=True)
class State:
    """The row of `store_state`."""

    database: str
    writes: int = 0
    adopted: bool = False
    links: int = 0
    key_id: str = ""
    sealed: dict[str, int] = field(default_factory=dict)
    last_seal: bytes = b""
    head: bytes = b""
    newest: dict[str, int] = field(default_factory=dict)
    """The last `seq` of each table, which is no part of the row."""
    entries: list[Entry] = field(default_factory=list)
    """What the next link says."""
    digests: bytearray = field(default_factory=bytearray)

    def sealed_text(self) -> str:
        """The last sealed rows as the row keeps them."""
        return " ".join(f"{table}={number}" for table, number in self.sealed.items())


def row_digests(key: bytes, table: str, rows: Iterable[Row]) -> bytes:
    """The keyed hashes of rows as SQLite gives them, the `seq` first, one after the other."""
    begun = blake2b(table.encode(), key=key, digest_size=DIGEST_BYTES)
    digests = []
    for row in rows:
        digest = begun.copy()
        digest.update(dumps(row, 2))
        digests.append(digest.digest())
    return b"".join(digests)


def link_seal(key: bytes, before: bytes, number: int, entries: str, digests: bytes) -> bytes:
    """The seal of a link behind the one with the seal `before`."""
    return keyed_hash(key, canonical(("link", before, number, entries, digests)))


def head_seal(key: bytes, state: State) -> bytes:
    """The keyed hash of all that the state says."""
    said = (state.database, state.writes, state.adopted, state.links, state.key_id, state.sealed_text())
    return keyed_hash(key, canonical(("head", *said, state.last_seal)))


def entries_text(entries: Iterable[Entry]) -> str:
    """The entries of a link as it keeps them."""
    return "; ".join(f"{table} {action} {first} {rows}" for table, action, first, rows in entries)


def entries_of(text: str) -> list[Entry]:
    """The reverse of `entries_text`."""
    parts = (entry.split(" ") for entry in text.split("; "))
    return [(table, action, int(first), int(rows)) for table, action, first, rows in parts]


def read_state(connection: Connection) -> State | None:
    """How far the file is, or None when nothing was sealed in it yet. Raises StoreError for a row that makes no
    sense."""
    row = connection.row(_STATE_ALONE)
    return None if row is None else _state_from(connection.url, row)


def _state_from(url: str, row: Row) -> State:
    database, writes, adopted, links, name, sealed, last_seal, head, *newest = row
    numbers = {table: number or 0 for table, number in zip(SUBJECTS, newest, strict=False)}
    try:
        done = {table: int(number) for table, number in (part.split("=") for part in sealed.split())}
        return State(database, int(writes), bool(adopted), int(links), name, done, last_seal, head, numbers)
    except (ValueError, TypeError, AttributeError) as error:
        problem = "its row store_state was edited"
        raise StoreError(url, problem, "Restore a backup: cfpm restore BACKUP") from error


def runs(numbers: Iterable[int]) -> Iterator[list[int]]:
    """The numbers, sorted, in runs without a gap of at most `RUN`."""
    run: list[int] = []
    for number in sorted(set(numbers)):
        if run and (number != run[-1] + 1 or len(run) == RUN):
            yield run
            run = []
        run.append(number)
    if run:
        yield run


class Trail:
    """Seals the rows of one open connection. Every call belongs to the running transaction, and raises StoreError when
    the key is not there."""

    def __init__(self, connection: Connection, key_file: Path | None) -> None:
        self._db = connection
        self._key_file = key_file
        self._own_key = b"" if key_file else urandom(32)
        self._keys: dict[str, bytes] = {}
        self._touched: dict[str, set[int]] = {}
        self._touched_in = 0

    def seal(self) -> State:
        """Seals what the transaction added, and counts it: called right before each commit. Returns how far the file is
        with it."""
        state = self._current()
        before = dict(state.sealed)
        self._add_new(state)
        for table, numbers in self._touched_now().items():
            last = before.get(table, 0)
            self._note_changed(state, table, CHANGED, (number for number in numbers if number <= last))
        self._touched.clear()
        # Of a new file the head beside it is written after this.
        state.adopted = state.writes == 0
        state.writes += 1
        self._store(state)
        return state

    def changed(self, table: str, numbers: Iterable[int]) -> None:
        """Says which rows, by their `seq`, the transaction changes: they are sealed anew with its commit."""
        self._touched_now().setdefault(table, set()).update(numbers)

    def remove(self, table: str, numbers: Sequence[int]) -> int:
        """Deletes rows by their `seq`, on record; returns how many."""
        with self._db.atomic():
            state = self._current()
            self._add_new(state)
            removed = 0
            for run in runs(numbers):
                removed += self._db.run(f"DELETE FROM {table} WHERE seq BETWEEN ? AND ?", (run[0], run[-1]))
                state.entries.append((table, REMOVED, run[0], len(run)))
            # SQLite gives the numbers of the last rows again.
            state.sealed[table] = self._db.number(f"SELECT max(seq) FROM {table}")
            self._store(state)
        return removed

    @contextmanager
    def on_record(self, action: str) -> Iterator[None]:
        """All that the running transaction changes or deletes inside becomes a link with this action, whatever the
        statements: triggers that only this connection has note the rows."""
        with self._db.atomic():
            state = self._current()
            self._add_new(state)
            self._store(state)
            for statement in _WATCHING:
                self._db.run(statement)
            yield
            noted = self._db.rows("SELECT subject, seq FROM temp.touched_rows")
            for statement in _NOT_WATCHING:
                self._db.run(statement)
            state = self._current()
            for table in SUBJECTS:
                there = self._there(table, [seq for name, seq in noted if name == table])
                gone = {seq for name, seq in noted if name == table} - there
                state.entries += [(table, REMOVED, run[0], len(run)) for run in runs(gone)]
                self._note_changed(state, table, action, (seq for seq in there if seq <= state.sealed.get(table, 0)))
                if gone:
                    state.sealed[table] = min(state.sealed[table], state.newest[table])
            self._store(state)

    def adopt(self) -> None:
        """Says that the file is all there is: what stands beside it is older, or is not there."""
        with self._db.atomic():
            if (state := read_state(self._db)) is not None:
                state.adopted = True
                self._store(state)

    def reseal(self) -> int:
        """Begins the chain anew, over the rows as they are now, with the key that is there or a new one; returns the
        number of rows. What was changed before is not found any more."""
        with self._db.atomic():
            old = read_state(self._db)
            self._db.run("DELETE FROM trail_links")
            state = State(old.database if old else urandom(16).hex(), old.writes if old else 0)
            self._db.run(_FIRST_STATE, (state.database,))
            state.newest = dict.fromkeys(SUBJECTS, 2**63 - 1)
            self._keys.clear()
            state.entries.append(("trail_links", RESEALED, 1, old.links if old else 0))
            self._add_new(state)
            self._store(state)
        return self._db.number(f"SELECT {' + '.join(f'(SELECT count(*) FROM {table})' for table in SUBJECTS)}")

    def key(self, state: State) -> bytes:
        """The key of the chain; it is made for the first link. Raises StoreError when it is another one or lost."""
        if found := self._keys.get(state.key_id):
            return found
        create = not state.key_id and not self._db.read_only
        key = self._own_key or sealing_key(self._key_file, self._db.url, create=create)
        if key is None:
            raise StoreError(
                self._db.url,
                f"the key that seals its audit trail is not there ({self._key_file})",
                "Put the file back from a copy, or begin a new trail: cfpm audit reseal",
            )
        if state.key_id and key_id(key) != state.key_id:
            raise StoreError(
                self._db.url,
                "its audit trail was sealed with another key",
                "Set CFPM_AUDIT_KEY or put the key file back as it was, or begin a new trail: cfpm audit reseal",
            )
        self._keys[key_id(key)] = key
        return key

    def _current(self) -> State:
        found = self._db.at_once(_STATE_AND_NEWEST)
        if found:
            return _state_from(self._db.url, found[0])
        state = State(urandom(16).hex(), newest=dict.fromkeys(SUBJECTS, 2**63 - 1))
        self._db.run(_FIRST_STATE, (state.database,))
        return state

    def _add_new(self, state: State) -> None:
        for table, newest in state.newest.items():
            done = state.sealed.get(table, 0)
            while newest > done:
                found = self._db.at_once(_NEW_ROWS[table], (done,))
                if not found:
                    break
                self._note_rows(state, table, found)
                done = state.sealed[table] = found[-1][0]
                if len(state.digests) > RUN * DIGEST_BYTES:
                    self._link(state)

    def _note_rows(self, state: State, table: str, found: Sequence[Row]) -> None:
        """Their digests, in runs without a gap."""
        key = self.key(state)
        first, last = found[0][0], found[-1][0]
        if last - first + 1 == len(found):
            state.entries.append((table, ADDED, first, len(found)))
        else:
            state.entries += [(table, ADDED, run[0], len(run)) for run in runs(row[0] for row in found)]
        state.digests += row_digests(key, table, found)

    def _digests(self, state: State, table: str, run: Sequence[int]) -> bytes:
        key = self.key(state)
        found = self._db.rows(f"{ROWS[table]} WHERE seq BETWEEN ? AND ? ORDER BY seq", (run[0], run[-1]))
        if len(found) != len(run):
            raise ValueError(f"not all of {table} {run[0]} to {run[-1]} are there to be sealed")
        return row_digests(key, table, found)

    def _note_changed(self, state: State, table: str, action: str, numbers: Iterable[int]) -> None:
        for run in runs(numbers):
            state.entries.append((table, action, run[0], len(run)))
            state.digests += self._digests(state, table, run)

    def _there(self, table: str, numbers: Sequence[int]) -> set[int]:
        """Which of these rows are there."""
        return {seq for (seq,) in self._db.among(f"SELECT seq FROM {table} WHERE seq IN ({{wanted}})", (), numbers)}

    def _touched_now(self) -> dict[str, set[int]]:
        """What was said to be changed in this transaction; nothing of one that was rolled back."""
        if self._touched_in != self._db.transaction:
            self._touched.clear()
            self._touched_in = self._db.transaction
        return self._touched

    def _link(self, state: State) -> None:
        """Writes what was noted as one link."""
        if not state.entries:
            return
        key = self.key(state)
        state.key_id = state.key_id or key_id(key)
        state.links += 1
        entries, digests = entries_text(state.entries), bytes(state.digests)
        state.last_seal = link_seal(key, state.last_seal, state.links, entries, digests)
        self._db.at_once(_LINK, (state.links, entries, digests, state.last_seal))
        state.entries.clear()
        state.digests.clear()

    def _store(self, state: State) -> None:
        self._link(state)
        key = self.key(state)
        state.key_id = state.key_id or key_id(key)
        state.head = head_seal(key, state)
        self._db.at_once(
            _STORE,
            (
                state.writes,
                state.adopted,
                state.links,
                state.key_id,
                state.sealed_text(),
                state.last_seal,
                state.head,
            ),
        )
