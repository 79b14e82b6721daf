"""Starts the server on a socket and ends it in order. Knows nothing of what it serves."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfpm.errors import InputError, MissingExtraError, UsageError
from cfpm.memory import Memory
from cfpm.model.clock import Clock, utc_now
from cfpm_adapters.server.service import MemoryService, Receipts
from cfpm_adapters.signing import check_secret
from cfpm_adapters.webhook.endpoint import is_loopback

if TYPE_CHECKING:
    import uvicorn

MAX_BODY = 4 * 1024 * 1024
"""Bytes of a request. The provider sends a quarter of one at once."""

GRACE = 10
"""Seconds in which running requests may end."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What to serve and where. Without a secret only this machine may ask, so `anywhere` needs one."""

    url: str
    namespace: str = "default"
    host: str = "127.0.0.1"
    port: int = 0
    secret: str | None = field(default=None, repr=False)
    anywhere: bool = False
    max_body: int = MAX_BODY
    clock: Clock = utc_now


def serve(serving: Serving, announce: Callable[[str], None]) -> None:
    """Serves until the process is told to end; `announce` gets the address once it listens.

    Raises UsageError for another host without `anywhere` and a secret, InputError for an address that cannot be used,
    MissingExtraError without the extra `server`, StoreError for a database that cannot be used.
    """
    check_place(serving)
    server, sock = prepared(serving)
    with sock:
        run_until_told(server, sock, lambda: announce(address(sock)))


def run_until_told(server: uvicorn.Server, sock: socket.socket, announce: Callable[[], None]) -> None:
    """Runs the server until SIGTERM, which may come before it listens; ending in order is success."""

    def end(*_: object) -> None:
        # The server raises the signal again when it has ended.
        server.should_exit = True

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)
    announce()
    server.run(sockets=[sock])


def check_place(serving: Serving) -> None:
    """Raises UsageError where somebody else than this machine could ask without proof."""
    if is_loopback(serving.host):
        return
    if not serving.anywhere:
        raise UsageError(
            serving.host, "other machines could ask for the memory", "Add --allow-remote and a secret if they may"
        )
    if serving.secret is None:
        raise UsageError(serving.host, "other machines could ask without proof", "Name a secret with --secret-env")


def prepared(serving: Serving) -> tuple[uvicorn.Server, socket.socket]:
    """The server and its listening socket."""
    try:
        import uvicorn

        from cfpm_adapters.server.app import Limits, application
        from cfpm_adapters.server.connections import MOST_CONNECTIONS, Connection
    except ImportError as error:
        raise MissingExtraError("The server", "server") from error
    secret = check_secret(serving.secret) if serving.secret is not None else None

    receipts = Receipts()

    def open_service() -> MemoryService:
        return MemoryService(Memory.open(serving.url, namespace=serving.namespace, clock=serving.clock), receipts)

    # A database that cannot be used is said now, and not by a server that never comes up.
    open_service().close()
    config = uvicorn.Config(
        application(open_service, Limits(secret, serving.max_body, serving.clock)),
        http=Connection,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(config), listening(serving.host, serving.port)


def address(sock: socket.socket) -> str:
    """`http://127.0.0.1:8642`."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises InputError."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, protocol)
        try:
            with suppress(AttributeError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(place)
            sock.listen(128)
        except BaseException:
            # Also when interrupted or cancelled: a bound port must not stay behind. Raised again as it came.
            sock.close()
            raise
    except OSError as error:
        raise InputError(f"{host}:{port}", error.strerror or str(error), "Choose another --host or --port") from error
    return sock
