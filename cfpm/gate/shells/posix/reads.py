"""Whether a POSIX shell command only reads, from an open list of what does: whatever is not on it may do anything.

Looks at the whole command, since a path that is read in one part is often written to in the next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from cfpm.gate.probe import Effect
from cfpm.gate.shells.posix.effects import words_in
from cfpm.gate.shells.posix.grammar import descendants
from cfpm.gate.tables import read_table
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

    from cfpm.gate.shells.posix.words import Word

_NAME = lazy_pattern(r"[A-Za-z0-9_.+:\[-]+")
_OWN = lazy_pattern(r"\$HOME|\$\{HOME\}|\$\{?XDG_[A-Z]+_DIR\}?|[$`]\(?xdg-user-dir [A-Z]+[)`]|[<>]\(.*", re.DOTALL)
"""Expansions that cannot become an option, and are not split into several words where the gate changes them."""
_GLOB = frozenset("*?[{")
_ASSIGNS = lazy_pattern(r"(?<![=<>!])=(?!=)|\+\+|--|@[A-Za-z]|^\$\{!|\[(?![0-9@*]{1,9}\])|:\s*[A-Za-z_($]")
"""In an expansion: assigns, or takes a value for a prompt, a name or a number, which may hold a command."""
_COUNTS = lazy_pattern(r"\s-(?:eq|ne|lt|le|gt|ge|v|R)\s")
"""In a test: takes a text for a number or a name, as above."""
_ESCAPED = lazy_pattern(r"\\[$`0-7xuU]")
"""A sign in a text that is not what it seems."""
_TEXTS = frozenset({"raw_string", "ansi_c_string", "string_content", "word"})
_NAMES = lazy_pattern(r"[A-Za-z_]|(?!^)\$")
"""In a sum: a variable, as above."""
_TELLING = {
    "test_command": _COUNTS,
    "expansion": _ASSIGNS,
    "arithmetic_expansion": _NAMES,
}
"""Nodes that do more than they seem where their text has such a sign in it."""
_LONGEST = 1_000
"""Characters of such a node that are read: they may be nested, and each is read on its own."""
_COMMAND_IN_TEXT = lazy_pattern(r"`|\$\(")
_SINK = "/dev/null"
_SOCKET = lazy_pattern(r"/dev/|[$`*?\[\\]")
"""In a file that is read: bash opens connections under such names, or the name cannot be seen."""
_HANDLE = lazy_pattern(r"[0-9]+-?|-")


def effect_of(root: Node, command: str) -> Effect:
    """What the command does at most, wherever in it."""
    effect, seen = Effect.READS, set[int]()
    for node in descendants(root):
        effect = max(effect, _effect(node, command))
        if effect is Effect.ACTS:
            return effect
        if node.type in ("command_substitution", "arithmetic_expansion"):
            text = _text(node, command)
            seen |= {node.end_byte - len(text.lstrip()), node.end_byte - 1}
        elif node.type in ("raw_string", "comment"):
            inside = _COMMAND_IN_TEXT.finditer(command, node.start_byte, node.end_byte)
            seen.update(found.start() for found in inside)
    # The grammar does not look for commands everywhere where a shell does, as in a pattern that is replaced.
    known = all(found.start() in seen for found in _COMMAND_IN_TEXT.finditer(command))
    return effect if known else Effect.ACTS


def _effect(node: Node, command: str) -> Effect:
    if not node.is_named or node.type in _table()["quiet"]:
        return Effect.READS
    if node.type in _TEXTS:
        return Effect.ACTS if _hides_command(_text(node, command)) else Effect.READS
    if pattern := _TELLING.get(node.type):
        # The grammar counts a blank before an expansion in.
        text = _text(node, command).lstrip()
        return Effect.ACTS if len(text) > _LONGEST or pattern.search(text) else Effect.READS
    return _of_structure(node, command)


def _of_structure(node: Node, command: str) -> Effect:
    match node.type:
        case "command":
            return _of_command(node, command)
        case "variable_assignment":
            return _of_assignment(node, command)
        case "file_redirect":
            return _of_redirection(node, command)
        case "for_statement" if _is(node, "for"):
            return _of_variable(node.child_by_field_name("variable"), command)
        case "declaration_command":
            plain = all(child.type in ("variable_assignment", "variable_name") for child in node.children[1:])
            return Effect.OUTLASTS if plain else Effect.ACTS
        case "compound_statement" if _is(node, "{"):
            return Effect.READS
        case "herestring_redirect" | "heredoc_redirect":
            # The grammar counts the words behind one in.
            words = [child for child in node.named_children if not child.type.startswith(("heredoc_", "file_"))]
            return Effect.READS if len(words) <= (node.type == "herestring_redirect") else Effect.ACTS
    return Effect.ACTS


def _hides_command(text: str) -> bool:
    """Whether a command may stand in a subscript of this text, to be run where a shell takes the text for a number."""
    return ("[" in text and ("`" in text or "$(" in text)) or _ESCAPED.search(text) is not None


def _of_command(node: Node, command: str) -> Effect:
    words = words_in(node, command)
    if not words:
        return Effect.READS
    table, name = _table(), command[words[0].start : words[0].end]
    for folder in table["folders"]:
        name = name.removeprefix(folder)
    if not _NAME.fullmatch(name):
        return Effect.ACTS
    if name in table["moves"]:
        return Effect.OUTLASTS
    if name in table["plain"]:
        return Effect.READS
    if name in table["unless"]:
        return Effect.READS if _is_without(words[1:], table["unless"][name]) else Effect.ACTS
    if name in table["scripts"]:
        return Effect.READS if _is_script(words[1:], table["scripts"][name]) else Effect.ACTS
    return Effect.ACTS


def _is_without(words: Sequence[Word], options: str) -> bool:
    """Whether none of the words is such an option, or may become one."""
    return all(_is_sure(word) and not re.fullmatch(options, word.value or "", re.DOTALL) for word in words)


def _is_script(words: Sequence[Word], allowed: dict[str, str]) -> bool:
    script = None
    for word in words:
        value = word.value
        if script is None and value is None:
            value = _in_single_quotes(word)
        if value is None or not value.startswith("-"):
            if not _is_sure(word) and script is not None:
                return False
            if script is None and (value is None or not re.fullmatch(allowed["script"], value, re.DOTALL)):
                return False
            script = script or value
        elif not re.fullmatch(allowed["options"], value):
            return False
    return script is not None


def _in_single_quotes(word: Word) -> str | None:
    """The text of a word that is one single-quoted string, backslashes and all."""
    kinds = [piece.kind for piece in word.pieces]
    text = word.command[word.start : word.end]
    return text[1:-1] if kinds == ["mark", "text", "mark"] and text.startswith("'") else None


def _is_sure(word: Word) -> bool:
    """Whether the word is as many words as it seems, and its beginning is in sight."""
    for index, piece in enumerate(word.pieces):
        text = word.command[piece.start : piece.end]
        if piece.kind == "expansion" and not _OWN.fullmatch(text) and (piece.quote == "" or index <= 1):
            return False
    first = next((piece for piece in word.pieces if piece.kind != "mark"), None)
    if first is None or first.kind == "expansion":
        return True
    text = word.command[first.start : first.end]
    unclear = text.startswith("\\") or (first.quote == "" and text[:1] in _GLOB)
    return not unclear and (not text.startswith("-") or word.value is not None)


def _of_assignment(node: Node, command: str) -> Effect:
    name = node.child_by_field_name("name")
    if node.parent is not None and node.parent.type == "command":
        plain = name is not None and re.fullmatch(_table()["harmless"], _text(name, command))
        return Effect.READS if plain else Effect.ACTS
    return _of_variable(name, command)


def _of_variable(name: Node | None, command: str) -> Effect:
    if name is None or name.type != "variable_name" or _steering().fullmatch(_text(name, command)):
        return Effect.ACTS
    return Effect.OUTLASTS


def _of_redirection(node: Node, command: str) -> Effect:
    signs = [child.type for child in node.children if not child.is_named]
    targets = [child for child in node.named_children if child.type != "file_descriptor"]
    # `{name}<x` gives the variable a number.
    if len(signs) != 1 or len(targets) > 1 or command[node.start_byte - 1 : node.start_byte] == "}":
        return Effect.ACTS
    target = _text(targets[0], command) if targets else ""
    match signs[0]:
        case "<":
            unknown = _SOCKET.search(target.replace("${HOME}", "").replace("$HOME", ""))
            return Effect.ACTS if unknown else Effect.READS
        case ">" | ">>" | ">|" | "&>" | "&>>":
            return Effect.READS if target == _SINK else Effect.ACTS
        case ">&" | "<&":
            return Effect.READS if _HANDLE.fullmatch(target) else Effect.ACTS
        case ">&-" | "<&-":
            return Effect.READS if not targets else Effect.ACTS
    return Effect.ACTS


def _is(node: Node, keyword: str) -> bool:
    return bool(node.children) and node.children[0].type == keyword


def _text(node: Node, command: str) -> str:
    return command[node.start_byte : node.end_byte]


def _table() -> dict[str, Any]:
    return read_table("shells/posix/reads")


@cache
def _steering() -> re.Pattern[str]:
    return compiled(_table()["steering"])
