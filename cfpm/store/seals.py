"""Finds what was edited, removed, inserted, moved or cut off in the sealed tables. Reads only."""

from __future__ import annotations

from dataclasses import dataclass, field
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

from cfpm.errors import StoreError
from cfpm.store.driver_errors import is_of_the_file
from cfpm.store.trail import (
    ADDED,
    CHANGED,
    DIGEST_BYTES,
    ERASED,
    REMOVED,
    RESEALED,
    ROWS,
    SUBJECTS,
    entries_of,
    head_seal,
    link_seal,
    read_state,
    row_digests,
)
from cfpm.store.watch import Head, read_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.store.connection import Connection
    from cfpm.store.trail import State, Trail

_LINKS = "SELECT number, entries, digests, seal FROM trail_links ORDER BY number"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it was sealed: where it is, such as `memory_candidates 17`, and what is wrong."""

    place: str
    problem: str


@dataclass(slots=True)
class _Expected:
    """What the chain says of each table: the digest of every row that must be there."""

    digests: dict[str, dict[int, bytes]] = field(default_factory=lambda: {table: {} for table in SUBJECTS})
    links: int = 0
    last_seal: bytes = b""


def verify(connection: Connection, trail: Trail) -> list[Finding]:
    """All that is not as it was sealed; takes as long as reading the file once, and a hundred bytes for each row.

    Raises StoreError when the key is not there, for then nothing can be said.
    """
    # Before the state: another process may commit in between, and a head is written after its transaction.
    head = _head_beside(connection)
    with connection.reading():
        state = read_state(connection)
        if state is None:
            return list(_unsealed(connection))
        key = trail.key(state)
        expected = _Expected()
        found = [*_chain(connection, key, expected), *_whole(key, state, expected, head)]
        for table in SUBJECTS:
            found += _rows(connection, key, table, expected.digests[table])
        return found


def _unsealed(connection: Connection) -> Iterator[Finding]:
    """A file with links and no state had one."""
    if connection.number("SELECT count(*) FROM trail_links"):
        yield Finding("store_state", "the row is gone")


def _chain(connection: Connection, key: bytes, expected: _Expected) -> Iterator[Finding]:
    for number, entries, digests, seal in connection.each(_LINKS):
        place = f"trail_links {number}"
        if number != expected.links + 1:
            yield Finding(place, f"links {expected.links + 1} to {number - 1} are gone")
        try:
            sound = compare_digest(link_seal(key, expected.last_seal, number, entries, digests), seal)
        except (TypeError, ValueError):
            sound = False
        if sound:
            _take(expected.digests, entries, digests)
        else:
            yield Finding(place, "the link, or the one before it, is not what was sealed")
        expected.links, expected.last_seal = number, seal


def _take(known: dict[str, dict[int, bytes]], entries: str, digests: bytes) -> None:
    at = 0
    for table, action, first, rows in entries_of(entries):
        if action in (ADDED, CHANGED, ERASED):
            for number in range(first, first + rows):
                known[table][number] = digests[at : at + DIGEST_BYTES]
                at += DIGEST_BYTES
        elif action == REMOVED:
            for number in range(first, first + rows):
                known[table].pop(number, None)
        elif action != RESEALED:
            raise ValueError(f"a sealed link of an unknown kind {action!r}")


def _head_beside(connection: Connection) -> Head | None:
    if connection.watch is None:
        return None
    try:
        return read_head(connection.watch.path)
    except PermissionError:
        return None


def _whole(key: bytes, state: State, expected: _Expected, head: Head | None) -> Iterator[Finding]:
    if not isinstance(state.head, bytes) or not compare_digest(head_seal(key, state), state.head):
        yield Finding("store_state", "the row is not what was sealed")
    if state.links != expected.links or state.last_seal != expected.last_seal:
        yield Finding("trail_links", f"there are {expected.links} links, {state.links} were sealed")
    if head is not None and (head.database != state.database or head.writes > state.writes):
        yield Finding("store_state", f"{state.writes} transactions are there, {head.writes} were committed")


def _rows(connection: Connection, key: bytes, table: str, wanted: dict[int, bytes]) -> Iterator[Finding]:
    left = dict(wanted)
    for row in _readable(connection, table):
        digest = left.pop(row[0], None)
        if digest is None:
            yield Finding(f"{table} {row[0]}", "the row was inserted")
        elif not compare_digest(row_digests(key, table, [row]), digest):
            yield Finding(f"{table} {row[0]}", "the row was edited")
    for number in sorted(left):
        yield Finding(f"{table} {number}", "the row was removed")


def _readable(connection: Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows in order; of one that cannot be read, as with text that is no UTF-8, only its number."""
    last = -(2**63)
    while True:
        try:
            # One by one, so that those before a bad one are not lost with it.
            for (row,) in connection.parts(f"{ROWS[table]} WHERE seq > ? ORDER BY seq", (last,), 1):
                yield row
                last = row[0]
        except StoreError as error:
            if is_of_the_file(error):
                raise
            last = connection.number(f"SELECT min(seq) FROM {table} WHERE seq > ?", (last,))
            yield (last,)
        else:
            return
