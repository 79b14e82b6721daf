"""Ends this process in time. Standard library only, and no part of it waits for the work that it watches."""

from __future__ import annotations

import faulthandler
import os
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LAST_RESORT = 0.05
"""Seconds after the deadline at which a call that never lets another thread run is ended too, with exit code 1: the
host calls that an error that blocks nothing."""


class Watchdog:
    """Exits with 0 and without a word `seconds` after the process began, unless it was stopped before; `last` is called
    right before that."""

    def __init__(self, seconds: float, last: Callable[[], None] = lambda: None) -> None:
        self._last = last
        self._decided = threading.Lock()
        self._nowhere = os.open(os.devnull, os.O_WRONLY)
        self._timer: threading.Timer | None = None
        self._start(seconds)

    def extend(self, seconds: float) -> None:
        """Gives the process this many seconds from its beginning; nothing for one that was stopped."""
        if self._timer is None:
            return
        self._call_off()
        self._decided.release()
        self._start(seconds)

    def stop(self) -> None:
        """Calls it off; a second call does nothing. Once this returns, nothing ends the process any more."""
        if self._timer is not None:
            self._call_off()
            self._timer = None
            os.close(self._nowhere)

    def _start(self, seconds: float) -> None:
        # The interpreter's own start counts; its processor time is the part of it that every system can tell.
        left = max(seconds - time.process_time(), 0.0)
        faulthandler.dump_traceback_later(left + LAST_RESORT, exit=True, file=self._nowhere)
        self._timer = threading.Timer(left, self._end)
        self._timer.daemon = True
        self._timer.start()

    def _call_off(self) -> None:
        # Whoever gets the lock first decides; if that is the timer, the process ends while we wait.
        self._decided.acquire()
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        faulthandler.cancel_dump_traceback_later()

    def _end(self) -> None:
        if self._decided.acquire(blocking=False):
            faulthandler.cancel_dump_traceback_later()
            faulthandler.dump_traceback_later(4 * LAST_RESORT, exit=True, file=self._nowhere)
            self._last()
            os._exit(0)
