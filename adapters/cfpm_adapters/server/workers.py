"""A few threads that do the work of many requests: each with a memory of its own, and a queue with an end."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")


class Closable(Protocol):
    """What a worker works with."""

    def close(self) -> None:
        """Lets go of it."""
        ...


S = TypeVar("S", bound=Closable)


class BusyError(Exception):
    """There is more to do than can wait, or the work took longer than anybody waits; it goes on by itself."""


@dataclass(slots=True)
class Workers(Generic[S]):
    """`count` threads, each with what `open_one` opens, for at most `most_waiting` more jobs than threads."""

    name: str
    open_one: Callable[[], S]
    count: int
    most_waiting: int
    seconds: float
    """How long a caller waits for an answer."""
    _free: queue.SimpleQueue[S] = field(default_factory=queue.SimpleQueue, init=False)
    _pool: ThreadPoolExecutor | None = field(default=None, init=False)
    _inside: int = field(default=0, init=False)

    def start(self) -> None:
        """Opens what the threads work with. Raises what opening raises."""
        for _ in range(self.count):
            self._free.put(self.open_one())
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix=self.name)

    def stop(self) -> None:
        """Ends after the jobs that run; those that wait are not begun."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        while not self._free.empty():
            self._free.get().close()

    async def run(self, work: Callable[[S], R]) -> R:
        """What the work returns or raises. Raises BusyError."""
        assert self._pool is not None  # started before the first request
        if self._inside >= self.count + self.most_waiting:
            raise BusyError
        self._inside += 1
        loop = asyncio.get_running_loop()
        job = self._pool.submit(self._with_one, work)
        # Counted until it ends, also when nobody waits for it any more.
        job.add_done_callback(lambda done: self._left(loop, done))
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(job)), self.seconds)
        except TimeoutError:
            raise BusyError from None

    def _with_one(self, work: Callable[[S], R]) -> R:
        # As many as threads, so there is always one.
        mine = self._free.get()
        try:
            return work(mine)
        finally:
            self._free.put(mine)

    def _left(self, loop: asyncio.AbstractEventLoop, _: Future[R]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._count_down)

    def _count_down(self) -> None:
        self._inside -= 1
