"""Whether a PowerShell command only reads, from an open list of what does: whatever is not on it may do anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cfpm.gate.probe import Effect
from cfpm.gate.shells.powershell.commands import Call, call_of
from cfpm.gate.shells.powershell.grammar import Source
from cfpm.gate.tables import read_table
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_VARIABLE = lazy_pattern(r"(?:\[[\w.\[\]]+\]\s*)?\$(?!ps)\w+\s*", 2)
"""What may be assigned to: a variable of its own, and none by which PowerShell is set up."""
_NOWHERE = "$null"
_SINK = lazy_pattern(r"[1-6*]?>>?\$null|[2-6*]>&1", 2)
"""A redirection that the grammar takes for a word, as it does with all that have a number and no blank."""


def effect_of(source: Source) -> Effect:
    """What the command does at most, wherever in it."""
    effect = Effect.READS
    for node in source.nodes():
        effect = max(effect, _effect(source, node))
        if effect is Effect.ACTS:
            break
    return effect


def _effect(source: Source, node: Node) -> Effect:
    match node.type:
        case "command":
            return _of_call(call_of(source, node), list(_arguments(source, node)))
        case "assignment_expression":
            plain = _VARIABLE.fullmatch(source.of(node.children[0]))
            return Effect.OUTLASTS if plain else Effect.ACTS
        case "foreach_statement" | "post_increment_expression" | "post_decrement_expression" | "param_block":
            return Effect.OUTLASTS
        case "pre_increment_expression" | "pre_decrement_expression":
            return Effect.OUTLASTS
        case "invokation_expression":
            names = [child for child in node.children if child.type == "member_name"]
            return _known("methods", source.of(names[-1]) if names else "")
        case "type_literal":
            return _known("types", source.of(node).strip("[] \t") + ("[]" if source.of(node).endswith("[]]") else ""))
        case "redirection":
            targets = [child for child in node.children if child.type == "redirected_file_name"]
            return Effect.READS if all(source.of(one).strip().lower() == _NOWHERE for one in targets) else Effect.ACTS
        case kind if kind.endswith("_statement"):
            return _known("statements", kind)
    return Effect.READS


def _of_call(call: Call | None, arguments: list[tuple[str, str]]) -> Effect:
    """The effect of a call; `arguments` are the kinds and texts of what it is given."""
    if call is None or call.operator or any(kind == "generic_token" and ">" in text for kind, text in arguments):
        return Effect.ACTS
    names, written = read_table("shells/powershell/reads")["names"], call.written.lower()
    if written in names["moves"]:
        return Effect.OUTLASTS
    if written in names["blocks"]:
        only_blocks = all(kind == "array_literal_expression" for kind, _ in arguments)
        return Effect.READS if only_blocks else Effect.ACTS
    if written not in names["commands"]:
        return Effect.ACTS
    keeps = any(word.rstrip(":") in names["keeps"] or _begins(word, names["keeps_long"]) for word in call.words)
    return Effect.OUTLASTS if keeps else Effect.READS


def _begins(word: str, parameters: frozenset[str]) -> bool:
    word = word.partition(":")[0]
    return len(word) > 3 and any(parameter.startswith(word) for parameter in parameters)


def _arguments(source: Source, node: Node) -> Iterator[tuple[str, str]]:
    """The kinds and texts of a command's arguments, without what stands between them and what sends output nowhere."""
    for part in node.children:
        for child in part.children if part.type == "command_elements" else ():
            text = source.of(child)
            if child.type not in ("command_argument_sep", "redirection", "comment") and not _SINK.fullmatch(text):
                yield child.type, text


def _known(listed: str, name: str) -> Effect:
    names: frozenset[str] = read_table("shells/powershell/reads")["names"][listed]
    return Effect.READS if name.lower() in names else Effect.ACTS
