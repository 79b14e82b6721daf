"""Puts the commands together, in the order in which the help lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
import typer.main

from cfpm.cli import (
    audit,
    chart,
    compact,
    demo,
    erase,
    facts,
    files,
    gate,
    hook,
    maintenance,
    observe,
    recall,
    serve,
    transfer,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("demo", demo.demo),
    ("observe", observe.observe),
    ("recall", recall.recall),
    ("gate", gate.gate),
    ("compact", compact.compact),
    ("chart", chart.chart),
    ("facts", facts.facts),
    ("remember", facts.remember),
    ("forget", facts.forget),
    ("erase", erase.erase),
    ("pin", facts.pin),
    ("unpin", facts.unpin),
    ("history", facts.history),
    ("rollback", facts.rollback),
    ("export", transfer.export),
    ("import", transfer.import_),
    ("backup", files.backup),
    ("restore", files.restore),
    ("encrypt", files.encrypt),
    ("decrypt", files.decrypt),
    ("rekey", files.rekey),
    ("serve", serve.serve),
    ("doctor", maintenance.doctor),
    ("reindex", maintenance.reindex),
    ("purge", maintenance.purge),
)


def command() -> typer.core.TyperGroup:
    """The command `cfpm` with all its subcommands."""
    app = typer.Typer(
        help="A memory for AI agents that can be audited.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(version)
    for name, function in _COMMANDS:
        app.command(name)(function)
    app.add_typer(audit.app(), name="audit")
    app.add_typer(hook.app(), name="hook")
    return typer.main.get_group(app)


def version(show_version: bool = typer.Option(False, "--version", is_eager=True, help="Print the version.")) -> None:
    """A memory for AI agents that can be audited: what was said, what is believed, and why."""
    if show_version:
        from cfpm import __version__
        from cfpm.cli.output import show

        show(f"cfpm {__version__}")
        raise typer.Exit
