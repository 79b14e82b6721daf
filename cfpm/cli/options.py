"""The options that every command takes, and how a command opens a memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cfpm.errors import InputError, UsageError

if TYPE_CHECKING:
    from cfpm.clock import Clock
    from cfpm.memory import Memory

Db = Annotated[
    str | None,
    typer.Option("--db", metavar="URL", help="A file or URL. Default: CFPM_DB, else a file in your data folder."),
]
Namespace = Annotated[str, typer.Option("--namespace", metavar="NAME", help="Whose memory, e.g. project:shop.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="At most this many.")]

DEFAULT_NAMESPACE = "default"
SHOWN = 50
"""Rows of a table without --limit: about two screens. JSON has no such limit."""


def default_file() -> Path:
    """Where the memory of this user lives unless somebody says otherwise."""
    from platformdirs import user_data_path

    return user_data_path("cfpm", appauthor=False) / "memory.db"


def database_url(db: str | None) -> str:
    """The URL to open: the option, else CFPM_DB, else the user's own file. A name without a scheme is a file."""
    given = db if db is not None else os.environ.get("CFPM_DB") or None
    if given is None:
        return f"sqlite:///{default_file()}"
    if not given.strip():
        raise UsageError("--db", "the name of the database is empty", "Give a file or a URL")
    if "://" in given or given == ":memory:":
        return given
    home = given.startswith("~/")
    return f"sqlite:///{Path(given).expanduser() if home else given}"


def sqlite_file(url: str) -> Path | None:
    """The file behind a SQLite URL, or None for another database and for one in memory."""
    name = url.removeprefix("sqlite:///")
    return None if name == url or name in {"", ":memory:"} else Path(name)


def open_to_read(db: str | None, namespace: str) -> Memory:
    """An existing memory, which this process cannot change."""
    from cfpm.memory import Memory

    return Memory.open(_existing(db), namespace=namespace, read_only=True)


def open_to_change(db: str | None, namespace: str, *, clock: Clock | None = None) -> Memory:
    """An existing memory."""
    from cfpm.memory import Memory

    return Memory.open(_existing(db), namespace=namespace, clock=clock)


def open_or_create(db: str | None, namespace: str, *, clock: Clock | None = None) -> Memory:
    """A memory, made on the spot if there is none yet."""
    from cfpm.memory import Memory

    url = database_url(db)
    if sqlite_file(url) == default_file():
        default_file().parent.mkdir(parents=True, exist_ok=True)
    return Memory.open(url, namespace=namespace, clock=clock)


def _existing(db: str | None) -> str:
    url = database_url(db)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        raise InputError(str(file), "there is no memory", "Make one with `cfpm observe PATH`, or name one with --db")
    return url
