"""Raw SQL against each sealed table, the chain and the state: is each change found?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.tamper.samples import Outcome, chance, columns, copied, make, numbers, tamper
from cfpm import CFPMError, Memory
from cfpm.store.trail import SUBJECTS

PER_COLUMN = 3
_KEYS = frozenset({"id", "message_id", "key"})

_CHAIN = (
    "DELETE FROM trail_links WHERE number = {n}",
    "DELETE FROM trail_links WHERE number >= {n}",
    "UPDATE trail_links SET seal = randomblob(32) WHERE number = {n}",
    "UPDATE trail_links SET digests = randomblob(length(digests)) WHERE number = {n}",
    "UPDATE trail_links SET entries = entries || '; memory_turns removed 1 1' WHERE number = {n}",
    "UPDATE trail_links SET number = number + 100000 WHERE number = {n}",
)
_STATE = (
    "UPDATE store_state SET writes = writes + 1",
    "UPDATE store_state SET writes = writes - 1",
    "UPDATE store_state SET links = links - 1",
    "UPDATE store_state SET adopted = 1",
    "UPDATE store_state SET sealed = ''",
    "UPDATE store_state SET head = randomblob(32)",
    "UPDATE store_state SET last_seal = randomblob(32)",
    "UPDATE store_state SET \"database\" = 'another'",
    "DELETE FROM store_state",
)


def measure(folder: Path) -> Iterator[Outcome]:
    """Each kind of change, tried on copies of one store."""
    store = make(folder / "store.db")
    for table in SUBJECTS:
        yield _tried(f"{table}: edit", store, folder, _edits(store, table))
        yield _tried(f"{table}: delete", store, folder, _deletes(store, table))
        yield _tried(f"{table}: insert", store, folder, _inserts(store, table))
        yield _tried(f"{table}: reorder", store, folder, _swaps(store, table))
        yield _tried(f"{table}: truncate", store, folder, _cuts(store, table))
    links = numbers(store, "trail_links", "number")
    chain = [(form.format(n=number),) for form in _CHAIN for number in (1, len(links) // 2, links[-1])]
    yield _tried("chain", store, folder, chain)
    yield _tried("state", store, folder, [(statement,) for statement in _STATE])


def _tried(kind: str, store: Path, folder: Path, changes: Sequence[tuple[str, ...]]) -> Outcome:
    tried, missed = 0, []
    for statements in changes:
        copy = copied(store, folder / "copy")
        if tamper(copy, *statements):
            tried += 1
            if not is_noticed(copy):
                missed.append("; ".join(statements))
    return Outcome(kind, tried, tuple(missed))


def is_noticed(file: Path) -> bool:
    """Whether `verify` finds anything, or the file is refused."""
    try:
        with Memory.open(str(file), read_only=True) as memory:
            return bool(memory.verify())
    except CFPMError:
        return True


def _edits(store: Path, table: str) -> list[tuple[str, ...]]:
    rows, choices = numbers(store, table), chance()
    sql = (
        'UPDATE {t} SET "{c}" = CASE typeof("{c}") WHEN \'integer\' THEN "{c}" + 1 WHEN \'real\' THEN "{c}" / 2 + 0.1'
        " ELSE coalesce(\"{c}\", '') || 'x' END WHERE seq = {n}"
    )
    return [
        (sql.format(t=table, c=column, n=number),)
        for column in columns(store, table)
        for number in choices.sample(rows, min(PER_COLUMN, len(rows)))
    ]


def _deletes(store: Path, table: str) -> list[tuple[str, ...]]:
    return [(f"DELETE FROM {table} WHERE seq = {number}",) for number in numbers(store, table)]


def _inserts(store: Path, table: str) -> list[tuple[str, ...]]:
    names = columns(store, table)
    listed = ", ".join(f'"{name}"' for name in names)
    values = ", ".join(f"'new {name}'" if name in _KEYS else f'"{name}"' for name in names)
    rows = numbers(store, table)
    sql = "INSERT INTO {t} (seq, {l}) SELECT {n}, {v} FROM {t} WHERE seq = {s}"
    places = [(rows[-1] + 1, rows[0]), (rows[-1] + 9, rows[-1]), (0, rows[0]), (-5, rows[0])]
    return [(sql.format(t=table, l=listed, v=values, n=number, s=source),) for number, source in places]


def _swaps(store: Path, table: str) -> list[tuple[str, ...]]:
    rows = numbers(store, table)
    return [
        (
            f"UPDATE {table} SET seq = -99 WHERE seq = {one}",
            f"UPDATE {table} SET seq = {one} WHERE seq = {two}",
            f"UPDATE {table} SET seq = {two} WHERE seq = -99",
        )
        for one, two in pairwise(rows)
    ]


def _cuts(store: Path, table: str) -> list[tuple[str, ...]]:
    rows = numbers(store, table)
    last = "DELETE FROM {t} WHERE seq > {n}"
    # With the links that sealed them, and with the state as it stood then as far as it can be known.
    back = "DELETE FROM trail_links WHERE number > (SELECT max(number) FROM trail_links) - 3"
    state = (
        "UPDATE store_state SET links = (SELECT max(number) FROM trail_links),"
        " last_seal = (SELECT seal FROM trail_links ORDER BY number DESC LIMIT 1)"
    )
    cuts = [(last.format(t=table, n=rows[-1 - count]),) for count in (1, 2, len(rows) // 2, len(rows) - 1)]
    return [*cuts, *((*cut, back, state) for cut in cuts), (f"DELETE FROM {table}",)]
