"""What `doctor` and `reindex` do with a Chroma beside the memory. The provider itself lives in the adapters."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from cfpm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from cfpm.memory import Memory
    from cfpm.store.doctor import Check

EMBEDDERS = ("static", "onnx")

Chroma = Annotated[
    str | None, typer.Option("--chroma", metavar="PATH|URL", help="The folder or address of a Chroma beside it.")
]
Embedder = Annotated[
    str | None,
    typer.Option("--embedder", metavar="NAME", help="Of that Chroma: static or onnx. Default: that of the memory."),
]


def rebuild(
    memory: Memory, chroma: str, embedder: str | None, progress: Callable[[int, int], None] | None = None
) -> int:
    """Brings the Chroma into step with the memory, and returns how many vectors it has."""
    vectors: int = _adapter().rebuild(memory, chroma, _known(embedder), progress)
    return vectors


def checks(memory: Memory, chroma: str, embedder: str | None) -> list[Check]:
    """What a doctor finds there."""
    found: list[Check] = _adapter().examine(memory, chroma, _known(embedder))
    return found


def _known(embedder: str | None) -> str | None:
    """The name, if there is such an embedder. Raises UsageError."""
    if embedder is not None and embedder not in EMBEDDERS:
        raise UsageError("--embedder", f"there is no embedder {embedder!r}", f"Known are {', '.join(EMBEDDERS)}")
    return embedder


def _adapter() -> ModuleType:
    # By name, for the adapters stand above this package.
    return import_module("cfpm_adapters.vector.rebuild")
