"""What a PowerShell command does with one of its arguments, as far as a path in it may be changed. No probes here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cfpm.gate.decision import Reason
from cfpm.gate.shells.powershell.grammar import Source
from cfpm.gate.tables import read_table
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ARGUMENTS = 400
"""Arguments of a command that is looked at; one with more is left alone."""
_NAME = lazy_pattern(r"[A-Za-z0-9_][\w.\\/:+-]*(?<!:)|[.~][\\/][\w.\\/+-]+|[?%]")
_CMDLET = lazy_pattern(r"[a-z]+-[a-z]\w*")
_CODE_OPTION = lazy_pattern(r"--?(?:c|e|r|p|ne|pe|le|eval|print|command|exec)")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: the parameter it belongs to (with its dash, empty for none), and its number among the positional
    ones, -1 when that is not certain."""

    node: Node
    parameter: str
    position: int


@dataclass(frozen=True, slots=True)
class Call:
    """A command: its name in lower case without folder (empty when a variable names it), and its arguments."""

    name: str
    written: str
    operator: str
    words: tuple[str, ...]
    arguments: tuple[Argument, ...]

    def argument(self, node: Node) -> Argument | None:
        """The argument that this node is."""
        return next((one for one in self.arguments if one.node.byte_range == node.byte_range), None)

    @property
    def is_cmdlet(self) -> bool:
        """Whether PowerShell itself reads the arguments, as far as the name says."""
        return bool(_CMDLET.fullmatch(self.name)) or self.name in tables()["providers"]


def call_of(source: Source, command: Node) -> Call | None:
    """The command as a call, None when it has too many arguments."""
    name = operator = ""
    elements: Iterable[Node] = ()
    for child in command.children:
        match child.type:
            case "command_name" | "command_name_expr":
                name = source.of(child)
            case "command_invokation_operator":
                operator = source.of(child)
            case "command_elements":
                if child.child_count > MOST_ARGUMENTS:
                    return None
                elements = child.children
    words = tuple(source.of(one).lower() for one in elements if one.type in ("generic_token", "command_parameter"))
    return Call(_basename(name), name, operator, words, tuple(_arguments(source, elements)))


def objection(call: Call, argument: Argument | None, *, outer: bool = False) -> Reason | None:
    """Why a path in this argument is none that may be changed. With `outer`, for what stands in a block of code that
    the command is given."""
    names = tables()["names"]
    parameters = {one for one in call.words if one.startswith("-")}
    if call.name in names["remote"] or any(_means(one, names["remote_parameters"]) for one in parameters):
        return Reason.REMOTE_HOST
    if call.name in names["containers"] and not names["remote_subcommands"].isdisjoint(call.words):
        return Reason.REMOTE_HOST
    if call.name in names["code"]:
        return Reason.NESTED_LANGUAGE
    if call.name in names["interpreters"] and any(_CODE_OPTION.fullmatch(one) for one in parameters):
        return Reason.NESTED_LANGUAGE
    return None if outer or argument is None else _objection_to(call, argument)


def is_command(call: Call) -> bool:
    """Whether this can be a command rather than prose or a line of another language."""
    names = tables()["names"]
    if call.operator:
        return bool(call.written)
    if not _NAME.fullmatch(call.written) or call.name in names["foreign"]:
        return False
    return "=" not in call.words and names["prose"].isdisjoint(call.words) and not call.written.endswith(".")


def takes_home(call: Call, argument: Argument) -> bool:
    """Whether the command resolves a `~` at the start of this argument itself."""
    allowed: int = tables()["providers"].get(call.name, 0)
    if argument.parameter:
        return bool(allowed) and argument.parameter in tables()["names"]["path_parameters"]
    return 0 <= argument.position < allowed


def takes_away(call: Call, argument: Argument | None) -> bool:
    """Whether the command deletes or moves what this argument names."""
    if argument is None or call.name not in tables()["names"]["destroyers"]:
        return False
    return not (argument.parameter == "-destination" or (call.name[:1] == "m" and argument.position == 1))


def named(listed: str, word: str) -> bool:
    """Whether a list of the tables has this word."""
    words: frozenset[str] = tables()["names"][listed]
    return word in words


def tables() -> dict[str, Any]:
    """What is known of commands: `providers` by name, and sets of `names`."""
    return read_table("shells/powershell/commands")


def _objection_to(call: Call, argument: Argument) -> Reason | None:
    names = tables()["names"]
    parameter = argument.parameter
    if call.name in names["starters"]:
        allowed = parameter in names["starter_parameters"] if parameter else argument.position == 0
        return None if allowed else Reason.NESTED_LANGUAGE
    if _means(parameter, names["code_parameters"]):
        return Reason.NESTED_LANGUAGE
    if call.name in names["pattern"] or _means(parameter, names["pattern_parameters"]):
        return Reason.PATTERN
    if call.name in names["select_string"] and parameter not in names["path_parameters"]:
        return Reason.PATTERN
    return None


def _means(parameter: str, full: Iterable[str]) -> bool:
    """PowerShell takes the beginning of a parameter for the whole; three letters are enough to be careful."""
    return parameter in full or (len(parameter) > 3 and any(one.startswith(parameter) for one in full))


def _arguments(source: Source, elements: Iterable[Node]) -> Iterable[Argument]:
    switches = tables()["names"]["switches"]
    parameter, position, certain = "", 0, True
    for element in elements:
        match element.type:
            case "command_argument_sep" | "comment":
                continue
            case "command_parameter":
                # A parameter that may or may not take a value makes the count of what follows uncertain.
                certain = certain and not parameter
                parameter = source.of(element).lower().rstrip(":")
                if parameter in switches:
                    parameter = ""
            case "redirection":
                certain = certain and not parameter
                parameter = ""
            case _:
                yield Argument(element, parameter, position if certain and not parameter else -1)
                position += not parameter
                parameter = ""


def _basename(written: str) -> str:
    name = re.split(r"[\\/]", written.strip("'\" ").lower())[-1]
    for ending in (".exe", ".cmd", ".bat", ".ps1"):
        name = name.removesuffix(ending)
    return name
