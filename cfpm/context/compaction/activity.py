"""What happened to each path, command and identifier of a history, from the calls and their results.

Judges no worth: see `worth`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from cfpm.context.compaction.kinds import kinds_in
from cfpm.context.compaction.names import Name, NameKind, names_in, path_name, words
from cfpm.context.history import Group
from cfpm.extractor.evidence import Evidence, Outcome
from cfpm.extractor.tools import Work, only_looks, work_of
from cfpm.models import Message, Origin, Role, ToolCall
from cfpm.paths import FailureKind, failing_path, may_have_failure

MAX_COMMAND = 100
"""Characters of a command that a checkpoint shows."""

_MAX_TEXT = 100_000
"""Characters of one text that are searched for names; of a longer one, half from the start and half from the end."""

_MAX_SUFFIX = 6
"""Segments of the longest short form of a path."""

_PATCHED = re.compile(r"^\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>\S[^\n]*)$", re.MULTILINE)
_PATCHES = {"Add": "created", "Update": "edited", "Delete": "deleted"}
_WORDS = {Work.EDIT: "edited", Work.READ: "read", Work.LOCATE: "searched"}
_MAX_STEPS = 1_000
"""Characters of a command in which the files stand that it works on; what follows is mostly data."""

_CHANGES_FOLDER = re.compile(r"\s*cd [^&;|\n]{1,300}(?:&&|;)\s*")
_HEAD = 300
"""Characters of a result in which the file stands that an edit without a path was of."""


class Channel(IntEnum):
    """Where a name stood: what a call is for, another argument, the agent's words, the user's, a result."""

    TARGET = 0
    ARGUMENT = 1
    SAID = 2
    ASKED = 3
    SHOWN = 4


class Home(NamedTuple):
    """What a name belongs to: a `file` by its path, a `tool` by its name, or nothing."""

    kind: str = ""
    text: str = ""


NOWHERE = Home()


@dataclass(slots=True)
class Use:
    """How often a name stood where, in which group last, in how many groups, and what it belongs to.

    `deeds` counts what was done to it; `failed` says that the last of it failed, `error` in which words; `what` is a
    word or two for what it is, as far as a text shows that.
    """

    counts: list[int] = field(default_factory=lambda: [0] * len(Channel))
    last: list[int] = field(default_factory=lambda: [-1] * len(Channel))
    groups: int = 0
    seen: int = -1
    what: str = ""
    home: Home = NOWHERE
    deeds: dict[str, int] = field(default_factory=dict)
    failed: bool | None = None
    error: str = ""

    @property
    def handled(self) -> bool:
        """Whether a call was about it, and not only a text that named it."""
        return bool(self.deeds) or self.failed is not None or bool(self.counts[Channel.TARGET])

    def add(self, other: Use) -> None:
        """Takes in the uses of another spelling of the same name."""
        for channel in Channel:
            self.counts[channel] += other.counts[channel]
            self.last[channel] = max(self.last[channel], other.last[channel])
        self.groups = max(self.groups, other.groups)
        self.seen = max(self.seen, other.seen)
        self.what = other.what or self.what
        for deed, count in other.deeds.items():
            self.deeds[deed] = self.deeds.get(deed, 0) + count
        self.home = other.home if other.home.kind else self.home
        if other.failed is not None:
            self.failed, self.error = other.failed, other.error


@dataclass(slots=True)
class Activity:
    """The uses of all names and commands, in the order in which they first came up; `length` counts the groups."""

    uses: dict[Name, Use] = field(default_factory=dict)
    commands: dict[str, Use] = field(default_factory=dict)
    broken: dict[str, FailureKind] = field(default_factory=dict)
    """Paths that an error named, with what it said of them; none that worked later."""
    length: int = 0
    _evidence: Evidence = field(default_factory=Evidence)

    def take(self, group: Group) -> None:
        """Adds one group, the next in order."""
        for entry in group.entries:
            for part in entry.parts:
                self._part(part)
        self.length += 1

    def use(self, name: Name) -> Use:
        """The uses of a name, made when it is new."""
        return self.uses.setdefault(name, Use()) if name not in self.uses else self.uses[name]

    def _part(self, part: Message) -> None:
        if part.origin is Origin.THINKING:
            return
        if part.tool_result is not None:
            self._result(part)
        elif part.role is Role.ASSISTANT:
            self._text(part.text, Channel.SAID, NOWHERE)
            self._evidence.asked(part)
            for call in part.tool_calls:
                self._call(call)
        elif part.role is Role.USER:
            self._text(part.text, Channel.ASKED if part.origin is Origin.SAID else Channel.SHOWN, NOWHERE)

    def _call(self, call: ToolCall) -> None:
        home = _home(call)
        if home.kind == "file":
            self._count(Name(NameKind.PATH, home.text), Channel.TARGET, NOWHERE)
        command = call.command
        for text in strings(call.arguments):
            if text != call.path:
                self._text(text, Channel.TARGET if text is command else Channel.ARGUMENT, home)
        if shown := shown_call(call):
            self._command(shown)

    def _command(self, command: str) -> None:
        use = self.commands.get(command)
        if use is None:
            use = self.commands[command] = Use()
        use.deeds["ran"] = use.deeds.get("ran", 0) + 1
        self._mark(use, Channel.TARGET)

    def _result(self, part: Message) -> None:
        outcome = self._evidence.answered(part)
        call = outcome.call
        if call is not None:
            self._happened(call, outcome)
        self._text(part.text, Channel.SHOWN, _home(call))

    def _happened(self, call: ToolCall, outcome: Outcome) -> None:
        failed = outcome.ok is False
        error = self._blamed(call, outcome.message.text) if failed else ""
        if use := self.commands.get(shown_call(call)):
            use.failed, use.error = (None if outcome.ok is None else failed), error or _brought(outcome)
        for path, deed in _deeds(call, outcome):
            use = self.use(path)
            use.failed, use.error = failed, error
            if not failed:
                use.deeds[deed] = use.deeds.get(deed, 0) + 1
                self.broken.pop(path.text, None)

    def _blamed(self, call: ToolCall, text: str) -> str:
        """Why a call failed, in its own words; nothing when the reason is a path, which is noted as broken."""
        error = first_error(text)
        paths = failing_path(error, call.command or call.path) if may_have_failure(error) else []
        for path, kind in paths:
            self.broken[path if isinstance(path, str) else path.path] = kind
        return "" if paths else error

    def _text(self, text: str, channel: Channel, home: Home) -> None:
        if len(text) > _MAX_TEXT:
            text = f"{text[: _MAX_TEXT // 2]}\n{text[-_MAX_TEXT // 2 :]}"
        for word in words(text):
            for name in names_in(word):
                if name.kind is NameKind.PATH:
                    home = Home("file", name.text)
                self._count(name, channel, home)
        if channel in (Channel.ARGUMENT, Channel.SHOWN):
            for word, what in kinds_in(text):
                if use := self.uses.get(Name(NameKind.IDENTIFIER, word)):
                    use.what = what

    def _count(self, name: Name, channel: Channel, home: Home) -> None:
        use = self.uses.get(name)
        if use is None:
            use = self.uses[name] = Use()
        self._mark(use, channel)
        if home.kind and name.kind is not NameKind.PATH:
            use.home = home

    def _mark(self, use: Use, channel: Channel) -> None:
        if use.seen != self.length:
            use.groups += 1
            use.seen = self.length
        use.counts[channel] += 1
        use.last[channel] = self.length


def _home(call: ToolCall | None) -> Home:
    """What the names in a call and in its result belong to."""
    if call is None:
        return NOWHERE
    if call.path and (path := path_name(call.path)):
        return Home("file", path.text)
    is_tool = call.command is None and work_of(call) is not Work.EDIT
    return Home("tool", call.name) if is_tool else NOWHERE


def _deeds(call: ToolCall, outcome: Outcome) -> Iterator[tuple[Name, str]]:
    """Each path that a call did something to, with the word for it."""
    if patched := list(_patched(call)):
        yield from patched
    elif call.path:
        if name := path_name(call.path):
            yield name, "searched" if "pattern" in call.arguments else _WORDS.get(outcome.work, "used")
    elif outcome.work is Work.EDIT:
        yield from _first_path(outcome.message.text[:_HEAD], "edited")
    elif call.command is not None:
        deed = "read" if outcome.work in (Work.READ, Work.LOCATE) else "used"
        yield from ((name, deed) for name in paths_of(call.command[:_MAX_STEPS]))


def _patched(call: ToolCall) -> Iterator[tuple[Name, str]]:
    for text in strings(call.arguments):
        if "*** " in text:
            for match in _PATCHED.finditer(text):
                if name := path_name(match["path"]):
                    yield name, _PATCHES[match["what"]]


def _first_path(text: str, deed: str) -> Iterator[tuple[Name, str]]:
    """The first path of a text with a word for what was done to it."""
    for name in paths_of(text):
        yield name, deed
        return


def paths_of(text: str) -> Iterator[Name]:
    """The paths in a text."""
    return (name for word in words(text) for name in names_in(word) if name.kind is NameKind.PATH)


def shown_command(command: str) -> str:
    """The first line of a command as a checkpoint shows it, without a change of folder before it."""
    line = _CHANGES_FOLDER.sub("", command.strip(), count=1).partition("\n")[0]
    line = " ".join(line.split())
    return line if len(line) <= MAX_COMMAND else f"{line[: MAX_COMMAND - 1].rstrip()}…"


def shown_call(call: ToolCall) -> str:
    """A command, or a call of a tool that acts on something else than files, on one line; empty for other calls."""
    if call.command is not None:
        return shown_command(call.command)
    work = work_of(call)
    if call.path or work is not Work.UNKNOWN or only_looks(call, work):
        return ""
    values = [str(value) for value in call.arguments.values() if isinstance(value, str | int | float)]
    return shown_command(" ".join([call.name, *values])) if values else ""


_ERROR = re.compile(r"(?i)\b(?:error|failed|failure|exception|fatal|panic|denied|not found|cannot|no such|invalid)\b")


def _brought(outcome: Outcome) -> str:
    """The line with which a call reports success, or the last of its output when that is short."""
    text = outcome.message.text
    if outcome.ok is False:
        return ""
    if outcome.success:
        return text[outcome.success.start : outcome.success.end].strip()
    last = text.rstrip()[-_SHORT - 1 :].rpartition("\n")[2].strip()
    return last if len(last) <= _SHORT and not _STATUS.match(last) else ""


_SHORT = 60
"""Characters of the last line of an output that is told."""

_STATUS = re.compile(r"(?i)\s*[(\[<]?exit (?:code|status)\b")
_MAX_ERROR = 4_000


def first_error(text: str) -> str:
    """The line of a failed result that says why; the first line when none does."""
    lines = [line.strip() for line in text[:_MAX_ERROR].splitlines() if line.strip() and not _STATUS.match(line)]
    return next((line for line in lines if _ERROR.search(line)), lines[0] if lines else "")


def strings(value: object) -> Iterator[str]:
    """All texts in the arguments of a call."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from strings(part)


def joined(uses: Mapping[Name, Use]) -> dict[Name, Use]:
    """The uses with the spellings of one path put together: `loader.py` belongs to the one `src/app/loader.py`.

    A short path belongs to the longer one that ends with it and was touched last.
    """
    longest: dict[tuple[str, ...], Name] = {}
    paths = sorted((name for name in uses if name.kind is NameKind.PATH), key=lambda name: uses[name].seen)
    parts = {name: tuple(part for part in re.split(r"[/\\]", name.text) if part not in ("", ".")) for name in paths}
    for name in paths:
        for at in range(max(1, len(parts[name]) - _MAX_SUFFIX), len(parts[name])):
            longest[parts[name][at:]] = name
    out: dict[Name, Use] = {}
    for name, use in uses.items():
        target = name
        while name.kind is NameKind.PATH and (longer := longest.get(parts[target])) is not None:
            target = longer
        out.setdefault(target, Use()).add(use)
    return out
