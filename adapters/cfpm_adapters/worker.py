"""One thread of its own for one provider, so that what hangs can be left behind. Knows no memory."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Job(Generic[T]):
    """Work with its outcome: `result`, or the `error` that it raised, once `done` is set."""

    work: Callable[[], T]
    done: threading.Event = field(default_factory=threading.Event)
    result: T | None = None
    error: BaseException | None = None

    def run(self) -> None:
        """Does the work; what it raises is kept."""
        try:
            self.result = self.work()
        except BaseException as error:  # noqa: BLE001 (the end of a thread: told to whoever waits)
            self.error = error
        finally:
            self.done.set()


class Worker:
    """Jobs run in order, always in the same thread. A daemon: a provider that hangs does not keep the host alive."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job[object] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._last: Job[object] | None = None
        self._open = 0
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        """True while something given to it is not done."""
        return self._last is not None and not self._last.done.is_set()

    @property
    def waiting(self) -> int:
        """How many jobs are not done."""
        return self._open

    def submit(self, job: Job[T]) -> Job[T]:
        """Lines the job up behind the others."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._open += 1
            self._last = job  # type: ignore[assignment]
            self._jobs.put(job)  # type: ignore[arg-type]
        return job

    def stop(self) -> None:
        """Lets the thread end when all its jobs are done; a later job begins a new one, never a second beside it."""
        with self._lock:
            if self._thread is not None:
                self._jobs.put(None)

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            if job is not None:
                job.run()
            with self._lock:
                self._open -= job is not None
                if job is None and self._jobs.empty():
                    self._thread = None
                    return
