"""The driver for asyncio hosts: each call runs in the thread that the memory belongs to. Decides nothing itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from cfpm.context.chart import Snapshot
from cfpm.context.driver import Driver
from cfpm.context.states import State
from cfpm.model.awaiting import awaited

R = TypeVar("R")


class Run(Protocol):
    """Runs work in another thread, one piece after the other."""

    def __call__(self, work: Callable[[], R]) -> Awaitable[R]:
        """What the work returns or raises."""
        ...


class AsyncDriver:
    """A `Driver` whose calls are awaited, as `AsyncMemory.driver` gives it; `there` is the way into the memory's
    thread."""

    def __init__(self, driver: Driver, there: Run) -> None:
        self._driver = driver
        self._there = there

    def run(self, work: Callable[[Driver], R]) -> Awaitable[R]:
        """What the work returns or raises: it gets the driver."""
        return self._there(partial(work, self._driver))

    @property
    def state(self) -> State:
        """What a session is taken up again with."""
        return self._driver.state

    @property
    def snapshots(self) -> Sequence[Snapshot]:
        """What each turn took, for the chart."""
        return self._driver.snapshots

    before_reply = awaited(Driver.before_reply)
    recover = awaited(Driver.recover)
    after_turn = awaited(Driver.after_turn)
    milestone = awaited(Driver.milestone)
    request = awaited(Driver.request)
