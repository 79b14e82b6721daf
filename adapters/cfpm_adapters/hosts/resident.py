"""Asks the resident server of a database (`cfpm mcp`, `mcp/hook_socket.py`) to answer a hook event; where nobody takes
it, or the server goes away in the middle, this process does the work itself (`hook`).

Loads next to nothing of the standard library, since the host waits. What is asked: `_request`. What comes back: a line
with the seconds in which an answer comes; a line with its length in bytes, and the answer; `DONE` once it was learnt
from, or at the end of that line where nothing is to be learnt.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from socket import socket
    from typing import Protocol

    class Alone(Protocol):
        """The process that does the work itself, as `hook.main` does: see there."""

        def __call__(
            self, words: Sequence[str], raw: bytes | None = None, *, at: float | None = None, told: bool = False
        ) -> int:
            """Always 0."""
            ...


TAKEN_WITHIN = 0.1
"""Seconds in which a server says that it takes an event: it does so at once, and the work itself takes longer."""

LARGEST_INPUT = 8 * 1024 * 1024
"""Bytes of an event: a command of a megabyte with every character escaped. What is larger is not looked at."""

OPTIONS = ("db", "namespace", "permission")
"""What may stand behind `cfpm hook HOST`."""

DONE = b"."

LONGEST_NAME = 100
"""Bytes of a path that every system takes as the name of a socket."""

_DECIDING = ("HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SHELL", "CLAUDE_CODE_SHELL", "XDG_CONFIG_HOME")
"""Variables that an answer may hang on, beside our own settings and those of the user's folders."""

_OWN_PLACE = "CFPM_DB"
"""Says where the database is, which a server is asked about where it is."""


def main(words: Sequence[str], alone: Alone) -> int:
    """Answers the event on standard input: `HOST [EVENT] [OPTIONS]`; always 0. Does it `alone` where no server does."""
    asked = _taken(words)
    if asked is None:
        return alone(words)
    connection, seconds, at = asked
    from cfpm_adapters.hosts.watchdog import Watchdog

    watchdog = Watchdog(seconds, lambda: _late(words))
    raw = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    try:
        answer, done = answer_of(connection, raw)
    except (OSError, ValueError):
        watchdog.stop()
        return alone(words, raw, at=at)
    watchdog.stop()
    if answer:
        sys.stdout.buffer.write(answer)
        sys.stdout.flush()
    if not done:
        in_background(lambda: None if _is_done(connection) else alone(words, raw, at=at, told=True))
    return 0


def parsed(words: Sequence[str], known: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """The names on a command line and its options, read without a library. Raises ValueError."""
    given: dict[str, str] = {}
    names: list[str] = []
    left = iter(words)
    for word in left:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("-"):
            names.append(word)
            continue
        if not word.startswith("--") or name not in known:
            raise ValueError(f"unknown option {word!r}")
        if not equals and (value := next(left, "")) == "":
            raise ValueError(f"{word} needs a value")
        given[name] = value
    return names, given


def socket_of(file: Path) -> Path:
    """What stands beside a database whose hooks a server answers: a socket, or a file with a port and a password."""
    return file.with_name(f"{file.name}-hooks.sock")


def deciding(environment: Mapping[str, str]) -> str:
    """A checksum of the variables that an answer may hang on: a server with others leaves an event to its process."""
    found = sorted(
        f"{name}={value}"
        for name, value in environment.items()
        if name in _DECIDING or (name.startswith("CFPM_") and name != _OWN_PLACE) or _of_folder(name)
    )
    return f"{crc32(os.fsencode(chr(0).join(found))):08x}"


def _of_folder(name: str) -> bool:
    return name.startswith("XDG_") and name.endswith("_DIR") and name != "XDG_RUNTIME_DIR"


def _request(password: str, at: float, words: Sequence[str]) -> bytes:
    """The head of a request: the count of its parts, then a NUL after each."""
    parts = (password, deciding(os.environ), repr(at), Path.cwd(), *words)
    return b"".join(os.fsencode(f"{part}\0") for part in (str(len(parts)), *parts))


def in_background(work: Callable[[], object]) -> None:
    """Does what the host need not wait for in a process of its own, where there is such a thing; else here."""
    if not hasattr(os, "fork"):
        work()
    elif os.fork() == 0:
        try:
            # The host waits until nobody holds its pipes any more.
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nowhere, stream)
            os.setsid()
            work()
        finally:
            os._exit(0)


def _taken(words: Sequence[str]) -> tuple[socket, float, float] | None:
    """The connection to a server that takes the event, how many seconds its answer may take, and when the event came;
    None where there is none."""
    from cfpm.cli.location import database_url, sqlite_file
    from cfpm.errors import UsageError

    try:
        file = sqlite_file(database_url(parsed(words, OPTIONS)[1].get("db")))
    except (UsageError, ValueError):
        # The process itself says what is wrong.
        return None
    if file is None or not (place := socket_of(file)).exists():
        return None
    import time

    at = time.time()
    try:
        return *ask(place, words, at), at
    except (OSError, ValueError):
        return None


def ask(place: Path, words: Sequence[str], at: float) -> tuple[socket, float]:
    """The connection to a server that takes an event which came `at` these seconds since 1970, and the seconds in which
    it answers. Raises OSError and ValueError for one that does not take it."""
    connection, password = _connected(place)
    connection.sendall(_request(password, at, words))
    return connection, float(_line(connection))


def _connected(place: Path) -> tuple[socket, str]:
    """Raises OSError, and ValueError for a file that says no port."""
    import socket

    if place.is_socket():
        connection, password = socket.socket(socket.AF_UNIX), ""
        connection.settimeout(TAKEN_WITHIN)
        connection.connect(str(place))
    else:
        port, password = place.read_text(encoding="ascii").split()
        connection = socket.create_connection(("127.0.0.1", int(port)), TAKEN_WITHIN)
    return connection, password


def answer_of(connection: socket, raw: bytes) -> tuple[bytes, bool]:
    """The answer, and whether nothing is left to do. Raises OSError and ValueError for a server that went away."""
    import socket

    # From here on the watchdog says how long.
    connection.settimeout(None)
    connection.sendall(raw)
    connection.shutdown(socket.SHUT_WR)
    line = _line(connection)
    length = int(line.removesuffix(DONE))
    found = b""
    while len(found) < length:
        if not (part := connection.recv(length - len(found))):
            raise ValueError("the answer broke off")
        found += part
    return found, line.endswith(DONE)


def _line(connection: socket) -> bytes:
    found = b""
    while (byte := connection.recv(1)) not in (b"", b"\n"):
        found += byte
    return found


def _is_done(connection: socket) -> bool:
    """Waits until the server has learnt from the event; False when it is gone before."""
    try:
        return connection.recv(1) == DONE
    except OSError:
        return False


def _late(words: Sequence[str]) -> None:
    from cfpm_adapters.hosts.failures import LATE, record

    (host, *event), given = parsed(words, OPTIONS)
    record(given.get("db"), host, "".join(event), LATE)
