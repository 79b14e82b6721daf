"""The same memory for asyncio hosts. Every verb is delegated to one worker thread; nothing is written twice."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast

from cfpm.documents.library import Documents
from cfpm.memory import Memory
from cfpm.settings import Settings

if TYPE_CHECKING:
    from cfpm.context.async_driver import AsyncDriver
    from cfpm.context.strategies.types import Compaction, Limits, Summariser, Summary

    AnySummariser = Summariser | Callable[[str], Coroutine[Any, Any, str | Summary]]

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound="AsyncMemory")


def _awaitable(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    async def call(memory: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await memory._run(partial(verb, memory._memory, *args, **kwargs))

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    return call


def _of_documents(
    verb: Callable[Concatenate[Documents, P], R],
) -> Callable[Concatenate[AsyncDocuments, P], Coroutine[Any, Any, R]]:
    async def call(documents: AsyncDocuments, /, *args: P.args, **kwargs: P.kwargs) -> R:
        memory = documents._memory
        return await memory._run(lambda: verb(memory._memory.documents, *args, **kwargs))

    call.__name__, call.__doc__ = verb.__name__, verb.__doc__
    return call


class AsyncDocuments:
    """The documents of a memory, whose verbs are awaited."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    add = _of_documents(Documents.add)
    add_text = _of_documents(Documents.add_text)
    list = _of_documents(Documents.list)
    index = _of_documents(Documents.index)
    read = _of_documents(Documents.read)
    remove = _of_documents(Documents.remove)


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

    observe = _awaitable(Memory.observe)
    observe_file = _awaitable(Memory.observe_file)
    recall = _awaitable(Memory.recall)
    brief = _awaitable(Memory.brief)
    write_brief = _awaitable(Memory.write_brief)
    gate = _awaitable(Memory.gate)

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

    view = _awaitable(Memory.view)
    artifacts = _awaitable(Memory.artifacts)
    rehydrate = _awaitable(Memory.rehydrate)
    facts = _awaitable(Memory.facts)
    fact = _awaitable(Memory.fact)
    remember = _awaitable(Memory.remember)
    forget = _awaitable(Memory.forget)
    erase = _awaitable(Memory.erase)
    erasure_plan = _awaitable(Memory.erasure_plan)
    erasures = _awaitable(Memory.erasures)
    pin = _awaitable(Memory.pin)
    accept = _awaitable(Memory.accept)
    reject = _awaitable(Memory.reject)
    history = _awaitable(Memory.history)
    rollback = _awaitable(Memory.rollback)
    candidates = _awaitable(Memory.candidates)
    explain = _awaitable(Memory.explain)
    stats = _awaitable(Memory.stats)
    export = _awaitable(Memory.export)
    import_lines = _awaitable(Memory.import_lines)
    import_memories = _awaitable(Memory.import_memories)
    export_as = _awaitable(Memory.export_as)
    doctor = _awaitable(Memory.doctor)
    verify = _awaitable(Memory.verify)
    reseal = _awaitable(Memory.reseal)
    back_up = _awaitable(Memory.back_up)
    reindex = _awaitable(Memory.reindex)
    purge = _awaitable(Memory.purge)
    expire = _awaitable(Memory.expire)
    assemble = _awaitable(Memory.assemble)
    handoff = _awaitable(Memory.handoff)
    message = _awaitable(Memory.message)
    recheck = _awaitable(Memory.recheck)
    sessions = _awaitable(Memory.sessions)
    set_session = _awaitable(Memory.set_session)
    log = _awaitable(Memory.log)
    resume = _awaitable(Memory.resume)
    fork = _awaitable(Memory.fork)
    rewind = _awaitable(Memory.rewind)
    delete_session = _awaitable(Memory.delete_session)
    orphaned_sessions = _awaitable(Memory.orphaned_sessions)
    prune_sessions = _awaitable(Memory.prune_sessions)
    transcript = _awaitable(Memory.transcript)
    usage = _awaitable(Memory.usage)
    approve = _awaitable(Memory.approve)
    approvals = _awaitable(Memory.approvals)
    state = _awaitable(Memory.state)
    put_state = _awaitable(Memory.put_state)
    reattach = _awaitable(Memory.reattach)
    _close = _awaitable(Memory.close)

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
