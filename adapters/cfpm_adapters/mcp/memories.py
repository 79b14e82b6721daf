"""The memories of a resident server: opened when first asked, let go of when they fail. Knows no protocol."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from cfpm.cli.location import make_room, sqlite_file
from cfpm.errors import StoreError
from cfpm.memory import Memory
from cfpm.model.clock import Clock, utc_now
from cfpm.paths.project import AUTO, EVERYWHERE, namespace_of
from cfpm.settings import Settings

R = TypeVar("R")

KEPT = 4
"""Namespaces that stay open in a thread; events may come from several projects."""


@dataclass(frozen=True, slots=True)
class Served:
    """Which memory is served. `namespace` `auto` follows the folder: `folder`, or that of a hook's event."""

    url: str
    namespace: str = "default"
    agent: str = ""
    folder: Path = field(default_factory=Path.cwd)
    artifacts: Path | None = None
    """Where long results were offloaded to, if anywhere."""
    clock: Clock = utc_now
    settings: Settings | None = None

    def name(self, folder: str = "") -> str:
        """The namespace of an event's folder, or of the server's own."""
        if self.namespace != AUTO:
            return self.namespace
        return namespace_of(Path(folder) if folder else self.folder)

    def heard(self, folder: str = "") -> list[str]:
        """The namespaces that are asked: with `auto` also what holds in all projects of the user."""
        own = self.name(folder)
        return [own, EVERYWHERE] if self.namespace == AUTO and own != EVERYWHERE else [own]

    def exists(self) -> bool:
        """Whether there is a database already; asking for that makes none."""
        file = sqlite_file(self.url)
        return file is None or file.exists()


@dataclass(slots=True)
class Memories:
    """The open memories of one thread, by namespace."""

    served: Served
    _open: OrderedDict[str, Memory] = field(default_factory=OrderedDict)

    def run(self, work: Callable[[Memory], R], folder: str = "", namespace: str = "") -> R:
        """What the work on the memory of this folder returns, or on that of a namespace.

        Raises what the work raises. After a StoreError the memory is closed, and the next call opens it anew: what was
        locked, newer or missing then may be mended by now.
        """
        name = namespace or self.served.name(folder)
        try:
            return work(self._memory(name))
        except StoreError:
            if (broken := self._open.pop(name, None)) is not None:
                broken.close()
            raise

    def close(self) -> None:
        """Closes all of them."""
        while self._open:
            self._open.popitem()[1].close()

    def _memory(self, name: str) -> Memory:
        if name not in self._open:
            served = self.served
            self._open[name] = Memory.open(
                make_room(served.url),
                namespace=name,
                agent=served.agent,
                clock=served.clock,
                settings=served.settings,
            )
            if len(self._open) > KEPT:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(name)
        return self._open[name]
