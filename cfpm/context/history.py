"""A host's message list, OpenAI or Anthropic style, as groups that can be kept or left out without breaking a rule of
the providers. Never changes a message; chooses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from cfpm.context.tokens import message_tokens
from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.markers import CHECKPOINT_OPEN, CONTINUATION_PREFIX, FAILURE_PREFIX, STATE_OPEN
from cfpm.recall.tokens import Count
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.sdk_objects import REMEDY, plain_messages

Raw = Mapping[str, object]
"""A message as a host writes it."""


class Kind(StrEnum):
    """What a group is. A note was written by a compaction; a broken one no provider would take."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    CALLS = "calls"
    NOTE = "note"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the list: the dict itself, its place, and what `cfpm.transcript` reads in it.

    `tokens` is the size by the count the history was read with.
    """

    position: int
    raw: Raw
    parts: tuple[Message, ...]
    tokens: int

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls that the message makes."""
        return tuple(call for part in self.parts for call in part.tool_calls)

    @property
    def results(self) -> tuple[Message, ...]:
        """The tool results that the message brings."""
        return tuple(part for part in self.parts if part.tool_result is not None)

    @property
    def said(self) -> str:
        """What was said in it, without thinking, results and what a host put there."""
        texts = (p.text for p in self.parts if p.tool_result is None and p.origin is Origin.SAID)
        return "\n\n".join(text for text in texts if text.strip())


@dataclass(frozen=True, slots=True)
class Group:
    """The least that can be kept or left out: one message, or an assistant's calls with all their results."""

    kind: Kind
    entries: tuple[Entry, ...]

    @property
    def tokens(self) -> int:
        """The sum over its messages."""
        return sum(entry.tokens for entry in self.entries)

    @property
    def calls(self) -> dict[str, ToolCall]:
        """The calls by their ids."""
        return {call.id: call for entry in self.entries for call in entry.calls}

    @property
    def results(self) -> dict[str, Message]:
        """The results by the ids of their calls."""
        found = (result for entry in self.entries for result in entry.results)
        return {result.tool_result.call_id: result for result in found if result.tool_result is not None}

    @property
    def opens(self) -> bool:
        """Whether a slice may begin with it: a user's message that is no answer to a call."""
        return self.kind is Kind.USER


@dataclass(frozen=True, slots=True)
class History:
    """What the model sees of a list, in groups; `hidden` are the messages that left its view before, unread."""

    groups: tuple[Group, ...]
    hidden: tuple[Entry, ...]
    count: Count

    @property
    def entries(self) -> Iterator[Entry]:
        """All messages of the view in order."""
        return (entry for group in self.groups for entry in group.entries)

    @property
    def system(self) -> tuple[Group, ...]:
        """The system messages: they belong to the host's prompt, and no compaction touches them."""
        return tuple(group for group in self.groups if group.kind is Kind.SYSTEM)

    @property
    def spoken(self) -> tuple[Group, ...]:
        """All groups but the system messages."""
        return tuple(group for group in self.groups if group.kind is not Kind.SYSTEM)

    @property
    def tokens(self) -> int:
        """The size of the view without system messages."""
        return spoken_tokens(self.groups)

    @property
    def everything(self) -> list[Entry]:
        """The messages of the view and the hidden ones, in the order of the list."""
        return sorted([*self.entries, *self.hidden], key=lambda entry: entry.position)


def entries_in(groups: Iterable[Group]) -> list[Entry]:
    """The messages of these groups, without notes and system messages."""
    return [entry for group in groups if group.kind not in (Kind.NOTE, Kind.SYSTEM) for entry in group.entries]


def said_by(role: Role, entries: Iterable[Entry]) -> list[tuple[Entry, Message]]:
    """What a side said in these messages, also beside the results of a call; without thinking and blank texts."""
    return [
        (entry, part)
        for entry in entries
        for part in entry.parts
        if part.role is role and part.origin is Origin.SAID and part.text.strip()
    ]


def spoken_tokens(groups: Iterable[Group]) -> int:
    """The size of these groups without system messages."""
    return sum(group.tokens for group in groups if group.kind is not Kind.SYSTEM)


