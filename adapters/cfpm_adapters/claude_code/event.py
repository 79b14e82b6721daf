"""What a hook of Claude Code is given and what it answers, and the little that every part of it needs.

Standard library only, since the host waits while it loads.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from cfpm.model.markers import switched

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


def of_project(options: Options, event: Event) -> Options:
    """The options with the namespace that is meant: that of the event's folder where it is to follow from it.

    Raises ValueError for a settings file that is broken.
    """
    if options.namespace not in (Options().namespace, "auto"):
        return options
    from pathlib import Path

    from cfpm.paths.project import AUTO, configured_namespace, namespace_of

    folder = Path(text_of(event.get("cwd")) or Path.cwd())
    named = options.namespace if options.namespace == AUTO else configured_namespace(os.environ, folder)
    return options._replace(namespace=namespace_of(folder) if named == AUTO else named)


def visibility(configured: Mapping[str, object] | None = None) -> object:
    """How much is shown (`off`, `brief`, `debug`), by the environment, else by the settings file."""
    for name in ("tool_gate_visibility", "visibility"):
        said = os.environ.get(f"CFPM_{name.upper()}") or (configured or {}).get(name)
        if said is not None:
            return switched(said, ("off", "brief", "debug"), "brief")
    return "brief"


def note(text: str) -> None:
    """A line on standard error, which the host shows only to those who look for it."""
    print(text.encode("ascii", "backslashreplace").decode(), file=sys.stderr)
