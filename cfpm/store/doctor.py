"""Is the store healthy? Every check reads; none repairs. Not for judging what is believed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.errors import StoreError
from cfpm.store.export_format import KINDS
from cfpm.store.facts import LEARNT
from cfpm.store.location import MEMORY
from cfpm.store.mending import faults
from cfpm.store.migrations import MIGRATIONS, schema_version
from cfpm.store.schema import INDICES, listed
from cfpm.store.seals import verify
from cfpm.store.search import SEARCHED
from cfpm.transcript.arguments import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfpm.store.connection import Connection
    from cfpm.store.store import Store

MIN_FREE_BYTES = 256 * 1024 * 1024
"""Under this a large import could fill the disk."""

NAMED = 5
"""Rows that are named where something is wrong with many."""

_EXPORT = "Run `cfpm export`, and `cfpm import` it into a new file"
_WRONG_COUNTS = f"""
WITH real AS (
  SELECT namespace, category, count(*) AS active, sum({LEARNT}) AS learnt
  FROM memory_facts WHERE status = 'active' GROUP BY 1, 2
), kept AS (SELECT namespace, category, active, learnt FROM fact_counts WHERE active <> 0 OR learnt <> 0)
SELECT count(*) FROM (SELECT * FROM real EXCEPT SELECT * FROM kept) UNION ALL
SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM real)
"""
_WRONG_VERDICTS = """
WITH real AS (SELECT namespace, decision, reason, category, count(*) FROM memory_candidates GROUP BY 1, 2, 3, 4),
kept AS (SELECT * FROM candidate_counts WHERE candidates <> 0)
SELECT count(*) FROM (SELECT * FROM real EXCEPT SELECT * FROM kept) UNION ALL
SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM real)
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `detail` says what was found and, if it is not ok, what to do."""

    name: str
    ok: bool
    detail: str


def diagnose(store: Store) -> list[Check]:
    """Examines the whole file; takes as long as reading it once. A check that cannot be made is not ok."""
    checks = (
        _integrity,
        _journal,
        _schema,
        _rows,
        _turns_text,
        _calls_text,
        _facts_text,
        _documents_text,
        _deeds,
        _vectors,
        _counts,
        _trail,
        _erasures,
    )
    return [*(_made(check, store) for check in checks), _disk(store)]


def _integrity(store: Store) -> Check:
    found = [text for (text,) in store.connection.rows("PRAGMA integrity_check(5)")]
    if found == ["ok"]:
        return Check("integrity", True, "every page and index is sound")
    return Check("integrity", False, f"{'; '.join(found)}. {_EXPORT}, or restore a backup")


def _journal(store: Store) -> Check:
    row = store.connection.row("PRAGMA journal_mode")
    mode = str(row[0]) if row else ""
    wanted = "memory" if store.connection.path == MEMORY else "wal"
    remedy = "" if mode == wanted else ". Open it once for writing with no other process on it"
    return Check("journal", mode == wanted, f"journal mode {mode}{remedy}")


def _schema(store: Store) -> Check:
    version, latest = schema_version(store.connection), len(MIGRATIONS)
    steps = store.connection.number("SELECT count(*) FROM schema_migrations")
    # Listings of the audit trail name theirs, and fail without it.
    there = {name for (name,) in store.connection.rows("SELECT name FROM sqlite_master WHERE type = 'index'")}
    lost = sorted(INDICES - there)
    remedy = f", without the indices {', '.join(lost)}. {_EXPORT}" if lost else ""
    ok = version == latest == steps and not lost
    return Check("schema", ok, f"version {version} of {latest}, {steps} steps in the ledger{remedy}")


def _rows(store: Store) -> Check:
    """Rows that hold what this program never writes: they are read as if nobody believed them."""
    bad: list[str] = []
    count = 0
    for kind in KINDS:
        for row in store.connection.each(f"SELECT {listed(tuple(kind.columns))} FROM {kind.table}"):
            if wrong := faults(kind.table, row):
                count += 1
                ident = dict(zip(kind.columns, row, strict=True))
                named = next((ident[name] for name in ("id", "message_id", "fact_id") if name in ident), "")
                bad += [f"{kind.name} {shown(named)} ({', '.join(wrong)})"] if count <= NAMED else []
    if not count:
        return Check("rows", True, "every row is one that cfpm writes")
    told = "; ".join(bad) + (f" and {count - NAMED} more" if count > NAMED else "")
    return Check("rows", False, f"{count} rows are none that cfpm writes, and are not believed: {told}. {_EXPORT}")


def _turns_text(store: Store) -> Check:
    wanted = f"SELECT count(*) FROM memory_turns WHERE {SEARCHED}"
    return _full_text(store.connection, "turns_text", wanted)


def _calls_text(store: Store) -> Check:
    behind = store.call_index.behind()
    remedy = ". Run `cfpm reindex`" if behind else ""
    return Check("calls_text", behind == 0, f"{behind} messages whose tool calls are not searched{remedy}")


def _facts_text(store: Store) -> Check:
    return _full_text(store.connection, "facts_text", "SELECT count(*) FROM memory_facts")


def _documents_text(store: Store) -> Check:
    return _full_text(store.connection, "documents_text", "SELECT count(*) FROM document_chunks")


def _deeds(store: Store) -> Check:
    behind, strays = store.deeds.behind(), store.deeds.strays()
    remedy = f". {_EXPORT}" if strays else ". Run `cfpm reindex`" if behind else ""
    told = f"{behind} messages whose deeds are not listed, {strays} deeds without their message{remedy}"
    return Check("deeds", not behind and not strays, told)


def _vectors(store: Store) -> Check:
    embedder = store.vectors.embedder
    if embedder is None:
        return Check("vectors", True, "not wanted: words alone find messages and facts")
    behind, unread = store.vectors.behind(), store.sentence_vectors.behind()
    remedy = ". Run `cfpm reindex`" if behind or unread else ""
    told = f"{behind} rows without a vector of {embedder.name}, {unread} messages not read by sentences"
    # Those are found all the same, and only ranked as in an older version.
    return Check("vectors", behind == 0, f"{told}{remedy}")


def _full_text(connection: Connection, name: str, wanted: str) -> Check:
    # The words of calls stand under negative numbers: see `call_index`.
    have, want = connection.number(f"SELECT count(*) FROM {name}_docsize WHERE id > 0"), connection.number(wanted)
    return Check(name, have == want, f"{have} of {want} rows indexed" + ("" if have == want else f". {_EXPORT}"))


def _counts(store: Store) -> Check:
    wrong = sum(count for sql in (_WRONG_COUNTS, _WRONG_VERDICTS) for (count,) in store.connection.rows(sql))
    remedy = f". {_EXPORT}" if wrong else ""
    return Check("counts", wrong == 0, f"{wrong} categories or verdicts miscounted{remedy}")


def _trail(store: Store) -> Check:
    found = verify(store.connection, store.trail)
    if not found:
        return Check("trail", True, "every row is as it was sealed")
    named = "; ".join(f"{one.place}: {one.problem}" for one in found[:NAMED])
    more = f"; and {len(found) - NAMED} more, see `cfpm audit verify`" if len(found) > NAMED else ""
    return Check("trail", False, f"{named}{more}. Restore a backup, or find out who wrote to the file")


def _erasures(store: Store) -> Check:
    records = store.erasure.records()
    left = sum(not record.finished for record in records)
    if left:
        remedy = "Run `cfpm purge` while no other process has it open"
        return Check("erasures", False, f"{left} of {len(records)} not finished: the file may hold bytes. {remedy}")
    return Check("erasures", True, f"{len(records)}, all finished")


def _disk(store: Store) -> Check:
    if store.connection.path == MEMORY:
        return Check("disk", True, "in memory")
    path = Path(store.connection.path)
    free, size = shutil.disk_usage(path.absolute().parent).free, path.stat().st_size
    ok = free >= MIN_FREE_BYTES
    detail = f"{free // 2**20} MiB free, the database has {size // 2**20} MiB"
    return Check("disk", ok, detail if ok else f"{detail}. Free some space")


def _made(check: Callable[[Store], Check], store: Store) -> Check:
    try:
        return check(store)
    except StoreError as error:
        return Check(check.__name__.removeprefix("_"), False, f"{error.problem}. {error.remedy}")
