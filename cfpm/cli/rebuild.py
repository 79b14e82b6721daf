"""`rebuild`: brings a Chroma into step with the memory. The provider itself lives in the adapters."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from cfpm.cli.options import DEFAULT_NAMESPACE, AsJson, Db, Namespace, open_to_read
from cfpm.cli.output import console, counted, show, show_json
from cfpm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from cfpm.memory import Memory
    from cfpm.store import Check

EMBEDDERS = ("static", "onnx")

Embedder = Annotated[
    str | None,
    typer.Option("--embedder", metavar="NAME", help="static or onnx, as the provider has it. Default: the setting."),
]


def rebuild(
    chroma: Annotated[str, typer.Option("--chroma", metavar="PATH|URL", help="The folder or address of Chroma.")],
    embedder: Embedder = None,
    db: Db = None,
    namespace: Namespace = DEFAULT_NAMESPACE,
    as_json: AsJson = False,
) -> None:
    """Bring a Chroma into step with the memory, from nothing if need be.

    What is sound there is kept, so a rebuild that was stopped goes on.
    """
    with open_to_read(db, namespace) as memory, _bar() as advance:
        vectors = _adapter().rebuild(memory, chroma, known(embedder), advance)
    if as_json:
        show_json({"chroma": chroma, "vectors": vectors})
    else:
        show(f"Chroma has {counted(vectors, 'vector')}, as many as the memory has messages and facts to find")


def chroma_checks(memory: Memory, chroma: str, embedder: str | None) -> list[Check]:
    """What `doctor` finds there."""
    found: list[Check] = _adapter().examine(memory, chroma, known(embedder))
    return found


def known(embedder: str | None) -> str | None:
    """The name, if there is such an embedder. Raises UsageError."""
    if embedder is not None and embedder not in EMBEDDERS:
        raise UsageError("--embedder", f"there is no embedder {embedder!r}", f"Known are {', '.join(EMBEDDERS)}")
    return embedder


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error over what there is to do, and only when somebody looks."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("rebuilding", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _adapter() -> ModuleType:
    # By name, for the adapters stand above this package.
    return import_module("cfpm_adapters.vector.rebuilding")
