"""Runs the MCP server over standard input and output, or over HTTP on this machine, until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from cfpm.errors import MissingExtraError
from cfpm_adapters.mcp.memories import Served

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

Permission = Literal["ask", "allow"]

STOPS = (signal.SIGTERM, signal.SIGINT)

GRACE = 5
"""Seconds in which running calls may end."""

PATH = "/mcp"


def serve_stdio(served: Served, permission: Permission = "ask") -> None:
    """Serves one client over standard input and output until it closes them, or until SIGTERM.

    Nothing but the protocol is written to standard output. Raises MissingExtraError without the extra `mcp`.
    """
    asyncio.run(_over_stdio(_built(served, permission)))


def serve_http(served: Served, port: int, announce: Callable[[str], None], permission: Permission = "ask") -> None:
    """Serves any number of clients on the loopback interface until SIGTERM; `announce` gets the address.

    Raises InputError for a port that cannot be used, MissingExtraError without the extra `mcp`.
    """
    server = _built(served, permission)
    import uvicorn

    from cfpm_adapters.server.serve import address, listening, run_until_told

    app = server.streamable_http_app(streamable_http_path=PATH)
    config = uvicorn.Config(
        app, ws="none", log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACE
    )
    with listening("127.0.0.1", port) as sock:
        run_until_told(uvicorn.Server(config), sock, lambda: announce(f"{address(sock)}{PATH}"))


def _built(served: Served, permission: Permission) -> MCPServer[None]:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="cfpm: %(message)s")
    try:
        from cfpm_adapters.mcp.server import build
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise MissingExtraError("The MCP server", "mcp") from error
    return build(served, permission=permission)


async def _over_stdio(server: MCPServer[None]) -> None:
    serving = asyncio.ensure_future(server.run_stdio_async())
    stop = asyncio.Event()
    for name in STOPS:
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        stopping.cancel()
        serving.result()
        return
    # The reader of standard input cannot be interrupted; the memories can be closed without it.
    serving.cancel()
    await asyncio.wait((serving,), timeout=GRACE)
    sys.stderr.flush()
    os._exit(0)
