"""Reads the words of a command line by the signature of the function that is the command. Knows no command.

The standard library's parser, because one that builds models of types takes longer to load than most commands to run.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from importlib import import_module
from inspect import Parameter, getdoc, signature
from types import NoneType
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

Command = Callable[..., None]

WRONG_USAGE = 2


class Option:
    """How an option is written in an annotation: its flags, `--yes/--no-yes` for one that can be denied, what stands
    for its value in the help, and the bounds of a number."""

    def __init__(
        self,
        *flags: str,
        metavar: str | None = None,
        help: str = "",  # noqa: A002
        min: int | None = None,  # noqa: A002
        max: int | None = None,  # noqa: A002
    ) -> None:
        self.flags, self.metavar, self.help, self.least, self.most = flags, metavar, help, min, max


class Argument:
    """How an argument without a flag is written in an annotation."""

    def __init__(self, metavar: str, help: str) -> None:  # noqa: A002
        self.metavar, self.help = metavar, help


@dataclass(frozen=True)
class Group:
    """Commands by their names, each as `module:function` of this package, loaded when it is asked for, or a group.

    `own` is the command of the group itself, which runs where none of its commands is named; `version` is what it
    answers to `--version`.
    """

    about: str
    commands: Mapping[str, str | Group]
    own: str = ""
    version: str = ""


def run(group: Group, argv: Sequence[str], prog: str) -> None:
    """Runs the command that the words name. Raises SystemExit for help (0) and for wrong usage (2)."""
    own = _parser(_loaded(group.own), prog, group) if group.own else None
    at = _first_name(argv, _valued(own))
    if at is None:
        if own is None:
            _no_command(group, argv, prog)
        _call(own, argv)
        return
    name, rest = argv[at], [*argv[:at], *argv[at + 1 :]]
    command = group.commands.get(name)
    if isinstance(command, Group):
        run(command, rest, f"{prog} {name}")
    elif command is not None:
        # Options of the group before the name are the command's.
        _call(_parser(_loaded(command), f"{prog} {name}"), rest)
    else:
        near = get_close_matches(name, group.commands, 1)
        told = f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else "")
        (own or _bare(group, prog)).error(told)


class _Parser(argparse.ArgumentParser):
    """A parser of one command, which knows the function that it is for, and the group that it stands for."""

    function: Command | None = None
    group: Group | None = None

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"Try '{self.prog} --help' for help.\n\nError: {message}", file=sys.stderr)
        raise SystemExit(WRONG_USAGE)

    def format_help(self) -> str:
        listed = "" if self.group is None else f"\ncommands:\n{_listed(self.group)}"
        return super().format_help() + listed


class _Help(argparse.HelpFormatter):
    """Keeps the paragraphs of a description."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(super(_Help, self)._fill_text(part, width, indent) for part in text.split("\n\n"))


def _loaded(place: str) -> Command:
    module, _, name = place.partition(":")
    found: Command = getattr(import_module(f"{__package__}.{module}"), name)
    return found


def _first_name(argv: Sequence[str], valued: frozenset[str]) -> int | None:
    """Where the first word stands that is neither an option nor the value of one."""
    skip = False
    for at, word in enumerate(argv):
        if skip:
            skip = False
        elif not word.startswith("-"):
            return at
        else:
            skip = word in valued
    return None


def _no_command(group: Group, argv: Sequence[str], prog: str) -> NoReturn:
    parser = _bare(group, prog)
    parser.parse_args(argv)
    parser.print_help()
    raise SystemExit(WRONG_USAGE)


def _bare(group: Group, prog: str) -> _Parser:
    return _made(prog, f"{prog} COMMAND [ARGS]...", group.about, group)


def _made(prog: str, usage: str, about: str, group: Group | None) -> _Parser:
    parser = _Parser(
        prog, usage.replace("%", "%%"), about.replace("%", "%%"), formatter_class=_Help, add_help=False,
        allow_abbrev=False,
    )  # fmt: skip
    parser.group = group
    parser.add_argument("--help", action="help", help="Show this message and exit.")
    if group is not None and group.version:
        parser.add_argument("--version", action="version", version=group.version, help="Print the version.")
    return parser


def _parser(function: Command, prog: str, group: Group | None = None) -> _Parser:
    """The parser of a function whose parameters are annotated with an Option or an Argument each, or with a dataclass
    whose fields are."""
    marked = list(_parameters(function))
    words = [marker.metavar for _, _, marker in marked if isinstance(marker, Argument)]
    usage = " ".join([prog, "[OPTIONS]", *words, *(["COMMAND [ARGS]..."] if group else [])])
    parser = _made(prog, usage, getdoc(function) or "", group)
    parser.function = function
    for parameter, kind, marker in marked:
        _add(parser, parameter, kind, marker)
    return parser


