"""What the tool results of a turn prove so far: the evidence against which a claim is held."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cfpm.extractor.authorities import Authorities, OwnTool
from cfpm.extractor.calls import root_of, taken_away
from cfpm.extractor.outcomes import Success, failed, success
from cfpm.extractor.tools import Work, only_looks, work_of
from cfpm.model import Category, Draft, Mark, Message, Role, Span, ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.paths.failures import may_have_failure
from cfpm.paths.finder import find_paths
from cfpm.paths.grammar import canonical, is_absolute

_MAX_COMMAND = 2_000
_ERROR_HEAD = 400
"""An error opens an output; further down, what looks like one may be the content of a file."""
_JOINED = lazy_pattern(r"\s*&&\s*")
_SEPARATED = lazy_pattern(r"[;|\n]|(?<!&)&(?!&|\d)")
_BEFORE_PROGRAM = lazy_pattern(r"^\s*(?:(?:time|exec|nice|env|sudo|[A-Za-z_]\w*=\S*)\s+)*")
_REJECTED_BY_USER = lazy_pattern(r"The user doesn.t want to proceed|Request interrupted")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one call ended. `ok` is None when nothing says so. `own` is the kind of the host's tool that answered a call
    of this turn for the first time; None for a tool of anybody else, and for every later result under the same id."""

    message: Message
    call: ToolCall | None
    work: Work
    ok: bool | None
    success: Success | None
    own: OwnTool | None = None

    def draft(
        self,
        category: Category,
        content: str,
        place: tuple[int, int],
        rule: str,
        confidence: float,
        line: str,
        marks: frozenset[Mark] = frozenset(),
    ) -> Draft:
        """A draft that this output shows at [start, end); (0, 0) cites the call itself."""
        span = Span(self.message.id, *place)
        command = self.call.command if self.call else None
        return Draft(category, content, span, Role.TOOL, rule, confidence, line, marks, validation_command=command)


@dataclass(slots=True)
class Evidence:
    """The outcomes of a turn in order; later ones count more. `calls` are those of earlier turns to begin with."""

    calls: dict[str, ToolCall] = field(default_factory=dict)
    authorities: Authorities = field(default_factory=Authorities)
    last: dict[Work, bool] = field(default_factory=dict)
    succeeded: set[Work] = field(default_factory=set)
    _open: dict[str, ToolCall] = field(default_factory=dict)
    """The calls of this turn that wait for their answer."""
    _used: set[str] = field(default_factory=set)

    def asked(self, message: Message) -> None:
        """Remembers the calls of an assistant message."""
        for call in message.tool_calls:
            self.calls[call.id] = call
            if call.id in self._used:
                # Two calls of one name: whose the next answer is cannot be told.
                self._open.pop(call.id, None)
            else:
                self._open[call.id] = call
                self._used.add(call.id)

    def answered(self, message: Message) -> Outcome:
        """Takes a tool result into account and says how the call ended."""
        call = self.calls.get(message.tool_result.call_id) if message.tool_result else None
        work = work_of(call)
        # What a file or a page says is not what a program reports, so it is not searched for success.
        content = only_looks(call, work)
        found = None if content else success(message.text)
        if content:
            ok = False if message.tool_result and message.tool_result.failed else None
        else:
            ok = False if failed(message) else (True if found or _said_ok(message) else None)
        if work is Work.UNKNOWN and found:
            work = {"edit": Work.EDIT, "check": Work.CHECK}.get(found.kind, Work.ACT)
        if ok is not None and not _REJECTED_BY_USER.match(message.text):
            self.last[work] = ok
            if ok:
                self.succeeded.add(work)
            if work is Work.EDIT and ok:
                # What was checked before an edit says nothing about what stands after it.
                self.last.pop(Work.CHECK, None)
        return Outcome(message, call, work, ok, found, self._own(message))

    def _own(self, message: Message) -> OwnTool | None:
        """The kind of the host's own tool whose open call this answers, if it does; the call is answered then."""
        call = self._open.pop(message.tool_result.call_id, None) if message.tool_result else None
        return self.authorities.tool(call) if call else None

    def judge(self, needs: Work) -> frozenset[Mark]:
        """Marks for a claim that needs this kind of evidence: none when it stands, else unconfirmed or contradicted."""
        kind = Work.ACT if needs is Work.EDIT and Work.EDIT not in self.last else needs
        ended_well = self.last.get(kind)
        if ended_well:
            return frozenset()
        if ended_well is None or (kind is not Work.CHECK and kind in self.succeeded):
            return frozenset({Mark.UNCONFIRMED})
        return frozenset({Mark.CONTRADICTED})


