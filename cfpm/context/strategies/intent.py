"""The strategy `intent`: in place of the middle, one line per tool call with its outcome and target.

Invariants:
- deterministic, no model;
- each line comes from a call and its own result; counts hold for all calls, also those whose lines left;
- a prior list is continued, not nested;
- the note takes no more than the room that is left, unless not even its frame fits; then the view does not fit either,
  and nothing is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cfpm.context.history import Group, History, Raw, entries_in, said_by, turn_numbers
from cfpm.context.strategies.division import Parts, divide, lengthened
from cfpm.context.strategies.notes import Note, checkpoint, continuation, cut, notes_in, stands_for, taken_over, within
from cfpm.context.strategies.operations import OUTCOMES, Operation, merged, operations, read_line
from cfpm.context.strategies.types import ProposedView, Request
from cfpm.context.tokens import message_tokens
from cfpm.model import Origin, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.block import safe
from cfpm.recall.tokens import Count

KIND = "intent"

MAX_AGENT = 60
"""Characters of an agent's name."""

MAX_REQUEST = 400
"""Characters of a user's request that is quoted because no message of theirs stays."""

EARLIER_SHARE = 0.4
"""Share of the room for what an earlier checkpoint of another form said: it stands for what no call shows."""

ADVICE = (
    "What is applied stands: do not redo it, and look at files as they are now. "
    "Repeat what failed only if it is still needed, and what was refused only when the user allows it."
)

_COUNTS = lazy_pattern(r"Tool calls, oldest first: (\d+) applied, (\d+) failed, (\d+) pending(?:, (\d+) refused)?\.")
_LEFT_OUT = lazy_pattern(r"\((\d+) older calls are not shown\)")
_FIRST, _LAST, _EARLIER = "Asked first: ", "Asked last: ", "Noted earlier: "

Calls = Mapping[int, Sequence[Operation]]
"""The calls of each group, by its identity."""


@dataclass(slots=True)
class Record:
    """What the note says: requests, lines of earlier checkpoints of another form, calls, how many are not shown."""

    first: str = ""
    last: str = ""
    earlier: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    calls: list[Operation] = field(default_factory=list)
    left_out: int = 0


def compact(request: Request) -> ProposedView | None:
    """The list of calls in place of the middle; None when nothing is worth compacting."""
    parts = divide(request)
    if parts is None:
        return None
    count = request.history.count
    calls = _calls(request.history, parts.middle)
    reasoning = request.limits.reasoning
    note = _note(parts, calls, count, reasoning)
    longer = lengthened(request, parts, _tokens(note, parts, count))
    if longer is not parts:
        parts, note = longer, _note(longer, calls, count, reasoning)
    return ProposedView(parts.first, (note, *continuation(parts.last)), parts.last, str(note["content"]))


def _calls(history: History, middle: Sequence[Group]) -> Calls:
    """The calls of each group, with the turn of the user in which they were made and who made them."""
    operated = [read_line(line) for note in notes_in(middle) for line in note.lines]
    turns = turn_numbers(history, max((one.turn for one in operated if one), default=0))
    return {
        id(group): tuple(
            replace(one, turn=turns.get(id(group), 0), agent=_agent(group)) for one in operations((group,))
        )
        for group in middle
    }


def _agent(group: Group) -> str:
    name = group.entries[0].raw.get("name")
    return re.sub(r"[()]", " ", safe(name, MAX_AGENT)).strip() if isinstance(name, str) else ""


def _tokens(note: Raw, parts: Parts, count: Count) -> int:
    return sum(message_tokens(written, count) for written in (note, *continuation(parts.last)))


def _thoughts(groups: Sequence[Group], reasoning: int) -> list[str]:
    """What the agent thought, each piece on one line of at most so many characters."""
    parts = (part for entry in entries_in(groups) for part in entry.parts if reasoning)
    return [cut(part.text, reasoning) for part in parts if part.origin is Origin.THINKING and part.text.strip()]