def _parameters(of: Callable[..., object]) -> Iterator[tuple[Parameter, Any, Option | Argument]]:
    """What the words of a command line give a function, those for a dataclass among it."""
    hints = get_type_hints(of, include_extras=True)
    for parameter in signature(of).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type):
            yield from _parameters(hint)
        else:
            yield (parameter, *_marked(hint))


def _given(of: Callable[..., object], found: Mapping[str, object]) -> dict[str, object]:
    """What was found for the parameters of a function, enumerations and dataclasses made of it."""
    hints = get_type_hints(of, include_extras=True)
    return {
        name: hints[name](**_given(hints[name], found))
        if isinstance(hints[name], type)
        else _member(_marked(hints[name])[0], found[name])
        for name in signature(of).parameters
    }


def _member(kind: Any, value: object) -> object:
    return kind(value) if isinstance(value, str) and isinstance(kind, type) and issubclass(kind, Enum) else value


def _marked(hint: Any) -> tuple[Any, Option | Argument]:
    """The type of a value, without None, and how it is written."""
    kind, marker = get_args(hint)
    options = [one for one in get_args(kind) if one is not NoneType]
    return (options[0] if options and get_origin(kind) is not list else kind), marker


def _add(parser: _Parser, parameter: Parameter, kind: Any, marker: Option | Argument) -> None:
    required = parameter.default is Parameter.empty
    default = None if required else parameter.default
    told = marker.help.replace("%", "%%")
    if isinstance(marker, Argument):
        many = get_origin(kind) is list
        count = ("+" if required else "*") if many else (None if required else "?")
        cast = str if many else kind
        # The name in brackets would be bracketed again.
        metavar = marker.metavar.strip("[]").removesuffix("...")
        parser.add_argument(parameter.name, nargs=count, type=cast, default=default, metavar=metavar, help=told)
        return
    if kind is bool:
        _add_flag(parser, parameter.name, marker.flags, bool(default), told)
        return
    if default not in (None, ""):
        told += f" [default: {default.value if isinstance(default, Enum) else default}]"
    choices = [one.value for one in kind] if issubclass(kind, Enum) else None
    parser.add_argument(
        *marker.flags,
        dest=parameter.name,
        type=_whole_number(marker) if kind is int else str if choices else kind,
        choices=choices,
        metavar=marker.metavar,
        default=default,
        required=required,
        help=told,
    )


def _add_flag(parser: _Parser, name: str, flags: Sequence[str], default: bool, told: str) -> None:
    yes, _, no = flags[0].partition("/")
    parser.add_argument(yes, dest=name, action="store_true", default=default, help=told)
    if no:
        parser.add_argument(no, dest=name, action="store_false", default=default, help=f"Not {yes}.")


def _whole_number(marker: Option) -> Callable[[str], int]:
    """Reads a number within the bounds of the option."""

    def read(text: str) -> int:
        number = int(text)
        if marker.least is not None and number < marker.least:
            raise argparse.ArgumentTypeError(f"{number} is less than {marker.least}")
        if marker.most is not None and number > marker.most:
            raise argparse.ArgumentTypeError(f"{number} is more than {marker.most}")
        return number

    read.__name__ = "whole number"
    return read


def _call(parser: _Parser | None, argv: Sequence[str]) -> None:
    if parser is None or (function := parser.function) is None:
        return
    found = vars(parser.parse_args(_sorted(argv, _valued(parser))))
    function(**_given(function, found))


def _valued(parser: _Parser | None) -> frozenset[str]:
    """The flags that a value follows."""
    actions = [] if parser is None else parser._actions
    return frozenset(flag for action in actions if action.nargs != 0 for flag in action.option_strings)


def _sorted(argv: Sequence[str], valued: frozenset[str]) -> list[str]:
    """The words, options first, and a value joined to its flag, so that none that begins like an option is one."""
    options: list[str] = []
    others: list[str] = []
    words = iter(argv)
    for word in words:
        if word == "--":
            others += words
        elif not word.startswith("-") or word == "-" or word[1:].isdecimal():
            others.append(word)  # no option is a number, so that this one is below 0
        elif word in valued and (value := next(words, None)) is not None:
            options.append(f"{word}={value}" if word.startswith("--") else f"{word}{value}")
        else:
            options.append(word)
    return [*options, "--", *others] if others else options


def _listed(group: Group) -> str:
    width = max(map(len, group.commands)) + 4
    return "".join(f"  {name:{width - 2}}{_about(command)}\n" for name, command in group.commands.items())


def _about(command: str | Group) -> str:
    """The first sentence of a command's help."""
    if isinstance(command, Group) and not command.own:
        text = command.about
    else:
        text = getdoc(_loaded(command.own if isinstance(command, Group) else command)) or ""
    return textwrap.shorten(text.partition("\n\n")[0].partition(". ")[0], 66, placeholder=" ...")
