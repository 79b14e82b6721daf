"""The syntax tree of a POSIX shell command, when it can be trusted. Knows nothing of probes.

tree-sitter-bash reads all four shells; what another shell reads differently is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

MAX_CHARACTERS = 200_000
"""Longer commands are not read. Reading as many full of probes takes some 1.5 s."""
_MAX_HERE_DOCUMENTS = 64
"""The grammar takes quadratic time in the here-documents that are open at once: 64 of them cost 0.2 ms."""
_OPERATORS = "|&(){}[]!<>*"
_MAX_OPERATORS = 2_000
"""Where they make no sense, the grammar takes quadratic time in their number: some 0.1 s for this many."""
_UNREADABLE = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_ASCII = lazy_pattern(r"[^\x00-\x7f]")
_BASH_ONLY = frozenset(
    {"process_substitution", "array", "herestring_redirect", "ansi_c_string", "translated_string"}
    | {"c_style_for_statement", "extglob_pattern", "[[", "&>", "&>>", "|&", "((", "select", "function"}
    | {"+=", ";&", ";;&", "coproc"}
)
"""What dash reads as something else, or not at all."""
_NOT_ZSH = frozenset({"extglob_pattern"})


def parsed(command: str, dialect: Dialect) -> Node | Reason:
    """The root of the tree, or the reason why there is none to trust. Its byte offsets are offsets of characters."""
    if len(command) > MAX_CHARACTERS or sum(map(command.count, _OPERATORS)) > _MAX_OPERATORS:
        return Reason.TOO_LONG
    if _UNREADABLE.search(command) or command.count("<<") > _MAX_HERE_DOCUMENTS:
        return Reason.CANNOT_PARSE
    # The grammar takes Unicode white space for a separator where shells see a letter. A character of one byte that is
    # neither part of a name nor special also makes bytes and characters the same.
    tree = _parser().parse(_NOT_ASCII.sub("%", command).encode() + b"\n")
    if tree.root_node.has_error or not _as_the_shell_reads(tree.root_node, command, dialect):
        return Reason.CANNOT_PARSE
    return tree.root_node


def descendants(root: Node) -> Iterator[Node]:
    """All nodes under `root`, itself included, in no promised order. Not recursive: commands may be nested deeply."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


def _parser() -> Parser:
    """A parser of its own for each command: threads must not share one."""
    import tree_sitter

    return tree_sitter.Parser(_language())


@cache
def _language() -> Language:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


def _as_the_shell_reads(root: Node, command: str, dialect: Dialect) -> bool:
    match dialect:
        case Dialect.SH | Dialect.DASH:
            foreign = _BASH_ONLY
        case Dialect.ZSH:
            foreign = _NOT_ZSH
        case _:
            foreign = frozenset()
    documents = "<<" in command
    if not documents and not foreign:
        return True
    for node in descendants(root):
        kind = node.type
        if kind in foreign or (documents and kind == "heredoc_redirect" and not _ends_where_it_should(node, command)):
            return False
    return True


def _ends_where_it_should(document: Node, command: str) -> bool:
    """Whether a here-document ends at the first line that is its delimiter, found without the grammar."""
    start = next((child for child in document.children if child.type == "heredoc_start"), None)
    end = next((child for child in document.children if child.type == "heredoc_end"), None)
    if start is None or end is None:
        return False
    delimiter = re.fullmatch(r"""(["']?)([A-Za-z0-9_.!-]+)\1""", command[start.start_byte : start.end_byte])
    line_end = command.find("\n", start.end_byte)
    if delimiter is None or line_end < 0:
        return False
    tabs = r"\t*" if document.children[0].type == "<<-" else ""
    last_line = re.compile(rf"^{tabs}{re.escape(delimiter[2])}$", re.MULTILINE).search(command, line_end + 1)
    return last_line is not None and last_line.end() == end.end_byte
