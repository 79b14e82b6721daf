"""`doctor` looks whether all is sound; `reindex` makes vectors; `purge` deletes what may be deleted.

What a Chroma beside the memory, or another provider, has to say comes from the adapters. They import this package and
never the reverse, so they are loaded by name.
"""

from __future__ import annotations

import platform
import sqlite3
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.location import database_url, default_file, sqlite_file
from cfpm.cli.options import DEFAULT_NAMESPACE, AsJson, Db, Namespace, open_to_change, open_to_read
from cfpm.cli.output import answer, progress_bar, show_json, show_table
from cfpm.cli.parser import Option
from cfpm.errors import InputError, StoreError, UsageError
from cfpm.model.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from cfpm.memory import Memory
    from cfpm.store.doctor import Check

EMBEDDERS = ("static", "onnx")

Chroma = Annotated[
    str | None, Option("--chroma", metavar="PATH|URL", help="The folder or address of a Chroma beside it.")
]
Embedder = Annotated[
    str | None,
    Option("--embedder", metavar="NAME", help="Of that Chroma: static or onnx. Default: that of the memory."),
]


def doctor(
    chroma: Chroma = None,
    embedder: Embedder = None,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Check the installation, the database and the providers.

    Exits with 1 when something is wrong.
    """
    checks = [*_installation(), *_database(db, namespace), *_providers(db), *_hooks(db)]
    if chroma is not None:
        checks += _chroma(chroma, embedder, db, namespace)
    sound = all(check.ok for check in checks)
    if as_json:
        rows = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        show_json({"ok": sound, "checks": rows})
    else:
        cells = [(check.name, "ok" if check.ok else "WRONG", check.detail) for check in checks]
        show_table(("check", "", "detail"), cells, wide="detail")
    if not sound:
        raise SystemExit(1)


def _installation() -> Iterator[Check]:
    from cfpm.store.doctor import Check

    yield Check("python", True, f"{platform.python_version()} on {platform.system()}")
    with sqlite3.connect(":memory:") as connection:
        options = {name for (name,) in connection.execute("PRAGMA compile_options")}
    connection.close()
    searchable = "ENABLE_FTS5" in options
    search = "with full-text search" if searchable else "without full-text search. Use a Python whose SQLite has FTS5"
    yield Check("sqlite", searchable, f"{sqlite3.sqlite_version}, {search}")


def _database(db: str | None, namespace: str | None) -> list[Check]:
    from cfpm.store.doctor import Check

    file = sqlite_file(database_url(db))
    if file == default_file() and not file.exists():
        return [Check("database", True, f"none yet; the first `cfpm observe PATH` makes {file}")]
    try:
        with open_to_read(db, namespace) as memory:
            return [Check("database", True, database_url(db)), *memory.doctor()]
    except (InputError, StoreError) as error:
        return [Check("database", False, str(error))]


def _chroma(chroma: str, embedder: str | None, db: str | None, namespace: str | None) -> list[Check]:
    try:
        with open_to_read(db, namespace) as memory:
            found: list[Check] = _adapter().examine(memory, chroma, _known(embedder))
            return found
    except UsageError:
        raise
    except (InputError, StoreError):
        # There is nothing to compare it with, and the check of the database says why.
        return []


def reindex(
    chroma: Chroma = None,
    embedder: Embedder = None,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Make the vectors that are missing or of another embedder, and have the tool calls of an older file searched; with
    --chroma make those of a Chroma, whatever is wrong.

    Can be stopped and called again: it goes on where it was.
    """
    with open_to_change(db, namespace) as memory, progress_bar("indexing") as tick:
        done = memory.reindex(tick) if chroma is None else _rebuilt(memory, chroma, embedder, tick)
    answer(as_json, {"reindexed": done}, f"{done} messages and facts indexed")


def _known(embedder: str | None) -> str | None:
    """The name, if there is such an embedder. Raises UsageError."""
    if embedder is not None and embedder not in EMBEDDERS:
        raise UsageError("--embedder", f"there is no embedder {embedder!r}", f"Known are {', '.join(EMBEDDERS)}")
    return embedder


def _rebuilt(memory: Memory, chroma: str, embedder: str | None, tick: Callable[[int, int], None] | None) -> int:
    """Brings the Chroma into step with the memory, and returns how many vectors it has."""
    vectors: int = _adapter().rebuild(memory, chroma, _known(embedder), tick)
    return vectors


def _adapter() -> ModuleType:
    return import_module("cfpm_adapters.vector.rebuild")


def _providers(db: str | None) -> list[Check]:
    found: list[Check] = import_module("cfpm_adapters.diagnosis").checks(sqlite_file(database_url(db)))
    return found


def _hooks(db: str | None) -> list[Check]:
    failures = import_module("cfpm_adapters.hosts.failures")
    found: list[Check] = failures.checks(failures.log_file(db), utc_now())
    return found


def purge(
    keep_rejected: Annotated[
        int | None, Option("--keep-rejected", min=0, metavar="N", help="Keep the newest N; default: the setting.")
    ] = None,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Delete the oldest rejected candidates above a number, and erase what has had its time by the settings.

    What was said, what is believed and every other verdict stay, unless `keep_days` says otherwise. An erasure that was
    not finished is.
    """
    with open_to_change(db, namespace, clock=utc_now) as memory:
        gone = memory.purge(keep_rejected=keep_rejected)
        expired = sum(sum(record.counts.values()) for record in memory.expire(by="purge"))
        unfinished = memory.store.traces.unfinished()
    old = f"; {expired} rows erased that had their time" if expired else ""
    answer(as_json, {"purged": gone, "expired": expired}, f"{gone} rejected candidates deleted{old}")
    if unfinished:
        raise StoreError(
            database_url(db), "another process has the file open, so that an erasure is not finished", "Close it first"
        )
