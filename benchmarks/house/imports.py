"""Which module imports which, in what circles, and what no front door reaches. Read from the text; nothing is run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

    from benchmarks.house.tree import Module

DOORS = (
    "cfpm",
    "cfpm.memory",
    "cfpm.async_memory",
    "cfpm.cli",
    "cfpm.__main__",
    "cfpm.store.tables.__main__",
    "cfpm_adapters",
    *(f"cfpm_adapters.{name}" for name in ("claude_sdk", "langchain", "openai_agents", "pydantic_ai", "tools")),
)
"""Where people come in: the public names of `cfpm` and of `cfpm_adapters`, the command line, the two memories, what
hosts import of a framework by its module; for contributors what `python -m` runs."""


@dataclass(frozen=True, slots=True)
class Imports:
    """The edges of one checkout: module to imported module.

    `eager` run when the module is loaded, `lazy` inside a function or by a name in a string. A table in a package's
    `__init__`, from public name to module, is an edge to that module for whoever imports the name or loads the package
    by a string, and for nobody else.
    """

    eager: dict[str, set[str]] = field(default_factory=dict)
    lazy: dict[str, set[str]] = field(default_factory=dict)
    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    """Package to public name to module."""

    def all(self) -> dict[str, set[str]]:
        """Both kinds of edges."""
        return {name: self.eager[name] | self.lazy[name] for name in self.eager}


def imports(modules: Mapping[str, Module]) -> Imports:
    """Reads the imports of all modules; those of other packages and those for type checkers only are left out."""
    tables = {name: table for name, module in modules.items() if (table := _table(module, modules))}
    found = Imports(tables=tables)
    for name, module in modules.items():
        eager: set[str] = set()
        lazy = set() if name in tables else set(_named_in_strings(module, modules))
        lazy |= {home for package in lazy for home in tables.get(package, {}).values()}
        for node, is_lazy in _statements([module.tree], inside=False):
            (lazy if is_lazy else eager).update(_targets(node, module, modules, tables))
        found.eager[name] = eager - {name}
        found.lazy[name] = lazy - eager - {name}
    return found


def _statements(nodes: Iterable[ast.AST], *, inside: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The import statements among these nodes and below them, and whether each stands inside a function."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, inside
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _statements(node.orelse, inside=inside)
        else:
            lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _statements(ast.iter_child_nodes(node), inside=inside or lazy)


def _targets(
    node: ast.Import | ast.ImportFrom,
    module: Module,
    modules: Mapping[str, Module],
    tables: Mapping[str, Mapping[str, str]],
) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
        return
    source = node.module or ""
    if node.level:
        above = module.package.split(".")[: len(module.package.split(".")) - node.level + 1]
        source = ".".join([*above, *([node.module] if node.module else [])])
    for alias in node.names:
        if f"{source}.{alias.name}" in modules:
            yield f"{source}.{alias.name}"
        elif source in modules:
            yield source
            yield from _behind(source, alias.name, tables)


def _behind(package: str, name: str, tables: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """The module that a lazy package loads for a name; more than one where it in turn names a lazy package."""
    while home := tables.get(package, {}).get(name):
        yield home
        package = home


def _table(module: Module, modules: Mapping[str, Module]) -> dict[str, str]:
    """The lazy names of an `__init__`: the dictionary in it whose values all name modules. Empty without one."""
    if not module.is_package:
        return {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Dict) and node.values:
            pairs = {
                _text(key): _home(_text(value), module, modules)
                for key, value in zip(node.keys, node.values, strict=True)
            }
            if all(pairs) and all(pairs.values()):
                return pairs
    return {}


def _home(value: str, module: Module, modules: Mapping[str, Module]) -> str:
    return next((name for name in (value, f"{module.package}.{value}") if value and name in modules), "")


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _named_in_strings(module: Module, modules: Mapping[str, Module]) -> Iterator[str]:
    """Modules which it loads by name: string constants that are a module's whole name, or a name within such a package.

    Only where `import_module` is called, but for commands, which stand as `module:function` of their package.
    """
    texts = {_text(node) for node in ast.walk(module.tree) if isinstance(node, ast.Constant)}
    commands = (f"{module.package}.{text.partition(':')[0]}" for text in texts if ":" in text)
    yield from (name for name in commands if name in modules)
    called = {_called(node) for node in ast.walk(module.tree) if isinstance(node, ast.Call)}
    if "import_module" not in called:
        return
    packages = {text.rstrip(".") for text in texts if text.rstrip(".") in modules} | {module.package}
    for text in texts:
        yield from (name for name in (text, *(f"{package}.{text}" for package in packages)) if name in modules)


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def reached(found: Imports, doors: Iterable[str] = DOORS) -> set[str]:
    """The modules that the doors lead to, lazy imports included; loading a module loads the packages that hold it."""
    edges = found.all()
    waiting = [door for door in doors if door in edges]
    waiting += [home for door in waiting for home in found.tables.get(door, {}).values()]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        above = name.rpartition(".")[0]
        waiting += [*edges[name], *([above] if above in edges else [])]
    return seen


def circles(edges: Mapping[str, Set[str]]) -> list[list[str]]:
    """The groups of modules that import each other round and round, sorted: Tarjan's strongly connected components."""
    search = _Components(edges)
    for name in sorted(edges):
        if name not in search.order:
            search.visit(name)
    return sorted(search.found)


@dataclass(slots=True)
class _Components:
    """The state of Tarjan's search. Calls itself once for each module on a path, so it is for graphs of hundreds."""

    edges: Mapping[str, Set[str]]
    order: dict[str, int] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    found: list[list[str]] = field(default_factory=list)

    def visit(self, name: str) -> None:
        """Walks what can be reached from a module, and closes its component behind it."""
        self.order[name] = self.lowest[name] = len(self.order)
        self.open.append(name)
        for other in sorted(self.edges.get(name, ())):
            if other not in self.order:
                self.visit(other)
                self.lowest[name] = min(self.lowest[name], self.lowest[other])
            elif other in self.open:
                self.lowest[name] = min(self.lowest[name], self.order[other])
        if self.lowest[name] == self.order[name]:
            start = self.open.index(name)
            component = self.open[start:]
            del self.open[start:]
            if len(component) > 1:
                self.found.append(sorted(component))
