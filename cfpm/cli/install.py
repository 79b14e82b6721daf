"""`install`: the memory in the settings of an agent host. The hosts themselves are adapters."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from cfpm.cli.hook import Approval, Permission
from cfpm.cli.options import Common
from cfpm.cli.output import counted, show, show_json, show_table
from cfpm.cli.parser import Argument, Option
from cfpm.errors import UsageError
from cfpm.paths.project import AUTO

Layout = Any
"""A host's, of `cfpm_adapters.hosts.install.wanted`. Adapters import this package, never the reverse."""

Change = Any
"""Of one file, of `cfpm_adapters.hosts.install.installer`."""


def install(
    host: Annotated[
        str, Argument(metavar="[HOST]", help="claude-code, codex, gemini, opencode, cursor or hermes.")
    ] = "",
    *,
    user: Annotated[bool, Option("--user", help="For this user, in all projects. The default.")] = False,
    project: Annotated[bool, Option("--project", help="For the project in this folder.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    remove: Annotated[bool, Option("--remove", help="Take it out again, to the last character.")] = False,
    status: Annotated[bool, Option("--status", help="List the hosts of this machine, and what is installed.")] = False,
    permission: Approval = Permission.ASK,
    common: Common,
) -> None:
    """Give an agent host this memory: hooks, tools and a page for the agent in its own settings.

    Nothing else in those files changes, and the difference is shown. Again with other options, it replaces its own
    entries. Each project has a memory of its own, unless --namespace or CFPM_NAMESPACE name one.
    """
    if user and project:
        raise UsageError("--user, --project", "both are named", "Choose one")
    if status:
        _status(host, common.as_json)
        return
    if not host:
        raise UsageError("HOST", "no host is named", "Name one, or see `cfpm install --status`")
    layout = _part("wanted").Layout.of(host, Path.cwd() if project else None)
    whose = common.namespace if common.namespace is not None else os.environ.get("CFPM_NAMESPACE", AUTO)
    options = import_module("cfpm_adapters.hosts.event").Options(common.db, whose, permission.value)
    server = layout.tools_file is not None and _part("wanted").has_server()
    changes: list[Change] = _part("installer").plan(layout, options, remove=remove, server=server)
    if not dry_run:
        _part("installer").carry_out(changes)
    _told(layout, changes, common.as_json, dry_run=dry_run, remove=remove, server=server)


def _told(layout: Layout, changes: list[Change], as_json: bool, *, dry_run: bool, remove: bool, server: bool) -> None:
    changed = [change for change in changes if change.changed]
    if as_json:
        files = [{"path": str(c.path), "changed": c.changed, "diff": c.diff(), "note": c.note} for c in changes]
        show_json({"host": layout.host.name, "changed": bool(changed) and not dry_run, "files": files})
        return
    for change in changed:
        show(change.diff())
    for change in changes:
        if change.note:
            show(f"{change.path}: {change.note}")
    if not changed:
        show("nothing to do, it is not installed" if remove else "nothing to do, it is installed")
        return
    would = "would be " if dry_run else ""
    show(f"\n{counted(len(changed), 'file')} {would}{'put back' if remove else 'written'} for {layout.host.title}.")
    if dry_run or remove:
        return
    show(layout.table["restart"])
    if not server and layout.tools_file is not None:
        show("The tools are not installed: pip install 'cfpm[mcp]', then the same command again.")


def _status(host: str, as_json: bool) -> None:
    wanted, event = _part("wanted"), import_module("cfpm_adapters.hosts.event")
    rows: list[dict[str, Any]] = []
    for name in [host] if host else event.HOSTS:
        for scope in ("user", "project"):
            try:
                layout = wanted.Layout.of(name, Path.cwd() if scope == "project" else None)
            except UsageError:
                if host and scope == "user":
                    raise
                continue
            found = layout.found if scope == "user" else layout.folder.is_dir()
            rows.append({"host": name, "for": scope, "found": found, **_part("installer").installed(layout)})
    if as_json:
        show_json({"hosts": rows})
        return
    cells = [
        (row["host"], row["for"], "yes" if row["found"] else "no", ", ".join(row["installed"]) or "-", row["folder"])
        for row in rows
        if row["for"] == "user" or row["found"] or row["installed"]
    ]
    show_table(("host", "for", "on this machine", "installed", "folder"), cells, wide="folder")


def _part(name: str) -> Any:
    return import_module(f"cfpm_adapters.hosts.install.{name}")
