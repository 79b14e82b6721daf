"""What was said in a part of a history that is worth a line of a summary: the user's goals, rules and decisions, what
the agent claims and leaves open. Chooses by the rules of the extractor and by salience; knows no budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cfpm.context.compaction.notes import cut
from cfpm.context.history import Entry, Group, Kind
from cfpm.extractor import extract
from cfpm.model import Category, Draft, Mark, Message, Origin, Role, Turn
from cfpm.text import is_low_information, sentences
from cfpm.text.salience import clauses, rate, weights
from cfpm.text.sentences import Kind as Place

MAX_SAYING = 400
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
class Saying:
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


def sayings(groups: Sequence[Group]) -> list[Saying]:
    """The sayings of both sides, in order, without repetition."""
    entries = [entry for group in groups if group.kind not in (Kind.NOTE, Kind.SYSTEM) for entry in group.entries]
    by_user = _newest(entries, Role.USER)
    found = [*_of(by_user, Role.USER), *_of(_newest(entries, Role.ASSISTANT), Role.ASSISTANT)]
    ends = {int(message.id) for message in (*by_user[:1], *by_user[-1:])}
    asking = {id(saying) for place in ends for saying in _asking(found, place)}
    ranked = (replace(saying, rank=saying.rank + _ENDS) if id(saying) in asking else saying for saying in found)
    unique = {(saying.role, saying.text): saying for saying in ranked}
    return sorted(unique.values(), key=lambda saying: saying.position)


def _asking(found: Sequence[Saying], position: int) -> list[Saying]:
    """What a message of the user asks for: all that a rule took from it, or its first sentence."""
    here = [saying for saying in found if saying.role is Role.USER and saying.position == position]
    return [saying for saying in here if saying.label != _SAID] or here[:1]


def read_saying(role: Role, line: str, position: int) -> Saying | None:
    """The saying of a summary's line, or None when it is another line."""
    label, found, text = line.removeprefix("- ").partition(": ")
    ranks = dict((_BY_USER if role is Role.USER else _BY_AGENT).values())
    return Saying(role, label, text, ranks[label], position) if found and label in ranks else None


def _newest(entries: Iterable[Entry], role: Role) -> list[Message]:
    """The newest messages of a side, oldest first, with their positions as ids; the first of all is among them."""
    said = [
        replace(part, id=str(entry.position), created_at=None, tool_calls=())
        for entry in entries
        for part in entry.parts
        if part.role is role and part.origin is Origin.SAID and part.text.strip()
    ]
    room, kept = MAX_LOOKED_AT[role], list[Message]()
    for message in reversed(said):
        if room <= 0:
            break
        kept.append(replace(message, text=message.text[:room]))
        room -= len(message.text)
    first = said[: len(said) > len(kept)]
    return [*(replace(message, text=message.text[: MAX_LOOKED_AT[role]]) for message in first), *reversed(kept)]


def _drafted(messages: Sequence[Message], role: Role) -> Iterator[Saying]:
    table = _BY_USER if role is Role.USER else _BY_AGENT
    for draft in extract(Turn("", 0, tuple(messages))) if messages else ():
        known = table.get(draft.category)
        if known and _NOT_SAID.isdisjoint(draft.marks):
            yield _saying(role, known[0], draft.content, known[1] + _salience(draft), int(draft.span.message_id))


def _salience(draft: Draft) -> float:
    return 0.0 if Mark.LOW_SALIENCE in draft.marks else draft.salience


def _of(messages: Sequence[Message], role: Role) -> Iterator[Saying]:
    """What the rules take from these messages, and every other sentence by its salience alone."""
    drafted = list(_drafted(messages, role))
    told: dict[int, list[str]] = {}
    for saying in drafted:
        told.setdefault(saying.position, []).append(saying.text)
    yield from drafted
    table = weights("assistant")
    for message in messages:
        place = int(message.id)
        for number, text in enumerate(_sentences(message.text)):
            line = " ".join(text.split())
            opens = _OPENING if role is Role.USER and not number else 0.0
            if not is_low_information(text) and not any(line in other for other in told.get(place, ())):
                salience = rate(list(clauses(text, 0, "assistant")), table).salience(table, "")
                yield _saying(role, _SAID, line, salience + opens, place)


def _sentences(text: str) -> Iterator[str]:
    return (found.text for found in sentences(text) if found.kind not in (Place.CODE, Place.TABLE, Place.HEADING))


def _saying(role: Role, label: str, text: str, rank: float, position: int) -> Saying:
    return Saying(role, label, cut(text, MAX_SAYING), rank, position)
