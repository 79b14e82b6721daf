"""What a tool call does to files, by the names in `extractor/tools.toml` or those of the caller. Judges no result."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache

from cfpm.extractor.calls import Verb, deeds_of, split_steps
from cfpm.extractor.tools import plain_name
from cfpm.model import ToolCall
from cfpm.model.tables import toml_table
from cfpm.paths.grammar import canonical
from cfpm.transcript.fields import first_text

_MAX_LABEL = 50
_MAX_COMMAND = 4_000
"""Characters of a command that are read for the files it changes."""
_CHANGES = frozenset({Verb.WROTE, Verb.EDITED, Verb.MOVED, Verb.REMOVED})


class Work(StrEnum):
    """What a call does, as far as its name says. A look shows no file; a write gives a whole one, a patch a part."""

    READ = "read"
    LOOK = "look"
    WRITE = "write"
    PATCH = "patch"
    SHELL = "shell"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Tools:
    """Which tools are which, and under which arguments they name things. Names in any spelling.

    `dataclasses.replace(known_tools(), reads={"fetch_page"})` makes a table with other names.
    """

    reads: Collection[str]
    looks: Collection[str]
    writes: Collection[str]
    patches: Collection[str]
    shells: Collection[str]
    editors: Collection[str]
    verbs: Mapping[str, str]
    path: tuple[str, ...]
    begin: tuple[str, ...]
    length: tuple[str, ...]
    elsewhere: tuple[str, ...]
    command: tuple[str, ...]
    folder: tuple[str, ...]
    label: tuple[str, ...]
    unchanged: tuple[str, ...]
    in_place: Mapping[str, tuple[str, ...]]
    """Of a command that changes the files it names, the options by which it does."""

    def __post_init__(self) -> None:
        for name in ("reads", "looks", "writes", "patches", "shells", "editors"):
            object.__setattr__(self, name, frozenset(map(plain_name, getattr(self, name))))

    def work_of(self, call: ToolCall) -> Work:
        """What a call does."""
        name = plain_name(call.name)
        if name in self.editors:
            verb = self.verbs.get(str(call.arguments.get("command")))
            return Work(verb) if verb else Work.OTHER
        kinds = (
            (Work.READ, self.reads),
            (Work.LOOK, self.looks),
            (Work.WRITE, self.writes),
            (Work.PATCH, self.patches),
            (Work.SHELL, self.shells),
        )
        return next((work for work, names in kinds if name in names), Work.OTHER)

    def path_of(self, call: ToolCall) -> str | None:
        """The file that a call names, in the form in which equal paths are equal; None when it names none."""
        named = first_text(call.arguments, self.path)
        return canonical(named) if named else None

    def changed_by(self, call: ToolCall) -> tuple[str, ...]:
        """The files that a call changes if it goes well, in the form in which equal paths are equal: by a write or an
        edit, by a patch of several files, by a command that moves, removes or edits in place."""
        work = self.work_of(call)
        if work in (Work.WRITE, Work.PATCH) and (path := self.path_of(call)):
            return (path,)
        if work in (Work.READ, Work.LOOK):
            return ()
        told = [deed.what for deed in deeds_of(call) if deed.verb in _CHANGES]
        command = self.command_of(call)
        edited = self._edited(command[0]) if command else []
        return tuple(dict.fromkeys(canonical(path) for path in (*told, *edited) if path))

    def _edited(self, command: str) -> list[str]:
        """The operands of the steps of a command line that edit in place; the expression may be among them."""
        if len(command) > _MAX_COMMAND or not any(name in command for name in self.in_place):
            return []
        return [word for step in split_steps(command) for word in self._operands(step)]

    def _operands(self, step: Sequence[str]) -> list[str]:
        at = next((at for at, word in enumerate(step) if word.rpartition("/")[2] in self.in_place), None)
        if at is None:
            return []
        options = self.in_place[step[at].rpartition("/")[2]]
        words = step[at + 1 :]
        if not any(word == option or word.startswith(option) for word in words for option in options):
            return []
        return [word for word in words if not word.startswith("-")]

    def parts_of(self, call: ToolCall) -> dict[str, object]:
        """The arguments that ask for a part of a file."""
        given = {name: call.arguments.get(name) for name in (*self.begin, *self.length, *self.elsewhere)}
        return {name: value for name, value in given.items() if value not in (None, "", [], ())}

    def first_line_of(self, call: ToolCall) -> int | None:
        """The first line that a call asks for, 1 for a whole file; None when that cannot be told."""
        parts = self.parts_of(call)
        if not parts.keys().isdisjoint(self.elsewhere):
            return None
        begins = [parts[name] for name in self.begin if name in parts]
        first = begins[0] if begins else 1
        if isinstance(first, list | tuple):
            first = first[0]
        return first if isinstance(first, int) else None

    def command_of(self, call: ToolCall) -> tuple[str, str] | None:
        """The command of a shell's call and the folder that it names; None when there is no command."""
        value = next((call.arguments[name] for name in self.command if call.arguments.get(name)), None)
        if value is None:
            return None
        text = value.strip() if isinstance(value, str) else same(value)
        return (text, first_text(call.arguments, self.folder)) if text else None

    def label_of(self, call: ToolCall) -> str:
        """A call in few words: `Read(src/app.py)`."""
        named = " ".join(first_text(call.arguments, self.label).split())
        shown = named if len(named) <= _MAX_LABEL else f"{named[: _MAX_LABEL - 1]}…"
        return f"{call.name[:_MAX_LABEL] or 'tool'}({shown})"


def same(value: object) -> str:
    """A text that is equal for equal arguments, in whatever order they stand."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


@cache
def known_tools() -> Tools:
    """The names that known hosts use."""
    data = toml_table("cfpm.extractor", "tools")
    rows = {**data["tools"], **data["arguments"], **data["results"]}
    lists = {field.name: tuple(rows[field.name]) for field in fields(Tools) if field.name in rows}
    in_place = {name: tuple(options) for name, options in data["in_place"].items()}
    return Tools(**lists, verbs=data["verbs"], in_place=in_place)
