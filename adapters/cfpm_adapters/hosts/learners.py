"""Processes that learn from hooks on one database: one after the other, in the order in which they came, and whoever is
to tell what they learnt can wait for them. Standard library only; where there are no such locks, nobody waits."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from cfpm.cli.location import sqlite_file

if TYPE_CHECKING:
    from pathlib import Path

_BETWEEN = 0.01
"""Seconds between two looks at those that learn."""


def files(url: str) -> tuple[Path, Path] | None:
    """The file that each holds who learns or waits for it, and the one that only who learns holds; None for a database
    that is no file of this machine."""
    file = sqlite_file(url)
    if sys.platform == "win32" or file is None or not file.parent.is_dir():
        return None
    return file.with_name(f"{file.name}-hooks.busy"), file.with_name(f"{file.name}-hooks.lock")


class Learner:
    """A place in the row: `announce` in the process that answers, `wait` and `leave` in the one that learns."""

    def __init__(self, url: str) -> None:
        self._files = files(url)
        self._handles: list[int] = []

    def announce(self) -> None:
        """Takes the place, and the turn at once if nobody has it. Children of this process inherit both."""
        if sys.platform != "win32" and self._files is not None:
            import fcntl

            self._handles = [_opened(file) for file in self._files]
            fcntl.flock(self._handles[0], fcntl.LOCK_SH)
            _took(self._handles[1], fcntl.LOCK_EX)

    def wait(self) -> None:
        """Waits for the turn."""
        if sys.platform != "win32" and self._handles:
            import fcntl

            fcntl.flock(self._handles[1], fcntl.LOCK_EX)

    def leave(self) -> None:
        """Lets the next one go on."""
        for handle in reversed(self._handles):
            os.close(handle)
        self._handles = []


def settle(url: str, seconds: float) -> bool:
    """Waits at most so many seconds until nobody learns any more; whether it is so."""
    found = files(url)
    if sys.platform == "win32" or found is None or not found[0].exists():
        return True
    import fcntl

    handle = _opened(found[0])
    try:
        until = time.monotonic() + seconds
        while not (free := _took(handle, fcntl.LOCK_EX)) and time.monotonic() < until:
            time.sleep(_BETWEEN)
        return free
    finally:
        os.close(handle)


def _opened(file: Path) -> int:
    return os.open(file, os.O_CREAT | os.O_RDWR, 0o600)


def _took(handle: int, kind: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
