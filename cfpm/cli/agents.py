"""What the agents of this machine keep, for `observe --all`: found, told, asked for once; what was read before.

The list of files that were read stands beside the database, and holds for that file only: it says nothing about another
database of the same name.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.cli.location import sqlite_file
from cfpm.cli.output import confirm, counted, say
from cfpm.errors import InputError
from cfpm.paths.private_files import private_opener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.transcript.hosts import HostFiles

_MEGABYTE = 1_000_000
_SUFFIX = "-read"

State = list[int]
"""Size and time of change (nanoseconds) of a file as it was read."""


@dataclass(slots=True)
class ReadFiles:
    """The files that a namespace has read, each as it was then. Without a file of the database nothing is kept."""

    path: Path | None
    namespace: str
    database: State
    known: dict[str, dict[str, State]] = field(default_factory=dict)

    @classmethod
    def of(cls, url: str, namespace: str, *, empty: bool) -> ReadFiles:
        """What was noted for the database at a URL; nothing for one that is empty, or took the place of the one that
        was noted.
        """
        file = sqlite_file(url)
        if file is None:
            return cls(None, namespace, [])
        status = file.stat()
        path, database = file.with_name(file.name + _SUFFIX), [status.st_dev, status.st_ino]
        noted: object = None
        with suppress(OSError, ValueError):
            noted = json.loads(path.read_text(encoding="utf-8"))
        fits = isinstance(noted, dict) and noted.get("database") == database and isinstance(noted.get("read"), dict)
        return cls(path, namespace, database, noted["read"] if fits and not empty else {})  # type: ignore[index]

    def has(self, path: Path) -> bool:
        """True for a file that was read and has not changed since."""
        return self.known.get(self.namespace, {}).get(str(path)) == _state(path)

    def add(self, path: Path) -> None:
        """Notes that a file was read to its end, at once: a run that is cut off goes on behind it."""
        self.known.setdefault(self.namespace, {})[str(path)] = _state(path)
        if self.path is None:
            return
        written = self.path.with_name(self.path.name + ".new")
        with open(written, "w", encoding="utf-8", opener=private_opener) as stream:
            json.dump({"database": self.database, "read": self.known}, stream)
        written.replace(self.path)


def choose(read: ReadFiles, here: Path | None, *, ask: bool) -> list[Path]:
    """The files to read: those of all agents that are new or have changed, after the user agreed.

    Raises InputError where no agent left any, UsageError where nobody can be asked, SystemExit where the answer is no.
    """
    from cfpm.transcript.hosts import sessions_of_machine

    found = sessions_of_machine(os.environ, Path.home(), here)
    if not found:
        raise InputError("observe --all", "no sessions of a known agent on this machine", "Name files or folders")
    fresh = [path for host in found for path in host.files if not read.has(path)]
    _tell(found, set(fresh))
    if ask and fresh:
        question = f"Read {counted(len(fresh), 'file')} into the memory?"
        confirm("observe --all", question, remedy="Say --yes", refused="nothing was read")
    return fresh


def _tell(found: Sequence[HostFiles], fresh: set[Path]) -> None:
    for host in found:
        size = sum(_state(path)[0] for path in host.files) / _MEGABYTE
        before = len(host.files) - sum(path in fresh for path in host.files)
        told = f", {before} read before" if before else ""
        say(f"cfpm: {host.host}: {counted(len(host.files), 'file')}, {size:.1f} MB in {host.root}{told}")


def _state(path: Path) -> State:
    try:
        status = path.stat()
    except OSError:
        return [0, 0]
    return [status.st_size, status.st_mtime_ns]
