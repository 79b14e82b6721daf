"""Patterns and word lists that stand in Python, where data files should hold them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.house.tree import Module

LEAST = 5
"""So many words make a list."""

_PATTERN_CALLS = frozenset({"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
_WORD = re.compile(r"[a-z]+(?:[ '’-][a-z]+)*|[\u4e00-\u9fff]+")
_NOT_WORDS = re.compile(r"__\w+__|column|field|key|attribute|homes", re.IGNORECASE)
"""Names to which lists of columns, of attributes or of a module's own names are given."""

_ALTERNATION = re.compile(rf"(?:[a-z\u4e00-\u9fff][\w'’ -]*\|){{{LEAST - 1},}}[a-z\u4e00-\u9fff][\w'’ -]*")


class Literal(NamedTuple):
    """A pattern, or a list of words, where it begins."""

    module: str
    line: int
    text: str


def patterns(module: Module) -> Iterator[Literal]:
    """The calls of `re.compile`, and those of other functions of `re` that are given a literal pattern."""
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _PATTERN_CALLS
            and node.args
            and (node.func.attr == "compile" or isinstance(node.args[0], ast.Constant | ast.JoinedStr))
        ):
            yield Literal(module.name, node.lineno, ast.unparse(node.args[0]))


def word_lists(module: Module) -> Iterator[Literal]:
    """Tuples, lists, sets and split texts of at least five words in lower case, and patterns that take any of so many.

    A guess by form: lists for `__all__`, of columns, fields and keys are left out by the name they are given, those
    within types (`Literal[...]`) by their place.
    """
    waiting: list[ast.AST] = [module.tree]
    while waiting:
        node = waiting.pop()
        if _is_named_otherwise(node) or isinstance(node, ast.Subscript):
            continue
        found = _words(node)
        if len(found) >= LEAST and all(map(_WORD.fullmatch, found)):
            yield Literal(module.name, getattr(node, "lineno", 0), " ".join(found))
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (of := _ALTERNATION.search(node.value)):
            yield Literal(module.name, node.lineno, of.group())
        waiting.extend(ast.iter_child_nodes(node))


def _is_named_otherwise(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and _NOT_WORDS.search(target.id) for target in targets)


def _words(node: ast.AST) -> list[str]:
    """The strings of a collection of strings or of a text that is split at blanks; empty for all else."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            texts = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            return texts if len(texts) == len(items) else []
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split"), args=[]):
            return text.split()
        case _:
            return []