def ended_well(outcome: Outcome) -> bool:
    """False when the status or the output says that the call failed, or an output without a status names a path that
    is not there."""
    return bool(outcome.ok) or (outcome.ok is None and not may_have_failure(outcome.message.text[:_ERROR_HEAD]))


@dataclass(frozen=True, slots=True)
class Removal:
    """A path, in its canonical form, that is no more where it was; `message_id` is the result that shows it, `moved_to`
    where it is now, if it was moved."""

    path: str
    message_id: str
    moved_to: str = ""

    @property
    def cause(self) -> str:
        """As it stands in the history of the facts that it concerns."""
        return f"moved to {self.moved_to}: {self.message_id}" if self.moved_to else f"removed: {self.message_id}"

    def covers(self, path: str) -> bool:
        """Whether this canonical path is the one that is gone, or lies under it."""
        return path == self.path or path.startswith((f"{self.path}/", f"{self.path}\\"))


def removals(messages: Sequence[Message], calls: Mapping[str, ToolCall]) -> list[Removal]:
    """What calls of these messages took away, in their order."""
    found = []
    for message in messages:
        call = calls.get(message.tool_result.call_id) if message.tool_result else None
        gone = taken_away(call) if call is not None else []
        if call is not None and gone and ended_well(Evidence({call.id: call}).answered(message)):
            found += [Removal(canonical(deed.what), message.id, deed.to) for deed in gone]
    return found


def working_paths(messages: Sequence[Message], calls: Mapping[str, ToolCall]) -> dict[str, str]:
    """Paths that a call of these messages read, found or ran, to the id of the result that shows it.

    What was written needs no such look: it is an artifact, which outweighs an older report by itself.
    """
    found: dict[str, str] = {}
    for message in messages:
        result = message.tool_result
        call = calls.get(result.call_id) if result else None
        if call is None or result is None or result.failed:
            continue
        if result.exit_code == 0:
            found |= dict.fromkeys(map(canonical, _run(call)), message.id)
        if work_of(call) not in (Work.READ, Work.LOCATE):
            continue
        named = [call.path] if call.path else [item.path for item in find_paths((call.command or "")[:_MAX_COMMAND])]
        if len(named) == 1 and is_absolute(named[0]) and not may_have_failure(message.text[:_ERROR_HEAD]):
            found[canonical(named[0])] = message.id
    return found


def _run(call: ToolCall) -> Iterator[str]:
    """The files that a command ran which ended well: programs by their path, and what an interpreter was given. Of a
    chain only what `&&` joins has all ended well; a relative path counts where the call names its folder."""
    command = (call.command or "")[:_MAX_COMMAND]
    for part in _JOINED.split(command) if _SEPARATED.search(command) is None else ():
        words = _BEFORE_PROGRAM.sub("", part).split()
        name = words[0] if words else ""
        if name.rpartition("/")[2] in toml_table("cfpm.extractor", "tools")["commands"]["interpreters"]:
            name = next((word for word in words[1:] if not word.startswith("-")), "")
        path = name.strip("\"'")
        if "/" in path and is_absolute(path):
            yield path
        elif "/" in path and (folder := root_of(call)):
            yield posixpath.normpath(f"{folder}/{path}")


def _said_ok(message: Message) -> bool:
    result = message.tool_result
    return result is not None and (result.exit_code == 0 or result.is_error is False)
