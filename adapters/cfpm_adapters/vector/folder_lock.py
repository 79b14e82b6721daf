"""One owner for a folder: a lock of the operating system that dies with its process, and a note of who holds it.

Two processes on one Chroma folder lose vectors without an error, and sometimes the next one to open it crashes.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cfpm.model.clock import utc_now
from cfpm.paths.private_files import keep_folder_private, keep_private, make_file, make_folder
from cfpm_adapters.vector.errors import OwnedError

if TYPE_CHECKING:
    from typing import BinaryIO

NOTE = "cfpm-owner.json"
"""The file that is locked. Its text is for people and for the next owner."""

OWN_FILES = re.compile(
    r"chroma\.sqlite3(-\w+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|broken-\d+|" + re.escape(NOTE)
)
"""Names of what Chroma and we keep in such a folder."""

_LOCKED_BYTE = 1 << 30
"""Behind the text, since Windows lets nobody read what is locked."""

State = Literal["unsaid", "opening", "open", "closed"]


@dataclass(slots=True)
class _Held:
    file: BinaryIO
    state: State
    owners: int = 0
    before: str = ""
    """The note that stood there when the lock was taken."""


@atexit.register
def _release_all() -> None:
    """A host that ends without `close` leaves no note of a crash behind."""
    for (process, _), held in _held.items():
        if process == os.getpid() and held.state == "open":
            _write(held, "closed")


# By process, since a fork copies this table but not the lock.
_held: dict[tuple[int, str], _Held] = {}


class FolderLock:
    """This process's hold on a folder. Several in one process share it; the last to let go gives up the lock."""

    def __init__(self, folder: Path) -> None:
        """Takes the lock, or raises OwnedError naming the process that has it and since when. Makes the folder."""
        make_folder(folder)
        # Chroma makes its files with the rights that the process gives; the database is the one that is always there.
        make_file(folder / "chroma.sqlite3")
        keep_folder_private(folder, _is_ours)
        self._path = folder.resolve() / NOTE
        self._key = (os.getpid(), str(self._path))
        if self._key in _held and not self.is_intact():
            _held.pop(self._key).file.close()
        if self._key not in _held:
            _held[self._key] = _take(self._path)
        self._hold = _held[self._key]
        self._hold.owners += 1

    @property
    def left_open(self) -> bool:
        """True when the process that had the folder before died without closing it."""
        found = _note(self._hold.before)
        return found is not None and found[2] == "open"

    @property
    def died_opening(self) -> int | None:
        """The process that had the folder before and died while it opened it, if so: then the files kill who reads."""
        found = _note(self._hold.before)
        return found[0] if found and found[2] == "opening" else None

    def is_intact(self) -> bool:
        """False when the folder was deleted or replaced under this process, or when this is another process now."""
        held = _held.get((os.getpid(), str(self._path)))
        if held is None:
            return False
        try:
            return os.path.samestat(self._path.stat(), os.fstat(held.file.fileno()))
        except OSError:
            return False

    def set_state(self, state: State) -> None:
        """Notes how far this process is."""
        if state == self._hold.state:
            return
        _write(self._hold, state)

    def release(self) -> None:
        """Lets go; a second call does nothing."""
        if _held.get(self._key) is not self._hold or self._key[0] != os.getpid():
            return
        self._hold.owners -= 1
        if self._hold.owners <= 0:
            # A note that this process did not touch stays: it may say that the last owner died.
            if self._hold.state != "unsaid" and self.is_intact():
                self.set_state("closed")
            _held.pop(self._key).file.close()
            keep_folder_private(self._path.parent, _is_ours)


def _is_ours(name: str) -> bool:
    return bool(OWN_FILES.fullmatch(name))


def _take(path: Path) -> _Held:
    make_file(path)
    keep_private(path)
    file = path.open("r+b")
    try:
        _lock(file)
    except OSError:
        holder = _note(file.read(4096).decode(errors="replace"))
        file.close()
        who = f"process {holder[0]} since {holder[1]}" if holder else "another process"
        problem = f"{who} has it open, and two would lose vectors"
        remedy = "End that process, or let both use one server: chroma run --host 127.0.0.1 --path FOLDER"
        raise OwnedError(str(path.parent), problem, remedy) from None
    return _Held(file, "unsaid", before=file.read(4096).decode(errors="replace"))


def _write(held: _Held, state: State) -> None:
    held.state = state
    held.before = ""
    text = json.dumps({"pid": os.getpid(), "since": utc_now().isoformat(timespec="seconds"), "state": state})
    held.file.seek(0)
    held.file.truncate()
    held.file.write(text.encode())
    held.file.flush()


def _note(text: str) -> tuple[int, str, str] | None:
    """Process, time and state of a note, or None for one that cannot be read."""
    try:
        found = json.loads(text)
        return int(found["pid"]), str(found["since"]), str(found["state"])
    except (ValueError, KeyError, TypeError):
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        file.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(0)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        # Not `flock`: that would live on in a forked child after its process died.
        fcntl.lockf(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _LOCKED_BYTE)
