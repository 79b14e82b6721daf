"""PowerShell's grammar: parses a text and names what surrounds a character. Knows no probes and judges nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

DEEPEST = 1_500
"""Levels of the tree that are followed; one level of brackets costs about fifteen."""
_ENDING = "\n;\n"
"""The grammar wants a line's end, and a statement after a `param` block."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that the grammar understood as a whole. All offsets that it takes and gives are characters."""

    text: str
    _data: bytes
    _tree: Tree

    def around(self, at: int) -> list[Node]:
        """The nodes around the character `at`, the outermost first; empty when they are too many."""
        byte = self.byte(at)
        cursor = self._tree.walk()
        nodes: list[Node] = []
        while (node := cursor.node) is not None and node.start_byte <= byte < node.end_byte:
            nodes.append(node)
            if len(nodes) > DEEPEST:
                return []
            if cursor.goto_first_child_for_byte(byte) is None:
                break
        return nodes

    def nodes(self) -> Iterator[Node]:
        """All nodes, in no promised order. Not recursive: commands may be nested deeply."""
        waiting = [self._tree.root_node]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.named_children)

    def byte(self, at: int) -> int:
        """The offset in bytes of a character."""
        return at if len(self._data) == len(self.text) else len(self.text[:at].encode())

    def start(self, node: Node) -> int:
        """The first character of a node."""
        return self._character(node.start_byte)

    def end(self, node: Node) -> int:
        """The character after a node."""
        return self._character(node.end_byte)

    def of(self, node: Node) -> str:
        """The text of a node."""
        return self._data[node.start_byte : node.end_byte].decode(errors="replace")

    def _character(self, byte: int) -> int:
        return byte if len(self._data) == len(self.text) else len(self._data[:byte].decode(errors="replace"))


def parse(text: str) -> Source | None:
    """The text as the grammar sees it, None when there is anything in it that the grammar does not understand."""
    ended = text + _ENDING
    data = ended.encode()
    tree = _parser().parse(data)
    return None if tree.root_node.has_error else Source(ended, data, tree)


@cache
def _parser() -> Parser:
    import tree_sitter_powershell
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_powershell.language()))