def read_history(messages: Iterable[object], count: Count) -> History:
    """Reads a list of dicts, and of objects as the dicts that stand for them. Those with `agent_visible` false are
    hidden.

    Raises InputError naming the position of what is no message.
    """
    if isinstance(messages, str | bytes | Mapping):
        raise InputError("messages", f"a {type(messages).__name__} instead of a list", "Pass a list of dicts")
    seen: list[Entry] = []
    hidden: list[Entry] = []
    for position, raw in enumerate(plain_messages(messages)):
        if not isinstance(raw, Mapping):
            raise InputError("messages", f"a {type(raw).__name__}", REMEDY, place=f"message {position}")
        if raw.get("agent_visible") is False:
            hidden.append(Entry(position, raw, (), 0))
        else:
            seen.append(_entry(position, raw, count))
    return History(tuple(_groups(seen)), tuple(hidden), count)


def _entry(position: int, raw: Raw, count: Count) -> Entry:
    try:
        parts = parse_messages([raw])
    except InputError as error:
        raise InputError("messages", error.problem, error.remedy, place=f"message {position}") from None
    return Entry(position, raw, tuple(parts), message_tokens(raw, count))


def _groups(entries: list[Entry]) -> Iterator[Group]:
    at = 0
    while at < len(entries):
        entry = entries[at]
        if not entry.calls:
            yield Group(_kind(entry), (entry,))
            at += 1
            continue
        end = at + 1
        wanted = {call.id for call in entry.calls}
        missing = set(wanted)
        while end < len(entries) and _answers(entries[end], wanted):
            missing -= {part.tool_result.call_id for part in entries[end].results if part.tool_result}
            end += 1
        # Calls that still wait for their results are whole only at the very end.
        whole = not missing or end == len(entries)
        yield Group(Kind.CALLS if whole else Kind.BROKEN, tuple(entries[at:end]))
        at = end


def _answers(entry: Entry, wanted: set[str]) -> bool:
    ids = [part.tool_result.call_id for part in entry.results if part.tool_result]
    return bool(ids) and wanted.issuperset(ids)


def _kind(entry: Entry) -> Kind:
    if entry.results:
        return Kind.BROKEN
    if is_note(entry.raw):
        return Kind.NOTE
    match entry.parts[0].role if entry.parts else Role.USER:
        case Role.SYSTEM:
            return Kind.SYSTEM
        case Role.ASSISTANT:
            return Kind.ASSISTANT
        case _:
            return Kind.USER


def is_note(raw: Raw) -> bool:
    """Whether a compaction of ours wrote this message."""
    content = raw.get("content")
    several = isinstance(content, list | tuple) and len(content) > 1
    return not several and text_of(raw).startswith((CHECKPOINT_OPEN, STATE_OPEN, CONTINUATION_PREFIX, FAILURE_PREFIX))


def answers_in(messages: Iterable[Raw]) -> int:
    """The answers of agents that the model sees behind the last checkpoint: messages that make no call."""
    answers = 0
    for raw in messages:
        if raw.get("agent_visible") is False:
            continue
        if is_note(raw):
            answers = 0
        elif raw.get("role") == "assistant" and not raw.get("tool_calls") and not holds(raw, "tool_use"):
            answers += 1
    return answers


def turn_numbers(history: History, before: int = 0) -> dict[int, int]:
    """The turn of the user in which each group of the view stands, by the group's identity, counted from 1 over the
    whole list; from `before` on where what was compacted is not in the list."""
    groups = {entry.position: group for group in history.groups for entry in group.entries}
    number = 0 if history.hidden else before
    found: dict[int, int] = {}
    for entry in history.everything:
        group = groups.get(entry.position)
        if group is None:
            asked = entry.raw.get("role") == "user" and not is_note(entry.raw) and not holds(entry.raw, "tool_result")
            number += asked
        elif id(group) not in found:
            number += group.opens
            found[id(group)] = number
    return found


def holds(raw: Raw, kind: str) -> bool:
    """Whether a block of this type stands in the content of a message."""
    content = raw.get("content")
    blocks = content if isinstance(content, list | tuple) else ()
    return any(isinstance(block, Mapping) and block.get("type") == kind for block in blocks)


def text_of(raw: Raw) -> str:
    """The content of a message that is a text, plain or as its first block; else empty."""
    content = raw.get("content")
    if isinstance(content, list | tuple) and content and isinstance(content[0], Mapping):
        content = content[0].get("text")
    return content if isinstance(content, str) else ""
