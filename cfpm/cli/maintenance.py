"""`doctor` looks whether all is sound; `reindex` makes vectors; `purge` deletes what may be deleted;
`recheck` lets go of paths that are none.

What a Chroma beside the memory, or another provider, has to say comes from the adapters. They import this package and
never the reverse, so they are loaded by name.
"""

from __future__ import annotations

import platform
import sqlite3
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.location import default_file, sqlite_file
from cfpm.cli.options import Common
from cfpm.cli.output import one_line, progress_bar, show_json, show_table
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
    *,
    common: Common,
) -> None:
    """Check the installation, the database and the providers.

    Exits with 1 when something is wrong.
    """
    checks = [*_installation(), *_database(common), *_providers(common), *_hooks(common)]
    if chroma is not None:
        checks += _chroma(chroma, embedder, common)
    sound = all(check.ok for check in checks)
    if common.as_json:
        show_json({"ok": sound, "checks": [documents.fields(check, "name ok detail") for check in checks]})
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


def _database(common: Common) -> list[Check]:
    from cfpm.store.doctor import Check

    file = sqlite_file(common.url)
    if file == default_file() and not file.exists():
        return [Check("database", True, f"none yet; the first `cfpm observe PATH` makes {file}")]
    try:
        with common.to_read() as memory:
            return [Check("database", True, common.url), *memory.doctor()]
    except (InputError, StoreError) as error:
        return [Check("database", False, str(error))]


def _chroma(chroma: str, embedder: str | None, common: Common) -> list[Check]:
    try:
        with common.to_read() as memory:
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
    *,
    common: Common,
) -> None:
    """Make the vectors that are missing or of another embedder, and have the tool calls of an older file searched; with
    --chroma make those of a Chroma, whatever is wrong.

    Can be stopped and called again: it goes on where it was.
    """
    with common.to_change() as memory, progress_bar("indexing") as tick:
        done = memory.reindex(tick) if chroma is None else _rebuilt(memory, chroma, embedder, tick)
    common.answer({"reindexed": done}, f"{done} messages and facts indexed")


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


def _providers(common: Common) -> list[Check]:
    found: list[Check] = import_module("cfpm_adapters.diagnosis").checks(sqlite_file(common.url))
    return found


def _hooks(common: Common) -> list[Check]:
    failures = import_module("cfpm_adapters.hosts.failures")
    found: list[Check] = failures.checks(failures.log_file(common.db), utc_now())
    return found


def purge(
    keep_rejected: Annotated[
        int | None, Option("--keep-rejected", min=0, metavar="N", help="Keep the newest N; default: the setting.")
    ] = None,
    *,
    common: Common,
) -> None:
    """Delete the oldest rejected candidates above a number, and erase what has had its time by the settings.

    What was said, what is believed and every other verdict stay, unless `keep_days` says otherwise. An erasure that was
    not finished is.
    """
    with common.to_change(clock=utc_now) as memory:
        gone = memory.purge(keep_rejected=keep_rejected)
        expired = sum(sum(record.counts.values()) for record in memory.expire(by="purge"))
        unfinished = memory.store.traces.unfinished()
    old = f"; {expired} rows erased that had their time" if expired else ""
    common.answer({"purged": gone, "expired": expired}, f"{gone} rejected candidates deleted{old}")
    if unfinished:
        raise StoreError(
            common.url, "another process has the file open, so that an erasure is not finished", "Close it first"
        )


def recheck(common: Common) -> None:
    """Judge all learnt paths again by the rules of today; those that are none go stale.

    For memories of older versions and for imports; observing does the same for a part of them in every turn.
    """
    with common.to_change(clock=utc_now) as memory:
        gone = memory.recheck()
    lines = [f"stale: {fact.id} ({fact.category.value}): {one_line(fact.content)}" for fact in gone]
    text = "\n".join([*lines, f"{len(gone)} of the learnt paths let go"])
    common.answer({"stale": [documents.fact(fact) for fact in gone]}, text)
