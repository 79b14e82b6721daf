"""`hook`: an agent host's events. The hosts themselves are adapters."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib import import_module
from typing import Annotated

from cfpm.cli.options import Db, Namespace
from cfpm.cli.parser import Argument, Option


class Permission(StrEnum):
    """What happens to a changed command before it runs."""

    ASK = "ask"
    ALLOW = "allow"


Approval = Annotated[Permission, Option("--permission", help="Ask the user about a changed command, or allow it.")]


def hook(
    host: Annotated[str, Argument(metavar="HOST", help="claude-code, codex, gemini, opencode, cursor or hermes.")],
    event: Annotated[
        str, Argument(metavar="[EVENT]", help="The host's name for it. Default: what the event says.")
    ] = "",
    *,
    db: Db = None,
    namespace: Namespace = None,
    permission: Approval = Permission.ASK,
) -> None:
    """Answer one event of an agent host: JSON on standard input, JSON or nothing on standard output.

    `cfpm install HOST` puts it into the host's settings. Whatever fails, the host's turn goes on unchanged; `cfpm
    doctor` says what failed.
    """
    # Reached from another program only: `cfpm.cli.main` takes the short way to the same function.
    words = [host, *([event] if event else []), "--permission", permission]
    for name, value in (("--db", db), ("--namespace", namespace)):
        words += [name, value] if value is not None else []
    sys.exit(import_module("cfpm_adapters.hosts.hook").main(words))
