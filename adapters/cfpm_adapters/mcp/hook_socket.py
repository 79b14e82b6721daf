"""The place beside a database where a resident server answers the hook processes of hosts: a socket that only this user
may open, or a port of this machine with a password in a file. What is said there: `hosts/resident.py`."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.cli.location import sqlite_file
from cfpm.memory import Memory
from cfpm.model.clock import utc_now
from cfpm.paths.private_files import FILE_MODE, make_file
from cfpm.settings import Settings
from cfpm_adapters.hosts.event import of_project, visibility
from cfpm_adapters.hosts.hook import SETTLED, deadline, event_of, read_words
from cfpm_adapters.hosts.learners import Learner, settle
from cfpm_adapters.hosts.resident import DONE, LARGEST_INPUT, LONGEST_NAME, deciding, socket_of
from cfpm_adapters.mcp import hooks
from cfpm_adapters.server.workers import Workers

if TYPE_CHECKING:
    from cfpm_adapters.hosts.event import Event, Options
    from cfpm_adapters.mcp.memories import Memories, Served

_LOG = logging.getLogger(__name__)

LOOKS_AGAIN = 2.0
"""Seconds between two looks at whether another server answers here, which may end before this one does."""

HEAD_WITHIN = 1.0
"""Seconds in which a process says what it wants: it does so at once."""

MOST_PARTS = 32


@asynccontextmanager
async def answering(served: Served, readers: Workers[Memories], learners: Workers[Memories]) -> AsyncIterator[None]:
    """While this is entered, hooks on the served database are answered by these threads, unless another server does."""
    file = sqlite_file(served.url)
    if file is None:
        yield
        return
    place = HookSocket(served, socket_of(file), readers, learners)
    task = asyncio.create_task(place.serve())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@dataclass(slots=True)
class HookSocket:
    """Answers hooks at one place; `password` is empty for a socket, which says itself who may open it."""

    served: Served
    file: Path
    readers: Workers[Memories]
    learners: Workers[Memories]
    password: str = field(default="", init=False)

    async def serve(self) -> None:
        """Listens whenever nobody else does, until it is cancelled."""
        while True:
            if self.file.parent.is_dir() and not await self._is_answered():
                await asyncio.to_thread(_exercise)
                with suppress(OSError):
                    await self._listen()
            await asyncio.sleep(LOOKS_AGAIN)

    async def _is_answered(self) -> bool:
        """Whether a server listens here; what one that was killed left behind is none."""
        try:
            port = None if self.file.is_socket() else int(self.file.read_text(encoding="ascii").split()[0])
            opening = (
                asyncio.open_unix_connection(self.file) if port is None else asyncio.open_connection("127.0.0.1", port)
            )
            _, writer = await opening
        except (OSError, ValueError, IndexError):
            return False
        writer.close()
        return True

    async def _listen(self) -> None:
        """Returns when somebody else took the place. Raises OSError for one that cannot be had."""
        part = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        part.unlink(missing_ok=True)
        if hasattr(socket, "AF_UNIX") and len(os.fsencode(part)) <= LONGEST_NAME:
            server = await asyncio.start_unix_server(self._answer, part)
            part.chmod(FILE_MODE)
        else:
            self.password = secrets.token_hex()
            server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
            make_file(part)
            part.write_text(f"{server.sockets[0].getsockname()[1]} {self.password}", encoding="ascii")
        # Under its name only once nobody else may open it.
        mine = part.stat()
        part.replace(self.file)
        try:
            while self._is(mine):
                await asyncio.sleep(LOOKS_AGAIN)
        finally:
            server.close()
            if self._is(mine):
                self.file.unlink(missing_ok=True)

    def _is(self, mine: os.stat_result) -> bool:
        try:
            return os.path.samestat(self.file.stat(), mine)
        except OSError:
            return False

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One event. Whatever goes wrong ends the connection, and the process does the work itself."""
        try:
            await self._converse(reader, writer)
        except Exception as error:  # noqa: BLE001 (a provider boundary: the process tells what keeps it from answering)
            _LOG.debug("a hook was left to its process: %s", type(error).__name__)
        finally:
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        password, variables, at, folder, *words = await asyncio.wait_for(_parts(reader), HEAD_WITHIN)
        if not secrets.compare_digest(password, self.password) or variables != deciding(os.environ):
            return
        host, name, options = read_words(words)
        writer.write(f"{deadline(host.events.get(name) or 'prompt', folder)}\n".encode())
        await writer.drain()
        event = event_of(await _to_the_end(reader), host, name)
        options = of_project(options, event)
        text, rest, learner = await self.readers.run(
            lambda memories: self._answered(memories, event, options, float(at), Path(folder))
        )
        told = text.encode()
        writer.write(f"{len(told)}{'' if rest else DONE.decode()}\n".encode() + told)
        # Learnt from also when the process went away.
        with suppress(OSError):
            await writer.drain()
        if rest is not None:
            await self.learners.run(lambda memories: _learnt(memories, rest, options.namespace, learner))
            writer.write(DONE)
            await writer.drain()

    def _answered(
        self, memories: Memories, event: Event, options: Options, at: float, folder: Path
    ) -> tuple[str, hooks.Rest | None, Learner | None]:
        if not event.kind:
            return "", None, None
        if not self.served.exists():
            raise ValueError("there is no memory yet")
        if event.kind == "start":
            settle(self.served.url, SETTLED)

        def work(memory: Memory) -> tuple[str, hooks.Rest | None]:
            if memory.settings != Settings.load(directory=folder) or visibility(vars(memory.settings)) == "debug":
                raise ValueError("the settings of the process are others, or it has more to say")
            return hooks.on_event(memory, event, options, at)

        text, rest = memories.run(work, namespace=options.namespace)
        if rest is None or event.kind == "gate":
            return text, rest, None
        learner = Learner(self.served.url)
        learner.announce()
        return text, rest, learner


def _exercise() -> None:
    """Loads whatever a first event would wait for, on a memory that is nobody's."""
    with Memory.open(":memory:", clock=utc_now) as memory:
        memory.observe([{"role": "user", "content": "We always use make test for this. It is in ~/Desktop/shop."}])
        memory.recall("How are the tests run?")
        memory.brief()
        memory.gate("bash", "ls ~/Desktop")


def _learnt(memories: Memories, rest: Callable[[Memory], None], namespace: str, learner: Learner | None) -> None:
    if learner is None:
        memories.run(rest, namespace=namespace)
        return
    learner.wait()
    try:
        memories.run(rest, namespace=namespace)
    finally:
        learner.leave()


async def _parts(reader: asyncio.StreamReader) -> list[str]:
    count = int((await reader.readuntil(b"\0"))[:-1])
    if count > MOST_PARTS:
        raise ValueError("too many words")
    return [os.fsdecode((await reader.readuntil(b"\0"))[:-1]) for _ in range(count)]


async def _to_the_end(reader: asyncio.StreamReader) -> bytes:
    found = bytearray()
    while len(found) <= LARGEST_INPUT and (part := await reader.read(LARGEST_INPUT)):
        found += part
    return bytes(found)
