"""Walks the tree of a POSIX shell command down to the words that hold look-alikes. Only places that are known to be
right lead on; everything else is a reason to leave the look-alike alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cfpm.gate.decision import Reason
from cfpm.gate.shells.posix.detection import QUESTION, Spot
from cfpm.gate.shells.posix.effects import simple_command
from cfpm.gate.shells.posix.words import Word, word_of
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

    from cfpm.gate.shells.posix.commands import Command

_LEADING_ON = frozenset(
    {"program", "list", "pipeline", "subshell", "compound_statement", "do_group", "negated_command"}
    | {"if_statement", "elif_clause", "else_clause", "while_statement", "variable_assignments"}
    | {"redirected_statement", "command_substitution", "process_substitution"}
)
_WORDS = frozenset(
    {"word", "number", "string", "concatenation", "raw_string", "ansi_c_string", "translated_string"}
    | {"simple_expansion", "expansion", "arithmetic_expansion", "brace_expression"}
    | {"command_substitution", "process_substitution"}
)
_REASONS = {
    "comment": Reason.COMMENT,
    "heredoc_body": Reason.HERE_DOCUMENT,
    "herestring_redirect": Reason.HERE_DOCUMENT,
    "regex": Reason.PATTERN,
    "extglob_pattern": Reason.PATTERN,
    "translated_string": Reason.STRING_LITERAL,
    "ansi_c_string": Reason.STRING_LITERAL,
}
_REDIRECTIONS = frozenset({"<", ">", ">>", ">|", "&>", "&>>"})
_DECLARATIONS = frozenset({"export", "declare", "local", "readonly", "typeset"})
_BEFORE_TEST = lazy_pattern(r"(?:^|\s)(?:\[\[?|!|&&|\|\||\(|-[ao])\s+-[defhLOGNrswx]\s+\Z")
_AFTER_TEST = lazy_pattern(r"\s+(?:\]\]?|&&|\|\||-[ao]\s|\))")
_SIGHT = 60
"""Characters around an operand of a test that are looked at."""


@dataclass(frozen=True, slots=True)
class Place:
    """The word that a look-alike stands in. `history`: a double-quoted string stands around the word."""

    word: Word
    history: bool = False
    assignment: bool = False
    declared: bool = False
    command: Command | None = None
    index: int = 0


@dataclass(slots=True)
class Walk:
    """The way down: what is still to be visited, and what was found out about each look-alike by its start."""

    text: str
    spots: list[Spot]
    found: dict[int, Place | Reason] = field(default_factory=dict)
    waiting: list[tuple[Node, bool]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)

    def spots_in(self, node: Node) -> list[Spot]:
        return self.spots[bisect_left(self.starts, node.start_byte) : bisect_left(self.starts, node.end_byte)]

    def lead_on(self, nodes: list[Node], history: bool) -> None:
        self.waiting.extend((node, history) for node in nodes)

    def refuse(self, nodes: list[Node], reason: Reason) -> None:
        for node in nodes:
            self.found.update((spot.start, _REASONS.get(node.type, reason)) for spot in self.spots_in(node))


def places(root: Node, text: str, spots: list[Spot]) -> Iterator[tuple[Spot, Place | Reason]]:
    """Each look-alike with its place, or with the reason why nothing may be changed there."""
    walk = Walk(text, spots, starts=[spot.start for spot in spots])
    walk.lead_on([root], False)
    while walk.waiting:
        node, history = walk.waiting.pop()
        if walk.spots_in(node):
            _visit(walk, node, history)
    return ((spot, walk.found.get(spot.start, Reason.UNSUPPORTED_PLACE)) for spot in spots)


def _visit(walk: Walk, node: Node, history: bool) -> None:
    children = node.children
    match node.type:
        case kind if kind in _LEADING_ON:
            if children[0].type == "`":
                walk.refuse(children, Reason.UNSUPPORTED_PLACE)
            else:
                walk.lead_on(children, history)
        case "command":
            _command(walk, node, history)
        case "variable_assignment":
            _assignment(walk, node, history, declared=False)
        case "declaration_command" if children[0].type in _DECLARATIONS:
            for child in children[1:]:
                _declaration(walk, child, history)
        case "file_redirect":
            _redirection(walk, children, history)
        case "test_command" if children[0].type in ("[", "[["):
            _test(walk, node, history)
        case _:
            _visit_compound(walk, node, history)


def _visit_compound(walk: Walk, node: Node, history: bool) -> None:
    """What has parts of several kinds."""
    children = node.children
    match node.type:
        case "heredoc_redirect":
            redirections = [child for child in children if child.type == "file_redirect"]
            walk.refuse([child for child in children if child.type != "file_redirect"], Reason.UNSUPPORTED_PLACE)
            walk.lead_on(redirections, history)
        case "for_statement" if children[0].type == "for":
            _loop(walk, children, history)
        case "c_style_for_statement":
            walk.lead_on([child for child in children if child.type == "do_group"], history)
        case "case_statement":
            walk.lead_on([child for child in children if child.type in ("case_item", "comment")], history)
        case "case_item":
            _case(walk, children, history)
        case _:
            walk.refuse([node], Reason.UNSUPPORTED_PLACE)


def _word(walk: Walk, node: Node, place: Place, reason: Reason | None = None) -> None:
    """Notes the place of the look-alikes in a word, and leads on into substitutions."""
    substitutions: dict[int, tuple[Node, bool]] = {}
    for spot in walk.spots_in(node):
        piece = place.word.pieces[place.word.piece_at(spot.start)]
        inner = piece.node
        if reason is not None or not place.word.stands_alone:
            walk.found[spot.start] = reason or Reason.UNSUPPORTED_PLACE
        elif inner is None or (piece.start == spot.start and QUESTION.fullmatch(walk.text, piece.start, piece.end)):
            walk.found[spot.start] = place
        elif inner.type in ("command_substitution", "process_substitution"):
            substitutions[inner.start_byte] = (inner, place.history or piece.quote == '"')
        else:
            walk.found[spot.start] = _REASONS.get(inner.type, place)
    walk.waiting.extend(substitutions.values())


def _command(walk: Walk, node: Node, history: bool) -> None:
    command, words = simple_command(node, walk.text)
    for index, child in enumerate(words):
        if not walk.spots_in(child):
            continue
        if child.type not in _WORDS:
            walk.refuse([child], Reason.UNSUPPORTED_PLACE)
            continue
        place = Place(word_of(child, walk.text), history, command=command, index=index)
        _word(walk, child, place, command.objections[index])
    others = ("variable_assignment", "file_redirect", "herestring_redirect", "comment")
    walk.lead_on([child for child in node.children if child.type in others], history)


def _assignment(walk: Walk, node: Node, history: bool, *, declared: bool) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    plain = name is not None and name.type == "variable_name" and node.children[1].type == "="
    if value is None or not plain:
        walk.refuse([node], Reason.UNSUPPORTED_PLACE)
    elif value.type == "array":
        for child in value.children[1:-1]:
            _any_word(walk, child, history)
    elif value.type in _WORDS:
        place = Place(word_of(value, walk.text), history, assignment=True, declared=declared)
        _word(walk, value, place)
    else:
        walk.refuse([node], Reason.UNSUPPORTED_PLACE)


def _declaration(walk: Walk, child: Node, history: bool) -> None:
    if child.type == "variable_assignment":
        _assignment(walk, child, history, declared=True)
    else:
        walk.refuse([child], Reason.UNSUPPORTED_PLACE)


def _redirection(walk: Walk, children: list[Node], history: bool) -> None:
    """Only the first word behind the sign is its target: the grammar counts the command's later words in."""
    at = next((index for index, child in enumerate(children) if child.type in _REDIRECTIONS), None)
    if at is None or len(children) <= at + 1:
        walk.refuse(children, Reason.UNSUPPORTED_PLACE)
        return
    _any_word(walk, children[at + 1], history)
    walk.refuse(children[at + 2 :], Reason.UNSUPPORTED_PLACE)


