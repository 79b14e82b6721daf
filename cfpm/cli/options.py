"""The options of every command that opens a memory, and how it does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.location import database_url, make_room, sqlite_file
from cfpm.cli.parser import Option
from cfpm.errors import InputError, UsageError

if TYPE_CHECKING:
    from cfpm.memory import Memory
    from cfpm.model.clock import Clock

Db = Annotated[
    str | None,
    Option("--db", metavar="URL", help="A file or URL. Default: CFPM_DB, else a file in your data folder."),
]
Namespace = Annotated[
    str | None,
    Option(
        "--namespace",
        metavar="NAME",
        help="Whose memory, e.g. project:shop; auto: of this folder's project. Default: CFPM_NAMESPACE, else default.",
    ),
]
AsJson = Annotated[bool, Option("--json", help="Print one JSON document on standard output.")]
Limit = Annotated[int | None, Option("--limit", min=1, metavar="N", help="At most this many.")]

DEFAULT_NAMESPACE: str | None = None
"""Not named on the command line: what CFPM_NAMESPACE or `cfpm.toml` say, see `named`."""

SHOWN = 50
"""Rows of a table without --limit: about two screens. JSON has no such limit."""


def named(namespace: str | None) -> str:
    """The namespace that is meant: as it was named, else as it is configured; `auto` is that of this folder's
    project."""
    from cfpm.paths.project import AUTO, namespace_of

    chosen = configured(namespace)
    return namespace_of(Path.cwd()) if chosen == AUTO else chosen


def with_rules_of_user(namespace: str | None) -> list[str]:
    """The namespaces from which a project is told what is known, where its own follows from the folder: also that of
    what holds in all projects. Empty for a namespace that was chosen by its name."""
    from cfpm.paths.project import AUTO, EVERYWHERE

    return [named(namespace), EVERYWHERE] if configured(namespace) == AUTO else []


def configured(namespace: str | None) -> str:
    """The namespace as it was named, else as it is configured; it may be `auto`."""
    from cfpm.paths.project import configured_namespace

    if namespace is not None:
        return namespace
    folder = Path.cwd()
    try:
        return configured_namespace(os.environ, folder)
    except ValueError as error:
        raise UsageError(
            str(folder / "cfpm.toml"), f"not valid TOML ({error})", "Correct the file or remove it"
        ) from error


def open_to_read(db: str | None, namespace: str | None) -> Memory:
    """An existing memory, which this process cannot change."""
    from cfpm.memory import Memory

    return Memory.open(_existing(db), namespace=named(namespace), read_only=True)


def open_to_change(db: str | None, namespace: str | None, *, clock: Clock | None = None) -> Memory:
    """An existing memory."""
    from cfpm.memory import Memory

    return Memory.open(_existing(db), namespace=named(namespace), clock=clock)


def open_or_create(db: str | None, namespace: str | None, *, clock: Clock | None = None) -> Memory:
    """A memory, made on the spot if there is none yet."""
    from cfpm.memory import Memory

    return Memory.open(make_room(database_url(db)), namespace=named(namespace), clock=clock)


def _existing(db: str | None) -> str:
    url = database_url(db)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        raise InputError(str(file), "there is no memory", "Make one with `cfpm observe PATH`, or name one with --db")
    return make_room(url)
