"""What the measures over agent logs share: logs as conversations, tool messages behind a prediction. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.extraction.conversation import Conversation, Prediction
from cfpm import Message
from cfpm.model import Role
from cfpm.transcript import Problem, read

VERIFIED = "verified_action"

EDITORS = frozenset(
    {"edit", "write", "multiedit", "notebookedit", "create", "apply_patch", "search_replace", "str_replace_editor"}
)
"""Names of the tools that change one file, in lower case."""


def conversations(path: Path) -> Iterator[Conversation]:
    """The sessions of one log as the memory's reader reads them, with an id for every message: its place."""
    sessions: dict[str, list[Message]] = {}
    for record in read(path):
        if not isinstance(record, Problem):
            said = sessions.setdefault(record.session, [])
            said.append(replace(record.message, id=str(len(said))))
    for session, said in sessions.items():
        yield Conversation(session, tuple(said))


def of_category(predicted: Iterable[Prediction], *categories: str) -> list[Prediction]:
    """The predictions of these categories."""
    return [item for item in predicted if item.category in categories]


def cited(item: Prediction, by_id: Mapping[str, Message], role: Role) -> list[Message]:
    """The messages of one role that a prediction cites."""
    found = (by_id.get(source) for source in item.sources)
    return [message for message in found if message is not None and message.role is role]


def by_id(conversation: Conversation) -> dict[str, Message]:
    """The messages of a conversation by their ids."""
    return {message.id: message for message in conversation.messages}


def edits(conversation: Conversation) -> frozenset[str]:
    """Ids of the tool messages that answer the call of an editor."""
    called = {
        call.id
        for message in conversation.messages
        for call in message.tool_calls
        if call.name.lower().rpartition("__")[2] in EDITORS
    }
    return frozenset(
        message.id
        for message in conversation.messages
        if message.tool_result is not None and message.tool_result.call_id in called
    )


def share(part: int, whole: int) -> float | None:
    """A part of a whole, None where there is no whole."""
    return part / whole if whole else None


def folded(text: str) -> str:
    """A text with every stretch of white space as one space, to find it in another."""
    return " ".join(text.split())


def shown(texts: Sequence[str] | str, length: int = 200) -> str:
    """A text on one line, cut, as examples show it."""
    return folded(texts if isinstance(texts, str) else " | ".join(texts))[:length]