def _loop(walk: Walk, children: list[Node], history: bool) -> None:
    for child in children:
        if child.type in ("do_group", "compound_statement"):
            walk.lead_on([child], history)
        else:
            _any_word(walk, child, history)


def _case(walk: Walk, children: list[Node], history: bool) -> None:
    closing = next((index for index, child in enumerate(children) if child.type == ")"), len(children))
    walk.refuse(children[:closing], Reason.PATTERN)
    walk.lead_on(children[closing:], history)


def _test(walk: Walk, test: Node, history: bool) -> None:
    """Only operands of tests of one file, and those by the text around them: the grammar's tree of tests is unsure."""
    waiting = list(test.children)
    while waiting:
        node = waiting.pop()
        if not walk.spots_in(node):
            continue
        tilde = node.type == "unary_expression" and node.children[0].type == "~"
        if node.type in ("unary_expression", "binary_expression", "parenthesized_expression") and not tilde:
            waiting.extend(node.children)
        elif node.type in _WORDS or tilde:
            before = walk.text[max(test.start_byte, node.start_byte - _SIGHT) : node.start_byte]
            after = walk.text[node.end_byte : min(test.end_byte, node.end_byte + _SIGHT)]
            of_a_file = _BEFORE_TEST.search(before) and _AFTER_TEST.match(after)
            reason = None if of_a_file else _why_not_in(test)
            _word(walk, node, Place(word_of(node, walk.text), history), reason)
        else:
            walk.refuse([node], Reason.PATTERN)


def _why_not_in(test: Node) -> Reason:
    return Reason.PATTERN if test.children[0].type == "[[" else Reason.UNSUPPORTED_PLACE


def _any_word(walk: Walk, child: Node, history: bool) -> None:
    if not walk.spots_in(child):
        return
    if child.type in _WORDS:
        _word(walk, child, Place(word_of(child, walk.text), history))
    else:
        walk.refuse([child], Reason.UNSUPPORTED_PLACE)
