"""`hook`: an agent host's events as commands, and their place in its settings. The hosts themselves are adapters."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from cfpm.cli.options import DEFAULT_NAMESPACE, AsJson, Db, Namespace
from cfpm.cli.output import answer
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError
from cfpm.paths.project import NO_PROJECT

HOSTS = {"claude-code": "cfpm_adapters.claude_code"}
"""The host's name to its package. Adapters import this package, never the reverse, so they are loaded by name."""


class Permission(StrEnum):
    """What happens to a changed command before it runs."""

    ASK = "ask"
    ALLOW = "allow"


Host = Annotated[str, Argument(metavar="HOST", help=f"One of: {', '.join(HOSTS)}.")]
SettingsFile = Annotated[Path | None, Option("--settings", metavar="FILE", help="The settings file. Default: --user.")]
ForUser = Annotated[bool, Option("--user", help="The settings of this user, for all projects.")]
ForProject = Annotated[bool, Option("--project", help="The settings of the project in this folder.")]
Approval = Annotated[Permission, Option("--permission", help="Ask the user about a changed command, or allow it.")]


def claude_code(db: Db = None, namespace: Namespace = DEFAULT_NAMESPACE, permission: Approval = Permission.ASK) -> None:
    """Answer one event of Claude Code: JSON on standard input, JSON or nothing on standard output.

    For its settings file, see `cfpm hook install`. Whatever fails, the tool call goes on unchanged.
    """
    # Reached from another program only: `cfpm.cli.main` takes the short way to the same function.
    options = ["--permission", permission]
    for name, value in (("--db", db), ("--namespace", namespace)):
        options += [name, value] if value is not None else []
    sys.exit(_part("claude-code", "hook").main(options))


def install(
    host: Host,
    *,
    settings: SettingsFile = None,
    user: ForUser = False,
    project: ForProject = False,
    permission: Approval = Permission.ASK,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Put the hook into the settings of an agent host.

    Nothing else in the file changes. Again with other options, it replaces its own entry.
    """
    part = _part(host, "install")
    file = _file(part, settings, user=user, project=project)
    # For all events of all projects: what a folder's own settings say is asked when one comes.
    whose = namespace if namespace is not None else os.environ.get("CFPM_NAMESPACE", NO_PROJECT)
    command = part.hook_command(_part(host, "event").Options(db, whose, permission.value))
    changed = part.install(file, command)
    text = f"{file}: {'installed' if changed else 'nothing to do, it is installed'}: {command}"
    answer(as_json, {"settings": str(file), "changed": changed, "command": command}, text)


def uninstall(
    host: Host,
    *,
    settings: SettingsFile = None,
    user: ForUser = False,
    project: ForProject = False,
    as_json: AsJson = False,
) -> None:
    """Take the hook out of the settings of an agent host."""
    part = _part(host, "install")
    file = _file(part, settings, user=user, project=project)
    changed = part.uninstall(file)
    text = f"{file}: {'taken out' if changed else 'nothing to do, it is not installed'}"
    answer(as_json, {"settings": str(file), "changed": changed}, text)


def _part(host: str, name: str) -> Any:
    if host not in HOSTS:
        raise UsageError(host, "no such host", f"Known are: {', '.join(HOSTS)}")
    return import_module(f"{HOSTS[host]}.{name}")


def _file(part: Any, settings: Path | None, *, user: bool, project: bool) -> Path:
    if (settings is not None) + user + project > 1:
        raise UsageError("--settings, --user, --project", "more than one file is named", "Choose one")
    if settings is not None:
        return settings
    chosen: Path = part.project_settings() if project else part.user_settings()
    return chosen
