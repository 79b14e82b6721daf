"""The options of every command that opens a memory, and how it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cfpm.cli.location import database_url, make_room, sqlite_file
from cfpm.cli.parser import Option
from cfpm.errors import InputError

if TYPE_CHECKING:
    from cfpm.memory import Memory
    from cfpm.model.clock import Clock

Db = Annotated[
    str | None,
    Option("--db", metavar="URL", help="A file or URL. Default: CFPM_DB, else a file in your data folder."),
]
Namespace = Annotated[str, Option("--namespace", metavar="NAME", help="Whose memory, e.g. project:shop.")]
AsJson = Annotated[bool, Option("--json", help="Print one JSON document on standard output.")]
Limit = Annotated[int | None, Option("--limit", min=1, metavar="N", help="At most this many.")]

DEFAULT_NAMESPACE = "default"
SHOWN = 50
"""Rows of a table without --limit: about two screens. JSON has no such limit."""


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

    return Memory.open(make_room(database_url(db)), namespace=namespace, clock=clock)


def _existing(db: str | None) -> str:
    url = database_url(db)
    file = sqlite_file(url)
    if file is not None and not file.exists():
        raise InputError(str(file), "there is no memory", "Make one with `cfpm observe PATH`, or name one with --db")
    return make_room(url)
