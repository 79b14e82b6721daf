"""What a simple POSIX command does with its words, as far as it decides whether a path in them may be changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cfpm.gate.decision import Reason
from cfpm.gate.tables import read_table


@dataclass(frozen=True, slots=True)
class Command:
    """The words of a command by place, its own name first: what speaks against a change.

    `names` are the command's name and that of the command which it runs, if it is a wrapper such as `sudo`.
    """

    objections: tuple[Reason | None, ...]
    names: tuple[str, ...]

    @property
    def unforeseeable(self) -> bool:
        """Whether it may change any variable, or what commands mean."""
        return any(name in _table()["unforeseeable"] for name in self.names)


def command_of(words: Sequence[str | None]) -> Command:
    """The command with these words: their values, None where the shell has to expand something."""
    name = _name(words[0])
    at = _inner(words) if name in _table()["wrappers"] else 0
    names = (name,) if at == 0 else (name, _name(words[at]))
    objections = _objections(words, at)
    if name in ("sudo", "doas") and any(word in _table()["login_options"] for word in words[1 : at or None]):
        objections = [Reason.REMOTE_HOST] * len(words)
    return Command(tuple(objections), names)


def _objections(words: Sequence[str | None], at: int) -> list[Reason | None]:
    table, name, count = _table(), _name(words[at]), len(words)
    found: list[Reason | None] = [None] * count
    _patterns_by_option(words, found)
    if words[at] is None:
        found[at + 1 :] = [Reason.UNSUPPORTED_PLACE] * (count - at - 1)
    elif name in table["remote"]:
        found[at:] = [Reason.REMOTE_HOST] * (count - at)
    elif name in table["remote_subcommands"]:
        _remote_subcommand(words, at, name, found)
    elif name in table["code"]:
        found[at:] = [Reason.NESTED_LANGUAGE] * (count - at)
    elif name in table["interpreters"]:
        _code_after_option(words, at, found)
    elif name in table["pattern_first"]:
        _pattern_operand(words, at, name, found)
    elif name in table["untouched"] or (name == "find" and "-delete" in words):
        found[:] = [Reason.UNSUPPORTED_PLACE] * count
    elif name == "test" and not (count - at == 3 and words[at + 1] in table["file_tests"]):
        found[at:] = [Reason.UNSUPPORTED_PLACE] * (count - at)
    elif name == "git" and "grep" in words:
        found[at:] = [Reason.PATTERN] * (count - at)
    return found


def _inner(words: Sequence[str | None]) -> int:
    """Where the command stands that a wrapper runs, if it is one that matters here; else 0."""
    if _name(words[0]) in ("builtin", "command") and "." in words:
        return words.index(".")
    return next((at for at in range(1, len(words)) if words[at] != "." and _name(words[at]) in _known()), 0)


def _patterns_by_option(words: Sequence[str | None], found: list[Reason | None]) -> None:
    for index in range(1, len(words)):
        if words[index - 1] in _table()["pattern_options"]:
            found[index] = Reason.PATTERN


def is_pattern_option(option: str) -> bool:
    """Whether what is joined to this option by `=` is a pattern or a text."""
    return option in _table()["pattern_options"]


def _remote_subcommand(words: Sequence[str | None], at: int, name: str, found: list[Reason | None]) -> None:
    table = _table()
    subcommands = table["remote_subcommands"][name]
    first = next((index for index in range(at + 1, len(words)) if words[index] in subcommands), None)
    if first is None:
        return
    mounting = words[first] in table["mounting"]["subcommands"]
    for index in range(first + 1, len(words)):
        if not (mounting and words[index - 1] in table["mounting"]["options"]):
            found[index] = Reason.REMOTE_HOST


def _code_after_option(words: Sequence[str | None], at: int, found: list[Reason | None]) -> None:
    for index in range(at + 1, len(words)):
        word = words[index]
        if word is not None and re.fullmatch(_table()["code_option"], word):
            found[index:] = [Reason.NESTED_LANGUAGE] * (len(words) - index)
            return


def _pattern_operand(words: Sequence[str | None], at: int, name: str, found: list[Reason | None]) -> None:
    """Marks the first operand that is surely no argument of an option, and all before it."""
    harmless, gives_pattern = re.compile(_table()["pattern_first"][name]), False
    for index in range(at + 1, len(words)):
        word, before = words[index], words[index - 1]
        if word is not None and word.startswith("-") and len(word) > 1:
            continue
        follows_option = index > at + 1 and before is not None and before.startswith("-") and before != "--"
        if follows_option and before in ("-e", "-f", "--file"):
            found[index] = Reason.PATTERN
            gives_pattern = True
        elif not gives_pattern:
            found[index] = Reason.PATTERN
            if not follows_option or harmless.fullmatch(before or ""):
                return


def may_be_unforeseeable(name: str) -> bool:
    """Whether a command of this name, as it is written, has to be looked at more closely."""
    table = _table()
    return _name(name) in table["unforeseeable"] or _name(name) in table["wrappers"]


def _name(word: str | None) -> str:
    return (word or "").rsplit("/", 1)[-1].removesuffix(".exe")


def _table() -> dict[str, Any]:
    return read_table("shells/posix/commands")


@cache
def _known() -> frozenset[str]:
    table = _table()
    keys = ("remote", "code", "interpreters", "untouched", "unforeseeable")
    listed = {name for key in keys for name in table[key]}
    return frozenset(listed | {*table["pattern_first"], *table["remote_subcommands"], "test", "git"})
