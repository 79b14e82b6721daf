"""The same memory for asyncio hosts. Every verb is delegated to one worker thread; nothing is written twice."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from cfpm.documents.library import Documents
from cfpm.memory import Memory
from cfpm.model.awaiting import awaited
from cfpm.settings import Settings

if TYPE_CHECKING:
    from cfpm.context.async_driver import AsyncDriver
    from cfpm.context.strategies.types import Compaction, Limits, Summariser, Summary

    AnySummariser = Summariser | Callable[[str], Coroutine[Any, Any, str | Summary]]

R = TypeVar("R")
M = TypeVar("M", bound="AsyncMemory")


class AsyncDocuments:
    """The documents of a memory, whose verbs are awaited."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    async def run(self, work: Callable[[Documents], R]) -> R:
        """What the work returns or raises: it gets the documents, in the thread of the memory."""
        return await self._memory.run(lambda memory: work(memory.documents))

    add = awaited(Documents.add)
    add_text = awaited(Documents.add_text)
    list = awaited(Documents.list)
    index = awaited(Documents.index)
    read = awaited(Documents.read)
    remove = awaited(Documents.remove)


class _Opening(Generic[M]):
    """A memory that is opened when it is awaited or entered."""

    def __init__(self, open_now: Callable[[], Coroutine[Any, Any, M]]) -> None:
        self._open_now = open_now
        self._opened: M | None = None

    def __await__(self) -> Generator[Any, None, M]:
        return self._open_now().__await__()

    async def __aenter__(self) -> M:
        self._opened = await self._open_now()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


def waiting(summarise: AnySummariser | None) -> Summariser | None:
    """A summariser that can be called from any thread: an async one runs in the loop of whoever hands it over."""
    if summarise is None or not inspect.iscoroutinefunction(summarise):
        return cast("Summariser | None", summarise)
    loop, asked = asyncio.get_running_loop(), summarise

    def wait(prompt: str) -> str | Summary:
        answer: str | Summary = asyncio.run_coroutine_threadsafe(asked(prompt), loop).result()
        return answer

    return wait


class AsyncMemory:
    """A `Memory` whose verbs are awaited. Calls run one after another, in the order in which they are made."""

    def __init__(self, memory: Memory, worker: ThreadPoolExecutor) -> None:
        self._memory = memory
        self._worker = worker

    @classmethod
    def open(cls, url: str | PathLike[str], **options: object) -> _Opening[Self]:
        """Opens a memory: `async with AsyncMemory.open(...) as memory`, or `await` it; options as `Memory.open`."""
        return _Opening(partial(cls._open, url, **options))

    @classmethod
    async def _open(cls, url: str | PathLike[str], **options: object) -> Self:
        # SQLite connections belong to a thread, so one thread opens, uses and closes it.
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cfpm")
        loop = asyncio.get_running_loop()
        try:
            memory = await loop.run_in_executor(worker, partial(Memory.open, url, **options))  # type: ignore[arg-type]
        except BaseException:
            # Also when interrupted or cancelled: a thread must not stay behind. Raised again as it came.
            worker.shutdown(wait=True)
            raise
        return cls(memory, worker)

    async def _run(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    async def run(self, work: Callable[[Memory], R]) -> R:
        """What the work returns or raises: it gets the memory, in the thread that the memory belongs to."""
        return await self._run(partial(work, self._memory))

    @property
    def settings(self) -> Settings:
        """What it was opened with."""
        return self._memory.settings

    @property
    def documents(self) -> AsyncDocuments:
        """The documents of this namespace: files to be looked up, from which nothing is learnt."""
        return AsyncDocuments(self)

    observe = awaited(Memory.observe)
    observe_file = awaited(Memory.observe_file)
    recall = awaited(Memory.recall)
    brief = awaited(Memory.brief)
    write_brief = awaited(Memory.write_brief)
    gate = awaited(Memory.gate)

    async def compact(
        self,
        messages: Sequence[object],
        limits: Limits | None = None,
        *,
        summarise: AnySummariser | None = None,
        **options: Any,
    ) -> Compaction:
        """As `Memory.compact`; `summarise` may be async, and then runs in the loop of the call."""
        work = partial(self._memory.compact, messages, limits, summarise=waiting(summarise), **options)
        return await self._run(work)

    async def driver(self, *, summarise: AnySummariser | None = None, **options: Any) -> AsyncDriver:
        """As `Memory.driver`, with calls that are awaited; `summarise` may be async."""
        from cfpm.context.async_driver import AsyncDriver

        made = await self._run(partial(self._memory.driver, summarise=waiting(summarise), **options))
        return AsyncDriver(made, self._run)

    view = awaited(Memory.view)
    artifacts = awaited(Memory.artifacts)
    rehydrate = awaited(Memory.rehydrate)
    facts = awaited(Memory.facts)
    fact = awaited(Memory.fact)
    remember = awaited(Memory.remember)
    forget = awaited(Memory.forget)
    erase = awaited(Memory.erase)
    erasure_plan = awaited(Memory.erasure_plan)
    erasures = awaited(Memory.erasures)
    pin = awaited(Memory.pin)
    accept = awaited(Memory.accept)
    reject = awaited(Memory.reject)
    history = awaited(Memory.history)
    rollback = awaited(Memory.rollback)
    candidates = awaited(Memory.candidates)
    explain = awaited(Memory.explain)
    stats = awaited(Memory.stats)
    export = awaited(Memory.export)
    import_lines = awaited(Memory.import_lines)
    import_memories = awaited(Memory.import_memories)
    export_as = awaited(Memory.export_as)
    doctor = awaited(Memory.doctor)
    verify = awaited(Memory.verify)
    reseal = awaited(Memory.reseal)
    back_up = awaited(Memory.back_up)
    reindex = awaited(Memory.reindex)
    purge = awaited(Memory.purge)
    expire = awaited(Memory.expire)
    assemble = awaited(Memory.assemble)
    handoff = awaited(Memory.handoff)
    message = awaited(Memory.message)
    recheck = awaited(Memory.recheck)
    sessions = awaited(Memory.sessions)
    set_session = awaited(Memory.set_session)
    log = awaited(Memory.log)
    resume = awaited(Memory.resume)
    fork = awaited(Memory.fork)
    rewind = awaited(Memory.rewind)
    delete_session = awaited(Memory.delete_session)
    orphaned_sessions = awaited(Memory.orphaned_sessions)
    prune_sessions = awaited(Memory.prune_sessions)
    transcript = awaited(Memory.transcript)
    usage = awaited(Memory.usage)
    approve = awaited(Memory.approve)
    approvals = awaited(Memory.approvals)
    state = awaited(Memory.state)
    put_state = awaited(Memory.put_state)
    reattach = awaited(Memory.reattach)
    _close = awaited(Memory.close)

    async def close(self) -> None:
        """Closes the store and ends the worker thread."""
        await self._close()
        self._worker.shutdown(wait=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
