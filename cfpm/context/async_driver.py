"""The driver for asyncio hosts: each call runs in the thread that the memory belongs to. Decides nothing itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

from cfpm.context.chart import Snapshot
from cfpm.context.driver import Driven, Driver
from cfpm.context.states import Reason, State

R = TypeVar("R")


class Run(Protocol):
    """Runs work in another thread, one piece after the other."""

    def __call__(self, work: Callable[[], R]) -> Awaitable[R]:
        """What the work returns or raises."""
        ...


class AsyncDriver:
    """A `Driver` whose calls are awaited, as `AsyncMemory.driver` gives it. `run` is the way into the memory's thread.

    Calls run one after another, in the order in which they are made.
    """

    def __init__(self, driver: Driver, run: Run) -> None:
        self._driver = driver
        self._run = run

    @property
    def state(self) -> State:
        """What a session is taken up again with."""
        return self._driver.state

    @property
    def snapshots(self) -> Sequence[Snapshot]:
        """What each turn took, for the chart."""
        return self._driver.snapshots

    async def before_reply(self, log: Sequence[object], text: str, *, reported: int | None = None) -> Driven:
        """As `Driver.before_reply`."""
        return await self._run(partial(self._driver.before_reply, log, text, reported=reported))

    async def recover(self, log: Sequence[object], *, limit: int | None = None) -> Driven:
        """As `Driver.recover`."""
        return await self._run(partial(self._driver.recover, log, limit=limit))

    async def after_turn(
        self,
        log: Sequence[object],
        *,
        agent: str = "",
        input_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> Driven:
        """As `Driver.after_turn`."""
        done = partial(
            self._driver.after_turn, log, agent=agent, input_tokens=input_tokens, output_tokens=output_tokens
        )
        return await self._run(done)

    async def milestone(self, log: Sequence[object], name: str = "") -> Driven:
        """As `Driver.milestone`."""
        return await self._run(partial(self._driver.milestone, log, name))

    async def request(
        self, log: Sequence[object], reason: Reason = Reason.AGENT, *, name: str = "", focus: str = ""
    ) -> Driven:
        """As `Driver.request`."""
        return await self._run(partial(self._driver.request, log, reason, name=name, focus=focus))
