"""`serve`: the memory behind HTTP, for webhook providers. The server itself is an adapter."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated

from cfpm.cli.location import make_room
from cfpm.cli.options import Common
from cfpm.cli.parser import Option
from cfpm.errors import UsageError

DEFAULT_PORT = 8642


def serve(
    host: Annotated[str, Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, Option("--port", metavar="N", min=0, max=65535, help="0 lets the system choose.")
    ] = DEFAULT_PORT,
    secret_env: Annotated[
        str | None,
        Option("--secret-env", metavar="NAME", help="The variable that holds the secret for signatures."),
    ] = None,
    allow_remote: Annotated[bool, Option("--allow-remote", help="Let other machines ask; needs a secret.")] = False,
    *,
    common: Common,
) -> None:
    """Serve the memory over HTTP, for webhook providers.

    Ends in order when it is interrupted or told to.
    """
    url = make_room(common.url)
    # Adapters import this package, never the reverse, so the server is loaded by name.
    whose = common.whose
    server = import_module("cfpm_adapters.server.serve")
    serving = server.Serving(url, whose, host, port, _secret(secret_env), allow_remote)

    def announce(address: str) -> None:
        document = {"url": url, "namespace": whose, "address": address}
        common.answer(document, f"Serving {url}, namespace {whose}, on {address}")
        # Whoever started it waits for this line, and nothing else may come for days.
        sys.stdout.flush()

    server.serve(serving, announce)


def _secret(name: str | None) -> str | None:
    if name is None:
        return None
    if not (secret := os.environ.get(name, "")).strip():
        raise UsageError("--secret-env", f"the variable {name} is not set", f"Set it: export {name}=...")
    return secret