def _note(parts: Parts, calls: Calls, count: Count, reasoning: int) -> Raw:
    notes = notes_in(parts.middle)
    record = _record(parts, notes, calls, _thoughts(parts.middle, reasoning))
    messages = stands_for(parts.middle, notes)

    def size() -> int:
        return _tokens(checkpoint(KIND, messages, _lines(record)), parts, count)

    _shorten(record, parts.room, size, count)
    return checkpoint(KIND, messages, _lines(record))


def _shorten(record: Record, room: int, size: Callable[[], int], count: Count) -> None:
    """Repeats become one line, then the oldest calls leave, then what else is left."""
    record.earlier = within(record.earlier, int(room * EARLIER_SHARE), count)
    if size() <= room:
        return
    calls, record.calls = merged(record.calls), []
    kept = within([call.line for call in reversed(calls)], room - size() - count(_not_shown(len(calls))), count)
    record.calls = calls[len(calls) - len(kept) :]
    record.left_out += sum(call.times for call in calls[: len(calls) - len(kept)])
    # A count need not be the sum of its parts, so the whole is counted again.
    while size() > room and (record.calls or record.earlier or record.first or record.last):
        if record.calls:
            record.left_out += record.calls.pop(0).times
        elif record.earlier:
            record.earlier.pop()
        elif record.first:
            record.first = ""
        else:
            record.last = ""


def _record(parts: Parts, notes: Sequence[Note], calls: Calls, thoughts: Sequence[str]) -> Record:
    record = Record()
    for note in notes:
        _read(note, record)
    record.earlier += [f"Thought: {text}" for text in thoughts]
    asked = _asked(parts.middle)
    record.first = record.first or next(iter(asked), "")
    record.last = asked[-1] if asked else record.last
    if _asked(parts.first):
        record.first = ""
    if record.last == record.first or _asked(parts.last):
        record.last = ""
    new = [call for group in parts.middle for call in calls[id(group)]]
    record.calls += new
    record.counts.update(operation.outcome for operation in new)
    return record


def _asked(groups: Iterable[Group]) -> list[str]:
    """What the user said in these groups, also beside the results of a call."""
    return [cut(part.text, MAX_REQUEST) for _, part in said_by(Role.USER, entries_in(groups))]


def _read(note: Note, record: Record) -> None:
    """Takes over what a prior checkpoint says."""
    if note.kind != KIND:
        record.earlier += taken_over(note)
        return
    for line in note.lines:
        if operation := read_line(line):
            record.calls.append(operation)
        elif counts := _COUNTS.fullmatch(line):
            record.counts.update(dict(zip(OUTCOMES, map(int, counts.groups("0")), strict=True)))
        elif left_out := _LEFT_OUT.fullmatch(line):
            record.left_out += int(left_out[1])
        elif line.startswith(_FIRST):
            record.first = record.first or line.removeprefix(_FIRST)
        elif line.startswith(_LAST):
            record.last = line.removeprefix(_LAST)
        elif line.startswith(_EARLIER):
            record.earlier.append(line.removeprefix(_EARLIER))


def _lines(record: Record) -> Iterator[str]:
    if record.first:
        yield f"{_FIRST}{record.first}"
    if record.last:
        yield f"{_LAST}{record.last}"
    yield from (f"{_EARLIER}{line}" for line in record.earlier)
    applied, failed, pending, refused = (record.counts[outcome] for outcome in OUTCOMES)
    told = f", {refused} refused" if refused else ""
    yield f"Tool calls, oldest first: {applied} applied, {failed} failed, {pending} pending{told}."
    if record.left_out:
        yield _not_shown(record.left_out)
    yield from (call.line for call in record.calls)
    if pending:
        yield f"Warning: {pending} of them had no result. Find out what they did before you call them again."
    if applied or failed or pending or refused:
        yield ADVICE


def _not_shown(calls: int) -> str:
    return f"({calls} older calls are not shown)"
