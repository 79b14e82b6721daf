"""Real endpoints on loopback: our server, and a hand-written one that does to each connection what a test tells it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cfpm_adapters.server.serve import Serving, address, prepared


@dataclass(frozen=True, slots=True)
class Heard:
    """A request as it arrived. Names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[socket.socket, Heard], None]


def replies(body: bytes | str, status: str = "200 OK", headers: str = "", length: int | None = None) -> Answer:
    """Answers so, stating `length` instead of the true one if given."""
    raw = body.encode() if isinstance(body, str) else body

    def answer(connection: socket.socket, _: Heard) -> None:
        stated = len(raw) if length is None else length
        connection.sendall(f"HTTP/1.1 {status}\r\n{headers}Content-Length: {stated}\r\n\r\n".encode() + raw)

    return answer


def hangs(connection: socket.socket, _: Heard) -> None:
    """Says nothing until the other side gives up."""
    with suppress(OSError):
        connection.recv(1)


def closes(_: socket.socket, __: Heard) -> None:
    """Closes without an answer, having read everything."""


@dataclass(slots=True)
class Endpoint:
    """Where to post to, what it does with the next connections (the last one again and again), and what it heard."""

    url: str
    answers: list[Answer]
    heard: list[Heard] = field(default_factory=list)


@contextmanager
def endpoint(*answers: Answer) -> Iterator[Endpoint]:
    """An endpoint in threads of its own; it ends with the block."""
    listener = socket.create_server(("127.0.0.1", 0))
    here = Endpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/hook", list(answers))

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            answer = here.answers.pop(0) if len(here.answers) > 1 else here.answers[0]
            threading.Thread(target=_serve, args=(connection, answer, here), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _serve(connection: socket.socket, answer: Answer, here: Endpoint) -> None:
    with connection, suppress(OSError):
        with connection.makefile("rb") as stream:
            first = stream.readline().decode("latin-1").split()
            if len(first) != 3:
                return
            headers: dict[str, str] = {}
            while line := stream.readline().strip():
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
            if "content-length" not in headers:
                # The greeting of somebody who wants encryption may have the shape of a request.
                return
            heard = Heard(first[1], headers, stream.read(int(headers["content-length"])))
            if len(heard.body) < int(headers["content-length"]):
                return
        here.heard.append(heard)
        answer(connection, heard)


@contextmanager
def serving(database: Path, *, port: int = 0, secret: str | None = None, max_body: int = 1_000_000) -> Iterator[str]:
    """Our own server over a database; its address."""
    server, sock = prepared(Serving(f"sqlite:///{database}", port=port, secret=secret, max_body=max_body))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        yield address(sock)
    finally:
        server.should_exit = True
        thread.join()
        sock.close()
