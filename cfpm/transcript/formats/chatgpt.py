"""ChatGPT's export: conversations as trees of messages, of which the branch shown last is read. Hidden messages are the
host's own and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.transcript.blocks import tool_call, tool_output
from cfpm.transcript.fields import label, list_of, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import (
    Format,
    Reader,
    Row,
    entries_of,
    kinds,
    not_an_object,
    numbered,
    one_or_list_of,
)
from cfpm.transcript.records import Entries

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_SAID = frozenset({"text", "multimodal_text"})
_OUTPUTS = frozenset(
    {"code", "execution_output", "tether_quote", "tether_browsing_display", "sonic_webpage", "system_error", "text"}
)


def _fits(value: Mapping[str, object]) -> bool:
    mapping = value.get("mapping")
    return isinstance(mapping, Mapping) and ("current_node" in value or "conversation_id" in value)


@dataclass(slots=True)
class _Reader(Reader):
    """Reads conversation by conversation; `calls` are those of the branch by the message that holds them."""

    calls: dict[str, ToolCall] = field(default_factory=dict)

    def read(self, rows: Iterator[Row]) -> Entries:
        for number, value in rows:
            place = f"conversation {number}"
            if not isinstance(value, Mapping) or not _fits(value):
                yield not_an_object(value, self.source, place)
                continue
            key = label(value.get("conversation_id")) or label(value.get("id")) or f"conversation-{number}"
            self.calls.clear()
            for position, node in enumerate(_branch(value), start=1):
                where = f"{place}, message {position}"
                read = partial(self._messages, where, label(node.get("parent")))
                yield from entries_of(object_of(node.get("message")), self.source, where, read, key, own=True)
        yield from self.unknown.problems()

    def _messages(self, place: str, parent: str, message: Mapping[str, object]) -> list[Message]:
        metadata, content = object_of(message.get("metadata")), object_of(message.get("content"))
        author = object_of(message.get("author"))
        kind, role = text_of(content.get("content_type")), text_of(author.get("role"))
        identity, at = label(message.get("id")), loose_moment(message.get("create_time"))
        if kind in kinds("chatgpt")["bookkeeping"]:
            return []
        if kind == "user_editable_context":
            keys = ("user_profile", "user_instructions")
            text = "\n".join(found for key in keys if (found := text_of(content.get(key))))
            return [Message(Role.USER, text, identity, at, origin=Origin.BOOT_FILE)] if text else []
        if metadata.get("is_visually_hidden_from_conversation") is True:
            return []
        text = _text(content)
        if role == "tool":
            return [self._result(parent, text, author, identity, at)]
        if role not in _ROLES:
            self.unknown.add(f"message of role {role}", place)
            return []
        if kind == "thoughts":
            return [Message(Role.ASSISTANT, text, identity, at, origin=Origin.THINKING)] if text else []
        if role == "assistant" and (call := _call(message, kind, text, identity)):
            self.calls[identity] = call
            return [Message(Role.ASSISTANT, "", identity, at, tool_calls=(call,))]
        if kind not in _SAID and kind not in _OUTPUTS:
            self.unknown.add(f"content of type {kind}", place)
            return []
        return [Message(_ROLES[role], text, identity, at)] if text.strip() else []

    def _result(self, parent: str, text: str, author: Mapping[str, object], identity: str, at: object) -> Message:
        """An output answers the call right before it; else no call is named."""
        call = self.calls.get(parent)
        call_id = call.id if call is not None else ""
        return tool_output(text, call_id, identity=identity, at=loose_moment(at), name=label(author.get("name")))


def _call(message: Mapping[str, object], kind: str, text: str, identity: str) -> ToolCall | None:
    """What the model wrote to a tool and not to everybody."""
    recipient = label(message.get("recipient"))
    if recipient in ("", "all") and kind != "code":
        return None
    name = recipient if recipient not in ("", "all") else "code"
    return tool_call(f"call-{identity}", name, text)


def _branch(conversation: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The nodes from the root to the message shown last."""
    mapping = object_of(conversation["mapping"])
    name = label(conversation.get("current_node")) or next(
        (key for key in reversed(list(mapping)) if not list_of(object_of(mapping[key]).get("children"))), ""
    )
    chain: dict[str, Mapping[str, object]] = {}
    while name and name not in chain and isinstance(node := mapping.get(name), Mapping):
        chain[name] = node
        name = label(node.get("parent"))
    return [node for node in reversed(chain.values()) if isinstance(node.get("message"), Mapping)]


def _text(content: Mapping[str, object]) -> str:
    parts = [_part(part) for part in list_of(content.get("parts"))]
    thoughts = [text_of(object_of(thought).get("content")) for thought in list_of(content.get("thoughts"))]
    alone = [text_of(content.get(key)) for key in ("text", "result")]
    return "\n".join(text for text in (*parts, *thoughts, *alone) if text)


def _part(part: object) -> str:
    if isinstance(part, Mapping):
        return text_of(part.get("text")) or f"[{text_of(part.get('content_type')) or 'part'}]"
    return text_of(part)


FORMAT = Format(
    name="chatgpt",
    about="ChatGPT's export (conversations.json)",
    fits_document=one_or_list_of(_fits),
    document=lambda value, source: _Reader(source).read(numbered(value)),
    fits_row=_fits,
    rows=lambda rows, source: _Reader(source).read(rows),
)
