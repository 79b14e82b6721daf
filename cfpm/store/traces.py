"""What erasures and silence leave behind for every turn: what is not taken in, and whether the file is clean.

Without words, and soon asked: mostly there is nothing. Erases nothing: see `erasure`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.model import Mark

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfpm.store.connection import Connection
    from cfpm.store.keys import KeyedHashes

ERASED = Mark.ERASED.value
"""The mark of a candidate without words, what names that were words begin with, and a kind of `kept_out`."""

_SILENT = "session"
_KEEP_OUT = "INSERT INTO kept_out (name, kind) VALUES (?, ?) ON CONFLICT DO NOTHING"
_LET_IN = "DELETE FROM kept_out WHERE name = ?"
_KEPT_OUT = "SELECT name FROM kept_out WHERE name IN ({wanted})"
_ANY = "SELECT 1 FROM kept_out LIMIT 1"
_UNFINISHED = "SELECT 1 FROM erasures WHERE finished = 0 LIMIT 1"
_LAST = "SELECT max(seq) FROM erasures"


@dataclass(frozen=True, slots=True)
class Traces:
    """Remembers messages and sessions of which nothing is stored."""

    db: Connection
    hashes: KeyedHashes

    def keep_out(self, namespace: str, session: str, ids: Iterable[str]) -> None:
        """Messages that are not taken in again, although hosts hand over their whole history each time."""
        self.db.many(_KEEP_OUT, ((self._message(namespace, session, name), ERASED) for name in ids))

    def kept_out(self, namespace: str, session: str, ids: Iterable[str]) -> set[str]:
        """Which of these messages are not to be taken in."""
        if not self.exist():
            return set()
        names = {self._message(namespace, session, name): name for name in ids}
        return {names[found] for (found,) in self.db.among(_KEPT_OUT, (), names)}

    def silence(self, namespace: str, session: str) -> None:
        """From now on the session is off the record."""
        self.db.run(_KEEP_OUT, (self._session(namespace, session), _SILENT))

    def end_silence(self, namespace: str, session: str) -> None:
        """The session is on the record again."""
        if self.exist():
            self.db.run(_LET_IN, (self._session(namespace, session),))

    def is_silent(self, namespace: str, session: str) -> bool:
        """Whether the session is off the record."""
        return self.exist() and bool(self.db.among(_KEPT_OUT, (), [self._session(namespace, session)]))

    def unfinished(self) -> bool:
        """Whether bytes of something that was erased may be left in the file."""
        return self.db.row(_UNFINISHED) is not None

    def last(self) -> int:
        """The number of the last erasure: what was read before it may hold rows that are gone."""
        return self.db.number(_LAST)

    def exist(self) -> bool:
        """Whether anything is kept out: mostly nothing, so that nothing need be hashed."""
        return self.db.row(_ANY) is not None

    def _message(self, namespace: str, session: str, name: str) -> str:
        return self.hashes.name("message", namespace, session, name)

    def _session(self, namespace: str, session: str) -> str:
        return self.hashes.name("session", namespace, session)
