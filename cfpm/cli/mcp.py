"""`mcp`: the memory as tools of an agent, over the Model Context Protocol. The server itself is an adapter."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

from cfpm.cli.hook import Approval, Permission
from cfpm.cli.options import Common
from cfpm.cli.parser import Option
from cfpm.errors import UsageError

DEFAULT_PORT = 8643


def mcp(
    http: Annotated[bool, Option("--http", help="Serve HTTP on this machine in place of standard input.")] = False,
    port: Annotated[
        int | None,
        Option("--port", metavar="N", min=0, max=65535, help=f"For --http; default {DEFAULT_PORT}, 0: any free one."),
    ] = None,
    artifacts: Annotated[
        Path | None, Option("--artifacts", metavar="DIR", help="Where long results were kept, for the tool `open`.")
    ] = None,
    agent: Annotated[str, Option("--agent", metavar="NAME", help="The agent that writes, for its facts.")] = "",
    permission: Approval = Permission.ASK,
    *,
    common: Common,
) -> None:
    """Serve the memory to an agent over the Model Context Protocol.

    Tools: recall, remember, forget, why, open, brief, compact_conversation. Over standard input and output unless
    --http is given. With --namespace auto it is the memory of the project in this folder. Ends at the end of its input,
    when it is interrupted or told to.
    """
    if port is not None and not http:
        raise UsageError("--port", "only --http listens on a port", "Add --http or leave --port out")
    # Adapters import this package, never the reverse, so the server is loaded by name.
    memories = import_module("cfpm_adapters.mcp.memories")
    serving = import_module("cfpm_adapters.mcp.serve")
    served = memories.Served(common.url, common.configured(), agent, Path.cwd(), artifacts)
    if not http:
        serving.serve_stdio(served, permission.value)
        return

    def announce(address: str) -> None:
        document = {"url": served.url, "namespace": served.name(), "address": address}
        common.answer(document, f"Serving {served.url}, namespace {served.name()}, on {address}")
        # Whoever started it waits for this line, and nothing else may come for days.
        sys.stdout.flush()

    serving.serve_http(served, DEFAULT_PORT if port is None else port, announce, permission.value)
