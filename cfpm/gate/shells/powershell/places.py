"""Which place of a PowerShell command a string or a question stands in: only places that are known are good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.gate.decision import Reason
from cfpm.gate.shells.powershell.commands import Argument, Call, call_of, is_command, named, objection
from cfpm.gate.shells.powershell.grammar import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_CARRIERS = frozenset({
    "array_literal_expression", "pipeline", "pipeline_chain", "parenthesized_expression", "sub_expression",
    "array_expression", "string_literal", "expandable_string_literal",
})  # fmt: skip
"""What hands the value on as it is, alone or among others."""
_STATEMENTS = frozenset({
    "if_statement", "elseif_clause", "while_condition", "switch_condition", "foreach_statement",
    "flow_control_statement",
})  # fmt: skip
_SINGLE = "_expression"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value goes: into an argument of `call`, the name of a command, a file that output is sent to, or a value
    (without a call). `nested` says that it stands in code within a string."""

    call: Call | None = None
    argument: Argument | None = None
    nested: bool = False


def place_of(source: Source, nodes: list[Node], at: int) -> Place | Reason:
    """The place of `nodes[at]`, of nodes from the outermost to the innermost, or why it is none to change."""
    found = _climb(source, nodes, at)
    if isinstance(found, Reason):
        return found
    place, top = found
    for index in range(top):
        if nodes[index].type == "command":
            call = call_of(source, nodes[index])
            if call is None:
                return Reason.UNSUPPORTED_PLACE
            if reason := objection(call, None, outer=True):
                return reason
        elif nodes[index].type == "expandable_here_string_literal":
            return Reason.HERE_DOCUMENT
    nested = any(node.type == "expandable_string_literal" for node in nodes[:at])
    return Place(place.call, place.argument, nested)


def _climb(source: Source, nodes: list[Node], at: int) -> tuple[Place, int] | Reason:
    """The place, and the number of the node that bounds it."""
    for index in range(at - 1, -1, -1):
        node, child = nodes[index], nodes[index + 1]
        if node.type == "command_elements":
            return _argument(source, nodes, index)
        if node.type in ("redirected_file_name", "command_name_expr"):
            return _outside_arguments(source, nodes, index)
        if node.type == "statement_list" and nodes[index - 1].type in _CARRIERS:
            continue
        if node.type in ("statement_list", "statement_block", *_STATEMENTS):
            return Reason.NESTED_LANGUAGE if _feeds_code(source, nodes, index) else (Place(), index)
        if node.type in ("assignment_expression", "script_parameter_default", "hash_entry", "argument_expression"):
            return _target(source, nodes, index)
        if reason := _in_expression(source, node, child):
            return reason
    return Reason.UNSUPPORTED_PLACE


def _in_expression(source: Source, node: Node, child: Node) -> Reason | None:
    kind = node.type.replace("_argument_expression", _SINGLE)
    if kind in _CARRIERS:
        return None
    if kind == "key_expression":
        return Reason.PATTERN
    if node.child_count == 1 and kind.endswith(_SINGLE):
        return None
    match kind:
        case "comparison_expression" | "format_expression":
            return Reason.PATTERN
        case "additive_expression" if node.start_byte == child.start_byte:
            signs = {source.of(one) for one in node.children[1::2]}
            return None if signs == {"+"} and ".." not in source.of(node) else Reason.UNSUPPORTED_PLACE
        case "expression_with_unary_operator" if child.type == "cast_expression":
            return None
        case "cast_expression" if _is_harmless(source, node.children[0]):
            return None
    return Reason.UNSUPPORTED_PLACE


def _argument(source: Source, nodes: list[Node], index: int) -> tuple[Place, int] | Reason:
    call = call_of(source, nodes[index - 1])
    element = nodes[index + 1]
    if call is None or not is_command(call) or source.text[source.start(element) - 1] not in " \t\r\n:":
        return Reason.UNSUPPORTED_PLACE
    argument = call.argument(element)
    if argument is None:
        return Reason.UNSUPPORTED_PLACE
    if reason := objection(call, argument):
        return reason
    if _feeds_code(source, nodes, index):
        return Reason.NESTED_LANGUAGE
    return Place(call, argument), index - 1


def _outside_arguments(source: Source, nodes: list[Node], index: int) -> tuple[Place, int] | Reason:
    """The name of the command, or a file that its output goes to."""
    top = next((number for number in range(index, -1, -1) if nodes[number].type == "command"), None)
    call = None if top is None else call_of(source, nodes[top])
    if source.text[source.start(nodes[index + 1]) - 1] == ".":
        return Reason.UNSUPPORTED_PLACE
    if top is None or call is None or not is_command(call) or _feeds_code(source, nodes, index):
        return Reason.UNSUPPORTED_PLACE
    return Place(), top


def _target(source: Source, nodes: list[Node], index: int) -> tuple[Place, int] | Reason:
    node, child = nodes[index], nodes[index + 1]
    good = False
    match node.type:
        case "assignment_expression":
            left = node.children[0]
            good = child.type == "pipeline" and (b"[" not in (left.text or b"") or _is_harmless_cast(source, left))
        case "script_parameter_default":
            good = all(
                _is_harmless(source, kind) for kind in _types(nodes[index - 1]) if not source.of(kind).endswith(")]")
            )
        case "hash_entry":
            key = "-" + source.of(node.children[0]).lower().strip("'\"")
            if child.type == "pipeline" and (named("pattern_parameters", key) or named("code_parameters", key)):
                return Reason.PATTERN
            good = child.type == "pipeline" and not named("remote_parameters", key)
        case "argument_expression" if index >= 3 and nodes[index - 3].type == "invokation_expression":
            names = [one for one in nodes[index - 3].children if one.type == "member_name"]
            good = bool(names) and named("methods", source.of(names[-1]).lower())
    return (Place(), index) if good else Reason.UNSUPPORTED_PLACE


def _feeds_code(source: Source, nodes: list[Node], index: int) -> bool:
    """Whether the value goes through a pipe into something that runs it, here or elsewhere."""
    chain = next((node for node in nodes[index:] if node.type == "pipeline_chain"), None)
    if chain is None or nodes[index].type == "command_elements":
        before = nodes[: index + 1]
        chain = next((node for node in reversed(before) if node.type == "pipeline_chain"), chain)
    commands = [] if chain is None else [node for node in chain.children if node.type == "command"]
    calls = (call_of(source, node) for node in commands)
    return any(call is None or named("code", call.name) or named("remote", call.name) for call in calls)


def _types(node: Node) -> list[Node]:
    """The types that a parameter is declared with."""
    lists = [one for one in node.children if one.type == "attribute_list"]
    return [attribute for one in lists for attribute in one.children if attribute.type == "attribute"]


def _is_harmless_cast(source: Source, left: Node) -> bool:
    text = source.of(left)
    return text.startswith("[") and named("types", text[1:].partition("]")[0].lower().strip())


def _is_harmless(source: Source, kind: Node) -> bool:
    return named("types", source.of(kind).lower().removeprefix("[").removesuffix("]").strip())
