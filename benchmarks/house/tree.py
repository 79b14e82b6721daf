"""The source files of a checkout as parsed modules. Nothing of the checkout is imported or run."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGES = {"cfpm": "cfpm", "cfpm_adapters": "adapters/cfpm_adapters"}
"""The packages that are measured, and their folders in a checkout."""


@dataclass(frozen=True)
class Module:
    """One Python file: its dotted name and its text."""

    name: str
    path: Path
    text: str

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__` of a folder."""
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """The package in which it stands: itself for an `__init__`."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def lines(self) -> int:
        """All lines: code, comments, docstrings and blank ones."""
        return self.text.count("\n")

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)


def modules(checkout: Path) -> dict[str, Module]:
    """The modules of all packages by name. Empty for a folder that is no checkout."""
    found = {}
    for package, folder in PACKAGES.items():
        root = checkout / folder
        for path in sorted(root.rglob("*.py")):
            parts = [package, *path.relative_to(root).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = Module(name, path, path.read_text(encoding="utf-8"))
    return found


def room(name: str) -> str:
    """The room of a module: the folder in `cfpm`, or the file itself where it stands loose; adapters are one room."""
    package, _, rest = name.partition(".")
    return rest.partition(".")[0] or "cfpm" if package == "cfpm" else package


def is_loose(module: Module) -> bool:
    """Whether the file stands at the top of `cfpm`, in no room."""
    return module.path.parent.name == "cfpm" and module.name.count(".") <= 1 and not _is_room(module)


def _is_room(module: Module) -> bool:
    return module.is_package and module.name != "cfpm"


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """The name and the lines (decorators and docstring counted) of each function and method, nested ones too."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, (node.end_lineno or node.lineno) - first + 1
