"""Failing shell calls that repeat one of an earlier session, and whether the prompt warned of them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.carryover.words import any_of, word_list
from benchmarks.compaction.names import command, without_names
from benchmarks.compaction.requests import FEWEST_WORDS, content_words
from cfpm.extractor.calls import beginning, in_one_line, made
from cfpm.extractor.evidence import ended_well
from cfpm.extractor.outcomes import failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchmarks.carryover.sessions import Turn
    from cfpm.extractor.evidence import Outcome
    from cfpm.model import ToolCall

CLASS_WORDS = 6
"""Words of the line that says how a call failed, names and numbers left out, by which two failures are of one kind."""

FEWEST_OF_KIND = 2
"""Words that such a line must have: many a failure says no more than that it is one."""

STOPPED_IN = 500
"""Characters of a result in which a host says that the call was stopped."""

SHOWN = 60
"""Characters of a remedy's command that a line must hold."""

SAID_AGAIN = 0.5
"""Share of the content words of a failure's line by which another line tells of it."""

_CHANGES_FOLDER = re.compile(r"cd [^&;|\n]{1,300}(?:&&|;)\s*")
_STATUS = re.compile(r"\W*(?:process |command )?exit(?:ed)?\b[\w ]*?-?\d+\W*$", re.IGNORECASE)
"""A line that tells the exit code and nothing else."""
_TAG = re.compile(r"\s*(?:<\w+>|\[)?\s*")
"""What a host puts around its own words."""
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")


@dataclass(slots=True)
class Failure:
    """A shell call that failed. `line` says how; `remedy` is the command that worked instead, as far as one did: the
    next of the same program in that session that ended well, if it is another command and no file was edited before.
    """

    command: str
    program: str
    """Its first word, and the next if that is a command of the program: `go build`."""
    start: str
    """Its first three words."""
    kind: tuple[str, ...]
    line: str
    remedy: str = ""

    @property
    def like(self) -> tuple[str, tuple[str, ...]]:
        """The first two words and the kind of the failure, by which another command failed alike."""
        return " ".join(self.command.split()[:2]), self.kind


@dataclass(frozen=True, slots=True)
class Repeated:
    """A failing call and the earlier failure that it repeats, with whether a line of the prompt warned of it: at all,
    and with the remedy in the same line."""

    earlier: Failure
    warned: bool
    with_remedy: bool


@dataclass(slots=True)
class Failures:
    """Goes through the sessions in order: `begin` each, then `learn` each of its turns."""

    _by_command: dict[str, Failure] = field(default_factory=dict)
    _alike: dict[tuple[str, tuple[str, ...]], Failure] = field(default_factory=dict)
    _now: list[Failure] = field(default_factory=list)
    _waiting: defaultdict[str, list[Failure]] = field(default_factory=lambda: defaultdict(list))

    def begin(self) -> None:
        """A new session: the failures of the last one are earlier ones from now on, the newest of each kind."""
        for failure in self._now:
            self._by_command[failure.command] = failure
            if len(failure.kind) >= FEWEST_OF_KIND:
                self._alike[failure.like] = failure
        self._now = []
        self._waiting.clear()

    def learn(self, turn: Turn) -> None:
        """Takes in the calls of a turn."""
        for outcome in turn.outcomes:
            if failure := failed(outcome):
                self._now.append(failure)
                self._waiting[failure.program].append(failure)
            elif outcome.call and ended_well(outcome) and not _stopped(outcome):
                if made(outcome.call):
                    self._waiting.clear()
                done = _line_of(outcome.call)
                for failure in self._waiting.pop(_program(outcome.call), ()) if done else ():
                    failure.remedy = "" if _begins_with(done, failure.command) else done

    def repeated(self, turn: Turn) -> Iterator[Failure]:
        """The earlier failures that failing calls of a turn repeat, each once: the same command, or another that begins
        with the same two words and failed in the same kind of words."""
        seen: set[int] = set()
        for failure in filter(None, map(failed, turn.outcomes)):
            earlier = self._by_command.get(failure.command) or self._alike.get(failure.like)
            if earlier and id(earlier) not in seen:
                seen.add(id(earlier))
                yield earlier


def failed(outcome: Outcome) -> Failure | None:
    """The failure of a shell call that says how it failed; None for what went well, or was stopped by the user.

    A call failed when its host says so or, where the host says nothing, a line of its output does.
    """
    line = _line_of(outcome.call)
    if not line or outcome.call is None or outcome.ok is not False or _stopped(outcome):
        return None
    text = outcome.message.text
    told = next(
        (one.strip() for one in (*failures(text), *text.splitlines()) if one.strip() and not _STATUS.match(one)), ""
    )
    if not told:
        return None
    start = command(outcome.call)
    return Failure(line, _program(outcome.call), start.text if start else line, _kind(told), told)


def _line_of(call: ToolCall | None) -> str:
    """The command in one line, without a change of folder before it and without the way of its errors; empty for a tool
    that is no shell."""
    line = in_one_line(call.command).replace(" 2>&1", "") if call and call.command else ""
    return _CHANGES_FOLDER.sub("", line, count=1)


def _program(call: ToolCall) -> str:
    return " ".join(beginning(call))


def _begins_with(line: str, command: str) -> bool:
    """Whether the command is the first step of a line."""
    return line.startswith(command) and line[len(command) :].lstrip()[:1] in ("", "&", "|", ";")


def _stopped(outcome: Outcome) -> bool:
    lines = outcome.message.text[:STOPPED_IN].splitlines()
    return any(_TAG.sub("", line, count=1).startswith(word_list("stopped")) for line in lines)


def _kind(line: str) -> tuple[str, ...]:
    found = re.findall(r"\b[a-z]{2,}\b", without_names(_QUOTED.sub(" ", line)).lower())
    return tuple(found[:CLASS_WORDS])


def warned(failure: Failure, lines: Iterable[str]) -> Repeated:
    """Whether one of the lines tells of the failure: it has a word of failing and the command's first three words, or
    half of the content words of the line that said how it failed."""
    said = content_words(failure.line)
    telling = [
        line
        for line in lines
        if any_of("failing").search(line) and (failure.start in line or _says_again(said, content_words(line)))
    ]
    remedy = failure.remedy[:SHOWN]
    return Repeated(failure, bool(telling), bool(remedy) and any(remedy in line for line in telling))


def _says_again(said: frozenset[str], words: frozenset[str]) -> bool:
    shared = len(said & words)
    return shared >= FEWEST_WORDS and shared >= SAID_AGAIN * len(said)
