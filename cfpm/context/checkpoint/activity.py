"""What happened to each path, command and identifier of a history, from the calls and their results.

Judges no worth: see `reuse`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cfpm.context.approvals import refused
from cfpm.context.checkpoint.names import (
    Name,
    NameKind,
    kinds_in,
    names_between_blanks,
    names_in,
    path_name,
    says_more,
    words,
)
from cfpm.context.checkpoint.usage import NOWHERE, Channel, Home, Use
from cfpm.context.history import Group
from cfpm.context.plans import STEP_LISTS, kind_of
from cfpm.context.trims.placeholders import without_notes
from cfpm.extractor.evidence import Evidence, Outcome
from cfpm.extractor.tools import Work, only_looks, work_of
from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.failure_phrases import FailureKind
from cfpm.paths.failures import failing_path, may_have_failure
from cfpm.transcript.fields import texts_in

MAX_COMMAND = 100
"""Characters of a command that a checkpoint shows."""

_PATCHED = lazy_pattern(r"^\*\*\* (?P<what>Add|Update|Delete) File: (?P<path>\S[^\n]*)$", re.MULTILINE)
_PATCHES = {"Add": "created", "Update": "edited", "Delete": "deleted"}
_WORDS = {Work.EDIT: "edited", Work.READ: "read", Work.LOCATE: "searched"}
_MAX_STEPS = 1_000
"""Characters of a command in which the files stand that it works on; what follows is mostly data."""

_CHANGES_FOLDER = lazy_pattern(r"\s*cd [^&;|\n]{1,300}(?:&&|;)\s*")
_HEAD = 300
"""Characters of a result in which the file stands that an edit without a path was of."""


def home_of(call: ToolCall | None) -> Home:
    """What the names in a call and in its result belong to."""
    if call is None:
        return NOWHERE
    if call.path and (path := path_name(call.path)):
        return Home("file", path.text)
    is_tool = call.command is None and work_of(call) is not Work.EDIT
    return Home("tool", call.name) if is_tool else NOWHERE


def deeds_of(call: ToolCall, outcome: Outcome) -> Iterator[tuple[Name, str]]:
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
    for text in texts_in(call.arguments):
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
    if call.path or work is not Work.UNKNOWN or only_looks(call, work) or kind_of(call):
        return ""
    values = [str(value) for value in call.arguments.values() if isinstance(value, str | int | float)]
    return shown_command(" ".join([call.name, *values])) if values else ""


_ERROR = lazy_pattern(r"(?i)\b(?:error|failed|failure|exception|fatal|panic|denied|not found|cannot|no such|invalid)\b")


def brought(outcome: Outcome) -> str:
    """The line with which a call reports success, or the last of its output when that is short."""
    text = outcome.message.text
    if outcome.ok is False:
        return ""
    if outcome.success:
        return text[outcome.success.start : outcome.success.end].strip()
    last = text.rstrip()[-_SHORT - 1 :].rpartition("\n")[2].strip()
    return last if last[:1].isalnum() and len(last) <= _SHORT and not _STATUS.match(last) else ""


_SHORT = 60
"""Characters of the last line of an output that is told."""

_STATUS = lazy_pattern(r"(?i)\s*[(\[<]?exit (?:code|status)\b")
_MAX_ERROR = 4_000


def first_error(text: str) -> str:
    """The line of a failed result that says why; the first line when none does."""
    lines = [line.strip() for line in text[:_MAX_ERROR].splitlines() if line.strip() and not _STATUS.match(line)]
    return next((line for line in lines if _ERROR.search(line)), lines[0] if lines else "")


_MAX_TEXT = 100_000
"""Characters of one text that are searched for names; of a longer one, half from the start and half from the end."""


@dataclass(slots=True)
class Activity:
    """The uses of all names and commands, in the order in which they first came up; `length` counts the groups."""

    uses: dict[Name, Use] = field(default_factory=dict)
    commands: dict[str, Use] = field(default_factory=dict)
    broken: dict[str, FailureKind] = field(default_factory=dict)
    """Paths that an error named, with what it said of them; none that worked later."""
    length: int = 0
    request: str = ""
    """What the user asked for last, and in which group."""
    asked_at: int = 0
    said: str = ""
    """What the agent said last."""
    _evidence: Evidence = field(default_factory=Evidence)
    _calls: dict[str, tuple[Home, str]] = field(default_factory=dict)
    """Of each call that was made, what its names belong to and how it is shown."""
    _seen: dict[str, tuple[Name, ...]] = field(default_factory=dict)
    """The names in each word, which most words of a session repeat: a tenth of a compaction."""
    _refused: set[str] = field(default_factory=set)
    """Calls of the group that the user did not let run: nothing was done to what they name."""
    _stays: bool = False
    _old: bool = False

    def take(self, group: Group, *, stays: bool = False, old: bool = False) -> None:
        """Adds one group, the next in order.

        Of one that stays in the view, deeds and runs are not counted: they are when it is compacted in its turn. Of an
        old one, names that stand in its results alone are left out.
        """
        self._stays, self._old = stays, old
        calls, results = group.calls, group.results
        self._refused = {name for name, result in results.items() if name in calls and refused(calls[name], result)}
        for entry in group.entries:
            for part in entry.parts:
                self._part(part)
        self.length += 1

    def use(self, name: Name) -> Use:
        """The uses of a name, made when it is new."""
        use = self.uses.get(name)
        if use is None:
            use = self.uses[name] = Use()
        return use

    def _part(self, part: Message) -> None:
        if part.origin is Origin.THINKING:
            return
        if part.tool_result is not None:
            if part.tool_result.call_id not in self._refused:
                self._result(part)
        elif part.role is Role.ASSISTANT:
            self.said = part.text or self.said
            self._text(part.text, Channel.SAID, NOWHERE)
            self._evidence.asked(part)
            for call in part.tool_calls:
                if call.id not in self._refused:
                    self._call(call)
        elif part.role is Role.USER:
            if part.origin is Origin.SAID and part.text:
                self.request, self.asked_at = part.text, self.length
            self._text(part.text, Channel.ASKED if part.origin is Origin.SAID else Channel.SHOWN, NOWHERE)

    def _call(self, call: ToolCall) -> None:
        home = home_of(call)
        if home.kind == "file":
            self._mark(self.use(Name(NameKind.PATH, home.text)), Channel.TARGET)
        command = call.command
        # What a list of steps says stands in the block behind the checkpoint.
        for text in () if kind_of(call) in STEP_LISTS else texts_in(call.arguments):
            if text != call.path:
                self._text(text, Channel.TARGET if text is command else Channel.ARGUMENT, home)
        shown = shown_call(call)
        if shown:
            self._command(shown)
        self._calls[call.id] = home, shown

    def _command(self, command: str) -> None:
        use = self.commands.get(command)
        if use is None:
            if self._stays:
                return
            use = self.commands[command] = Use()
        if not self._stays:
            use.deeds["ran"] = use.deeds.get("ran", 0) + 1
        self._mark(use, Channel.TARGET)

    def _result(self, part: Message) -> None:
        outcome = self._evidence.answered(part)
        call, home = outcome.call, NOWHERE
        if call is not None:
            home, shown = self._calls[call.id]
            self._happened(call, shown, outcome)
        if not self._old:
            self._text(without_notes(part.text), Channel.SHOWN, home)

    def _happened(self, call: ToolCall, shown: str, outcome: Outcome) -> None:
        failed = outcome.ok is False
        error = self._blamed(call, outcome.message.text) if failed else ""
        if use := self.commands.get(shown):
            use.failed, use.error = (None if outcome.ok is None else failed), error or brought(outcome)
        for path, deed in deeds_of(call, outcome):
            use = self.use(path)
            use.failed, use.error = failed, error
            if not failed:
                use.deeds[deed] = use.deeds.get(deed, 0) + (not self._stays)
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
        path = ""
        only_paths = True
        for name in self._names_in(text):
            use = self.use(name)
            if name.kind is NameKind.PATH:
                path = name.text
            else:
                only_paths = False
                if path:
                    home, path = Home("file", path), ""
                use.home = home if home.kind else use.home
            self._mark(use, channel)
        if only_paths:
            return
        for word, what in kinds_in(text):
            known = self.uses.get(Name(NameKind.IDENTIFIER, word))
            if known and says_more(what, known.what):
                known.what = what

    def _names_in(self, text: str) -> list[Name]:
        """The names in a text, in order, each as often as it stands there."""
        found: list[Name] = []
        for word in text.split():
            names = self._seen.get(word)
            if names is None:
                names = self._seen[word] = names_between_blanks(word)
            if names:
                found += names
        return found

    def _mark(self, use: Use, channel: Channel) -> None:
        if use.seen != self.length:
            use.groups += 1
            use.seen = self.length
        use.counts[channel] += 1
        use.last[channel] = self.length
