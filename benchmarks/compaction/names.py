"""The names that a text holds: files, identifiers and codes, commands. The same reading for gold and for views."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.model import Message, ToolCall


class Name(NamedTuple):
    """One name. `kind` is `path`, `identifier` or `command`; a path is its last part, a command its first words."""

    kind: str
    text: str


@cache
def word_list(name: str) -> tuple[str, ...]:
    """A list of `words.toml`."""
    file = resources.files("benchmarks.compaction").joinpath("words.toml")
    words: dict[str, list[str]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(words[name])


_LONGEST = 80
"""Characters of a name. What is longer is data."""
_COMMAND_WORDS = 3
_CHANGES_FOLDER = re.compile(r"cd [^&;|\n]{1,300}(?:&&|;)\s*")
_WORD = re.compile(r"\w{5,}")
_SEVERAL = re.compile(r"[a-zA-Z0-9]_+[a-zA-Z0-9]|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}")
_CODE = re.compile(r"(?=\D*\d)(?:(?=[^A-Z]*[A-Z])[A-Z\d]{5,20}|(?=[^a-f]*[a-f])[a-f\d]{7,40}|\d{6,20})\Z")


@cache
def _path() -> re.Pattern[str]:
    bare = "|".join(word_list("endings"))
    return re.compile(
        r"(?<![\w.~@+/\\-])(?:(?:[\w.~@+-]*[/\\])+(?P<placed>[\w.@+-]*\w\.[A-Za-z]\w{0,7})(?![\w/\\])"
        rf"|(?P<bare>[\w@+.-]*\w\.(?:{bare}))(?![\w/\\])"
        r"|(?P<plain>Makefile|Dockerfile|Justfile|Procfile|Gemfile|LICENSE)\b)"
    )


def names(text: str) -> set[Name]:
    """The files and identifiers of a text. What stands within a path is no identifier of its own."""
    found: set[Name] = set()

    def note(match: re.Match[str]) -> str:
        found.add(Name("path", match[match.lastgroup or 0][-_LONGEST:]))
        return " "

    rest = _path().sub(note, text) if "." in text or "file" in text or "LICENSE" in text else text
    found.update(Name("identifier", word) for word in set(_WORD.findall(rest)) if _is_identifier(word))
    return found


@cache
def _is_identifier(word: str) -> bool:
    """Several words in one (snake_case, camelCase, PascalCase), or a code: a hash, an order's or a flight's number."""
    return len(word) <= _LONGEST and bool(_SEVERAL.search(word) or _CODE.match(word))


def without_names(text: str) -> str:
    """The text with a blank for each file and identifier."""
    rest = _path().sub(" ", text)
    return _WORD.sub(lambda match: " " if _is_identifier(match[0]) else match[0], rest)


def command(call: ToolCall) -> Name | None:
    """The first three words of a call's first command, without a change of folder before it; None for one word."""
    if not (line := call.command):
        return None
    words = _CHANGES_FOLDER.sub("", line.strip(), count=1).split("\n", 1)[0].split()[:_COMMAND_WORDS]
    return Name("command", " ".join(words)[:_LONGEST]) if len(words) > 1 else None


def texts(part: Message) -> Iterator[str]:
    """All that a message says: its text, and each value in the arguments of its calls. The names of arguments are the
    tool's, not the session's."""
    if part.text:
        yield part.text
    yield from called(part)


def called(part: Message) -> Iterator[str]:
    """Each value in the arguments of its calls."""
    for call in part.tool_calls:
        yield from _leaves(call.arguments)


def _leaves(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for inner in value.values():
                yield from _leaves(inner)
        case list() | tuple():
            for inner in value:
                yield from _leaves(inner)
        case int() | float():
            yield str(value)
        case _:
            pass
