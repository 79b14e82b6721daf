"""One thread of its own for one provider, so that what hangs can be left behind. Knows no memory."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """Jobs run in order, always in the same thread. A daemon: a provider that hangs does not keep the host alive.

    For that reason no executor of the standard library, whose threads are waited for when the process ends.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._open: list[Future[Any]] = []
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """True while something given to it is not done."""
        return self.waiting > 0

    @property
    def waiting(self) -> int:
        """How many jobs are not done."""
        return sum(not job.done() for job in list(self._open))

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Lines the work up behind the others. Its future holds what it returns or raises."""
        job: Future[T] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._open = [*(other for other in self._open if not other.done()), job]
            self._jobs.put((work, job))
        return job

    def stop(self) -> None:
        """Lets the thread end when all its jobs are done; a later job begins a new one, never a second beside it."""
        with self._lock:
            if self._thread is not None:
                self._jobs.put(None)

    def _run(self) -> None:
        while True:
            if (given := self._jobs.get()) is not None:
                work, job = given
                try:
                    job.set_result(work())
                except BaseException as error:  # noqa: BLE001 (the end of a thread: told to whoever waits)
                    job.set_exception(error)
                continue
            with self._lock:
                if self._jobs.empty():
                    self._thread = None
                    return
