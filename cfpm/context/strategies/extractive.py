"""A summary without a model: the user's goals, rules and decisions, what the agent claims and leaves open, and the tool
calls, in lines that stand in the messages themselves. A prior one is continued. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from cfpm.context.history import Entry, Group, Raw, entries_in, said_by
from cfpm.context.strategies.notes import Note, checkpoint, cut, notes_in, stands_for, taken_over
from cfpm.context.strategies.operations import Operation, merged, operations, read_line
from cfpm.context.tokens import message_tokens
from cfpm.extractor.extractor import extract
from cfpm.model import Category, Draft, Mark, Message, Role, Turn
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.tokens import Count
from cfpm.text import is_low_information, sentences
from cfpm.text.salience import clauses, rate, weights
from cfpm.text.sentences import Kind as Place

MAX_EXCERPT = 400
"""Characters: a sentence or two."""

MAX_LOOKED_AT = {Role.USER: 150_000, Role.ASSISTANT: 60_000}
"""Characters of each side's words that are searched, the newest, so that a history of any length takes about a second.
What stands before was in an earlier summary, if compaction is on; the user's words bind longer than the agent's."""

_SAID = "said"
"""The label of what no rule took."""

_BY_USER = {
    Category.INSTRUCTION: ("rule", 5.0),
    Category.GOAL: ("goal", 2.5),
    Category.DECISION: ("decision", 2.0),
    Category.PREFERENCE: ("preference", 2.0),
    Category.OPEN_ITEM: ("open", 1.5),
    Category.PROFILE: ("profile", 1.0),
    Category.EVENT: ("event", 0.5),
    Category.NOTE: (_SAID, 1.5),
}
_BY_AGENT = {
    Category.DECISION: ("decision", 2.0),
    Category.OPEN_ITEM: ("open", 1.5),
    Category.VERIFIED_ACTION: ("done", 1.0),
    Category.NOTE: (_SAID, 0.0),
}
"""Label and rank by category: what binds the agent stays longest, and what a rule took before what none did. Salience,
in [0, 1], decides within a rank."""

_ENDS = 2.0
"""What the first and the last request are worth on top: they say what the work is, and what it is now."""

_OPENING = 1.0
"""What the first sentence of a user's message is worth on top: mostly it says what they want."""

_NOT_SAID = frozenset({Mark.QUOTED, Mark.BOILERPLATE, Mark.ECHO})


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence worth keeping. `rank` is higher for what must stay longer; `position` orders."""

    role: Role
    label: str
    text: str
    rank: float
    position: int

    @property
    def line(self) -> str:
        """As it stands in a summary."""
        return f"- {self.label}: {self.text}"


def excerpts(groups: Sequence[Group]) -> list[Excerpt]:
    """The excerpts of both sides, in order, without repetition."""
    entries = entries_in(groups)
    by_user = _newest(entries, Role.USER)
    found = [*_of(by_user, Role.USER), *_of(_newest(entries, Role.ASSISTANT), Role.ASSISTANT)]
    ends = {int(message.id) for message in (*by_user[:1], *by_user[-1:])}
    asking = {id(excerpt) for place in ends for excerpt in _asking(found, place)}
    ranked = (replace(excerpt, rank=excerpt.rank + _ENDS) if id(excerpt) in asking else excerpt for excerpt in found)
    unique = {(excerpt.role, excerpt.text): excerpt for excerpt in ranked}
    return sorted(unique.values(), key=lambda excerpt: excerpt.position)


def _asking(found: Sequence[Excerpt], position: int) -> list[Excerpt]:
    """What a message of the user asks for: all that a rule took from it, or its first sentence."""
    here = [excerpt for excerpt in found if excerpt.role is Role.USER and excerpt.position == position]
    return [excerpt for excerpt in here if excerpt.label != _SAID] or here[:1]


def read_excerpt(role: Role, line: str, position: int) -> Excerpt | None:
    """The excerpt of a summary's line, or None when it is another line."""
    label, found, text = line.removeprefix("- ").partition(": ")
    ranks = dict((_BY_USER if role is Role.USER else _BY_AGENT).values())
    return Excerpt(role, label, text, ranks[label], position) if found and label in ranks else None


def _newest(entries: Iterable[Entry], role: Role) -> list[Message]:
    """The newest messages of a side, oldest first, with their positions as ids; the first of all is among them."""
    said = [
        replace(part, id=str(entry.position), created_at=None, tool_calls=()) for entry, part in said_by(role, entries)
    ]
    room, kept = MAX_LOOKED_AT[role], list[Message]()
    for message in reversed(said):
        if room <= 0:
            break
        kept.append(replace(message, text=message.text[:room]))
        room -= len(message.text)
    first = said[: len(said) > len(kept)]
    return [*(replace(message, text=message.text[: MAX_LOOKED_AT[role]]) for message in first), *reversed(kept)]


def _drafted(messages: Sequence[Message], role: Role) -> Iterator[Excerpt]:
    table = _BY_USER if role is Role.USER else _BY_AGENT
    for draft in extract(Turn("", 0, tuple(messages))) if messages else ():
        known = table.get(draft.category)
        if known and _NOT_SAID.isdisjoint(draft.marks):
            yield _excerpt(role, known[0], draft.content, known[1] + _salience(draft), int(draft.span.message_id))


def _salience(draft: Draft) -> float:
    return 0.0 if Mark.LOW_SALIENCE in draft.marks else draft.salience


def _of(messages: Sequence[Message], role: Role) -> Iterator[Excerpt]:
    """What the rules take from these messages, and every other sentence by its salience alone."""
    drafted = list(_drafted(messages, role))
    told: dict[int, list[str]] = {}
    for excerpt in drafted:
        told.setdefault(excerpt.position, []).append(excerpt.text)
    yield from drafted
    table = weights("assistant")
    for message in messages:
        place = int(message.id)
        for number, text in enumerate(_sentences(message.text)):
            line = " ".join(text.split())
            opens = _OPENING if role is Role.USER and not number else 0.0
            if not is_low_information(text) and not any(line in other for other in told.get(place, ())):
                salience = rate(list(clauses(text, 0, "assistant")), table).salience(table, "")
                yield _excerpt(role, _SAID, line, salience + opens, place)


def _sentences(text: str) -> Iterator[str]:
    return (found.text for found in sentences(text) if found.kind not in (Place.CODE, Place.TABLE, Place.HEADING))


def _excerpt(role: Role, label: str, text: str, rank: float, position: int) -> Excerpt:
    return Excerpt(role, label, cut(text, MAX_EXCERPT), rank, position)


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

_NOT_SHOWN = lazy_pattern(r"\((\d+) other calls are not shown\)")

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

    excerpts: list[Excerpt] = field(default_factory=list)
    calls: list[Operation] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)
    not_shown: int = 0


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
    for excerpt in (*prior.excerpts, *excerpts(middle)):
        section = Section.ASKED if excerpt.role is Role.USER else Section.SAID
        if (excerpt.role, excerpt.text) not in told:
            lines.append(_Line(section, excerpt.line, excerpt.rank, excerpt.position))
        told.add((excerpt.role, excerpt.text))
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
        elif excerpt := read_excerpt(role, line, _BEFORE + len(prior.excerpts)):
            prior.excerpts.append(excerpt)


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
