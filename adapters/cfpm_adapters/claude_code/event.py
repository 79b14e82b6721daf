"""What a hook of Claude Code is given and what it answers, and the little that every part of it needs.

Standard library only, since the host waits while it loads.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Event = dict[str, Any]

PERMISSIONS = ("ask", "allow")
SHELLS = ("Bash", "PowerShell")
AGENT = "claude-code"


class Options(NamedTuple):
    """What stands behind `cfpm hook claude-code` in the settings file."""

    db: str | None = None
    namespace: str = "default"
    permission: str = "ask"


class Answer(NamedTuple):
    """What the host is told, empty for nothing, and what is left to do once it was told."""

    text: str = ""
    then: Callable[[], None] | None = None


def text_of(value: object) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def visibility(configured: Mapping[str, object] | None = None) -> object:
    """How much is shown (`off`, `brief`, `debug`), by the environment, else by the settings file."""
    for name in ("tool_gate_visibility", "visibility"):
        if said := os.environ.get(f"CFPM_{name.upper()}") or (configured or {}).get(name):
            return said
    return "brief"


def note(text: str) -> None:
    """A line on standard error, which the host shows only to those who look for it."""
    print(text.encode("ascii", "backslashreplace").decode(), file=sys.stderr)
