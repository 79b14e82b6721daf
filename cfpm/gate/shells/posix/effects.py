"""What a POSIX shell command changes, so that a probe may mean something else. Errs on the safe side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.gate.probe import How
from cfpm.gate.shells.posix.commands import Command, command_of, may_be_unforeseeable
from cfpm.gate.shells.posix.detection import Spot
from cfpm.gate.shells.posix.grammar import descendants
from cfpm.gate.shells.posix.words import Word, word_of
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_NOT_ARGUMENTS = frozenset(
    ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect", "comment")
)
_MENTION = lazy_pattern(
    r"(?<![\w$])(?<!\$\{)(HOME|XDG_[A-Z]+_(?:DIR|HOME))(?!\w)|\$\{(HOME|XDG_[A-Z]+_(?:DIR|HOME)):?="
)
"""A variable named otherwise than to read its value: assigned, exported, unset, read into, passed by name."""


_STATUS = lazy_pattern(r"\$\{?\?|(?i:status)")
"""A question for how the last command ended, which may be the one in a substitution."""


@dataclass(frozen=True, slots=True)
class Effects:
    """`variables` may have another value after a part of the command, all of them if `unforeseeable`. `asks_status`: it
    looks at how a part of it ended."""

    variables: frozenset[str]
    functions: frozenset[str]
    unforeseeable: bool
    asks_status: bool

    def touch(self, spot: Spot) -> bool:
        """Whether the probe may mean something else because of the command itself."""
        if self.unforeseeable:
            return True
        if spot.how is How.SYSTEM and ("xdg-user-dir" in self.functions or "XDG_CONFIG_HOME" in self.variables):
            return True
        return any(name in self.variables for name in spot.variables)

    def redefine(self, command: Command) -> bool:
        """Whether the command is a function that is defined beside it."""
        return any(name in self.functions for name in command.names)


def effects_of(root: Node, command: str) -> Effects:
    """What the whole command changes, wherever in it."""
    variables = frozenset(match[1] or match[2] for match in _MENTION.finditer(command))
    functions: set[str] = set()
    unforeseeable = False
    for node in descendants(root):
        if node.type == "command":
            unforeseeable = unforeseeable or _is_unforeseeable(node, command)
        elif node.type == "declaration_command":
            unforeseeable = unforeseeable or _declares_unknown(node, command)
        elif node.type == "function_definition":
            name = node.child_by_field_name("name")
            functions.add(command[name.start_byte : name.end_byte] if name else "")
    return Effects(variables, frozenset(functions), unforeseeable, _STATUS.search(command) is not None)


def simple_command(node: Node, command: str) -> tuple[Command, list[Node]]:
    """The command that `node` is, and its words as nodes, the name first."""
    words = _word_nodes(node)
    if not words:
        return command_of([""]), []
    return command_of([word_of(word, command).value for word in words]), words


def words_in(node: Node, command: str) -> list[Word]:
    """The words of the simple command that `node` is, the name first; none for one of assignments alone."""
    return [word_of(word, command) for word in _word_nodes(node)]


def _word_nodes(node: Node) -> list[Node]:
    words = [child for child in node.children if child.is_named and child.type not in _NOT_ARGUMENTS]
    return [child.children[0] if child.type == "command_name" else child for child in words]


def _is_unforeseeable(node: Node, command: str) -> bool:
    name = next((child for child in node.children if child.type == "command_name"), None)
    if name is None or not may_be_unforeseeable(command[name.start_byte : name.end_byte].strip("'\"\\")):
        return False
    return simple_command(node, command)[0].unforeseeable or command[name.start_byte] in "'\"\\"


def _declares_unknown(node: Node, command: str) -> bool:
    """Whether it declares what the text does not name, as in `export $(cat .env)`."""
    declared = [child for child in node.children if child.is_named and child.type != "variable_assignment"]
    return any(set("$`") & set(command[child.start_byte : child.end_byte]) for child in declared)
