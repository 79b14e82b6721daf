"""A summary without a model: what was said that matters, and the tool calls, in lines that stand in the messages
themselves. A prior one is continued. Asks nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from cfpm.context.collector import uncollected
from cfpm.context.compaction.notes import Note, checkpoint, notes_in, stands_for, taken_over
from cfpm.context.compaction.operations import Operation, merged, operations, read_line
from cfpm.context.compaction.sayings import Saying, read_saying, sayings
from cfpm.context.history import Group, Raw
from cfpm.context.tokens import message_tokens
from cfpm.model import Role
from cfpm.recall.tokens import Count

KIND = "extract"


class Section(StrEnum):
    """The parts of the summary, in their order, by their headings."""

    EARLIER = "Summarised earlier:"
    ASKED = "Asked by the user:"
    SAID = "Said by the agent:"
    CALLS = "Tool calls, oldest first:"


SHARES = {Section.ASKED: 0.35, Section.EARLIER: 0.3, Section.CALLS: 0.25, Section.SAID: 0.1}
"""Shares of the room, in the order in which what is left over is given away: the user's words bind the agent, an
earlier summary stands for many messages, calls say what was done, what the agent says of it repeats them."""

_NOT_SHOWN = re.compile(r"\((\d+) other calls are not shown\)")

ALL = frozenset(Section)

_HEADINGS = frozenset(section.value for section in Section)

_BEFORE = -1_000_000
"""Positions of what a prior summary says start here: before all messages."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may be chosen; the highest ranks first, of equal ones the newest."""

    section: Section
    text: str
    rank: float
    position: int
    calls: int = 0


@dataclass(slots=True)
class _Prior:
    """What prior checkpoints say; `not_shown` calls have no line."""

    sayings: list[Saying] = field(default_factory=list)
    calls: list[Operation] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)
    not_shown: int = 0


@uncollected()
def extractive_note(middle: Sequence[Group], room: int, count: Count, sections: frozenset[Section] = ALL) -> Raw:
    """The checkpoint of these groups, of at most `room` tokens where its frame fits; deterministic."""
    notes = notes_in(middle)
    lines, not_shown = _candidates(middle, notes, calls=Section.CALLS in sections)
    lines = [line for line in lines if line.section in sections]
    messages = stands_for(middle, notes)
    calls = sum(line.calls for line in lines) + not_shown
    frame = message_tokens(checkpoint(KIND, messages, [*sections, _not_shown(calls)]), count)
    chosen = _choose(lines, room - frame, count)
    while True:
        note = checkpoint(KIND, messages, _body(chosen, calls))
        # A count need not be the sum of its parts, so the whole is counted again.
        if message_tokens(note, count) <= room or not chosen:
            return note
        chosen.pop()


def _choose(lines: Sequence[_Line], room: int, count: Count) -> list[_Line]:
    """The lines that fit: each section within its share, then whatever fits into what is left."""
    waiting: dict[Section, list[_Line]] = {section: [] for section in SHARES}
    for line in sorted(lines, key=lambda line: (-line.rank, -line.position)):
        waiting[line.section].append(line)
    chosen: list[_Line] = []
    for shares in (SHARES, dict.fromkeys(SHARES, 1.0)):
        whole = room
        for section, share in shares.items():
            limit, left = min(room, int(whole * share)), list[_Line]()
            for line in waiting[section]:
                size = count(f"{line.text}\n")
                (chosen if size <= limit else left).append(line)
                if size <= limit:
                    limit, room = limit - size, room - size
            waiting[section] = left
    return chosen


def _candidates(middle: Sequence[Group], notes: Iterable[Note], *, calls: bool) -> tuple[list[_Line], int]:
    """All lines, those of calls where they are wanted, and how many calls had no line already."""
    prior = _Prior()
    for note in notes:
        _read(note, prior)
    done = merged([*prior.calls, *operations(middle)]) if calls else []
    lines = [_Line(Section.EARLIER, f"> {line}", -place, place) for place, line in enumerate(prior.earlier)]
    lines += [_Line(Section.CALLS, call.line, 0, place, call.times) for place, call in enumerate(done)]
    told: set[tuple[Role, str]] = set()
    for saying in (*prior.sayings, *sayings(middle)):
        section = Section.ASKED if saying.role is Role.USER else Section.SAID
        if (saying.role, saying.text) not in told:
            lines.append(_Line(section, saying.line, saying.rank, saying.position))
        told.add((saying.role, saying.text))
    return lines, prior.not_shown


def _read(note: Note, prior: _Prior) -> None:
    """Takes over what a prior checkpoint says; one of another form goes on as it was written."""
    if note.kind != KIND:
        prior.earlier += taken_over(note)
        return
    section = Section.EARLIER
    for line in note.lines:
        role = Role.ASSISTANT if section is Section.SAID else Role.USER
        if line in _HEADINGS:
            section = Section(line)
        elif section is Section.EARLIER:
            prior.earlier.append(line.removeprefix("> "))
        elif operation := read_line(line):
            prior.calls.append(operation)
        elif left_out := _NOT_SHOWN.fullmatch(line):
            prior.not_shown += int(left_out[1])
        elif saying := read_saying(role, line, _BEFORE + len(prior.sayings)):
            prior.sayings.append(saying)


def _body(chosen: Sequence[_Line], calls: int) -> Iterator[str]:
    for section in Section:
        lines = [line for line in chosen if line.section is section]
        shown = sum(line.calls for line in lines)
        not_shown = [_not_shown(calls - shown)] if section is Section.CALLS and calls > shown else []
        if lines or not_shown:
            yield section.value
            yield from not_shown
            yield from (line.text for line in sorted(lines, key=lambda line: line.position))


def _not_shown(calls: int) -> str:
    return f"({calls} other calls are not shown)"
