"""The options of every command that opens a memory, and how it does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli.location import database_url, make_room, sqlite_file
from cfpm.cli.output import show, show_json
from cfpm.cli.parser import Option
from cfpm.errors import InputError, StoreError, UsageError

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

SHOWN = 50
"""Rows of a table without --limit: about two screens. JSON has no such limit."""


@dataclass(frozen=True)
class Common:
    """The options that all commands on a memory share: which one, whose, and how to answer."""

    db: Db = None
    namespace: Namespace = None
    as_json: AsJson = False

    @property
    def url(self) -> str:
        """The database that is meant."""
        return database_url(self.db)

    @property
    def whose(self) -> str:
        """The namespace that is meant: as it was named, else as it is configured; `auto` is that of this folder's
        project."""
        from cfpm.paths.project import AUTO, namespace_of

        chosen = self.configured()
        return namespace_of(Path.cwd()) if chosen == AUTO else chosen

    def configured(self) -> str:
        """The namespace as it was named, else as CFPM_NAMESPACE or `cfpm.toml` say; it may be `auto`."""
        from cfpm.paths.project import configured_namespace

        if self.namespace is not None:
            return self.namespace
        folder = Path.cwd()
        try:
            return configured_namespace(os.environ, folder)
        except ValueError as error:
            raise UsageError(
                str(folder / "cfpm.toml"), f"not valid TOML ({error})", "Correct the file or remove it"
            ) from error

    def with_rules_of_user(self) -> list[str]:
        """The namespaces from which a project is told what is known, where its own follows from the folder: also that
        of what holds in all projects. Empty for a namespace that was chosen by its name."""
        from cfpm.paths.project import AUTO, EVERYWHERE

        return [self.whose, EVERYWHERE] if self.configured() == AUTO else []

    def to_read(self) -> Memory:
        """An existing memory, which this process cannot change."""
        return self._opened(self._existing(), read_only=True)

    def to_change(self, *, clock: Clock | None = None) -> Memory:
        """An existing memory."""
        return self._opened(self._existing(), clock=clock)

    def or_new(self, *, clock: Clock | None = None) -> Memory:
        """A memory, made on the spot if there is none yet."""
        return self._opened(make_room(self.url), clock=clock)

    def answer(self, document: object, text: str) -> None:
        """What a command did: one JSON document for programs, or a line for people."""
        if self.as_json:
            show_json(document)
        else:
            show(text)

    def check_clean(self, finished: bool, gone: str = "the rows are gone", of: str = "them") -> None:
        """Raises StoreError where what was erased may still be in the file."""
        if not finished:
            problem = f"{gone}, but another process has the file open, which may still hold bytes of {of}"
            raise StoreError(self.url, problem, "Close it and run `cfpm purge`; `cfpm doctor` says when it is done")

    def _opened(self, url: str, *, clock: Clock | None = None, read_only: bool = False) -> Memory:
        from cfpm.memory import Memory

        return Memory.open(url, namespace=self.whose, clock=clock, read_only=read_only)

    def _existing(self) -> str:
        url = self.url
        file = sqlite_file(url)
        if file is not None and not file.exists():
            remedy = "Make one with `cfpm observe PATH`, or name one with --db"
            raise InputError(str(file), "there is no memory", remedy)
        return make_room(url)
