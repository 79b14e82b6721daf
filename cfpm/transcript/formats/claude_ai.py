"""claude.ai's export: conversations with `chat_messages` of content blocks; one branch, where parents are named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from cfpm.model import Message, Origin, Role
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
from cfpm.transcript.messages import read_message
from cfpm.transcript.origins import number_parts
from cfpm.transcript.records import Entries, Unreadable

_SENDERS = {"human": "user", "assistant": "assistant"}
_BLOCKS = frozenset({"text", "thinking", "tool_use", "tool_result", "voice_note"})


def _fits(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("chat_messages"), list) and "uuid" in value


@dataclass(slots=True)
class _Reader(Reader):
    """Reads conversation by conversation. Older exports name no call: a result answers the open call of its tool."""

    calls: int = 0
    open: dict[str, str] = field(default_factory=dict)

    def read(self, rows: Iterator[Row]) -> Entries:
        for number, value in rows:
            place = f"conversation {number}"
            if not isinstance(value, Mapping) or not _fits(value):
                yield not_an_object(value, self.source, place)
                continue
            key = label(value.get("uuid")) or f"conversation-{number}"
            self.calls, self.open = 0, {}
            for position, message in enumerate(_branch(value), start=1):
                where = f"{place}, message {position}"
                yield from entries_of(message, self.source, where, partial(self._messages, where), key, own=True)
        yield from self.unknown.problems()

    def _messages(self, place: str, message: Mapping[str, object]) -> list[Message]:
        sender = text_of(message.get("sender"))
        if sender not in _SENDERS:
            raise Unreadable(f"an unknown sender {sender[:40]!r}", "Use human or assistant")
        blocks = [self._block(block, place) for block in list_of(message.get("content"))]
        known = [block for block in blocks if block] or [{"type": "text", "text": text_of(message.get("text"))}]
        identity, at = label(message.get("uuid")), loose_moment(message.get("created_at"))
        said = read_message({"role": _SENDERS[sender], "content": known})
        parts = [*said, *_attached(message)]
        kept = [replace(one, created_at=at) for one in parts if one.text or one.tool_calls or one.tool_result]
        return number_parts(kept, identity)

    def _block(self, value: object, place: str) -> dict[str, object]:
        block = dict(object_of(value))
        kind = text_of(block.get("type"))
        if kind not in _BLOCKS:
            if kind not in kinds("claude_ai")["bookkeeping"]:
                self.unknown.add(f"block of type {kind}", place)
            return {}
        name = label(block.get("name"))
        if kind == "tool_use":
            self.calls += 1
            block["id"] = self.open[name] = label(block.get("id")) or f"call-{self.calls}"
        elif kind == "tool_result":
            block["tool_use_id"] = label(block.get("tool_use_id")) or self.open.get(name, "")
        elif kind == "voice_note":
            return {"type": "text", "text": text_of(block.get("text"))}
        return block


def _attached(message: Mapping[str, object]) -> Iterator[Message]:
    """What stood in attached files: the user's paper, not the user's words."""
    for item in list_of(message.get("attachments")):
        attached = object_of(item)
        if text := text_of(attached.get("extracted_content")):
            name = label(attached.get("file_name"))
            shown = f"[attachment: {name}]\n{text}" if name else text
            yield Message(Role.USER, shown, origin=Origin.BOOT_FILE)


def _branch(conversation: Mapping[str, object]) -> list[object]:
    """The messages in their order; where an edited prompt left another branch, those of the last one only."""
    listed = list_of(conversation["chat_messages"])
    by_id = {label(object_of(item).get("uuid")): object_of(item) for item in listed}
    name = label(conversation.get("current_leaf_message_uuid")) or label(
        object_of(listed[-1] if listed else {}).get("uuid")
    )
    chain: dict[str, object] = {}
    while name in by_id and name and name not in chain:
        chain[name] = by_id[name]
        name = label(by_id[name].get("parent_message_uuid"))
    parents = sum(label(object_of(item).get("parent_message_uuid")) in by_id for item in listed)
    return list(reversed(chain.values())) if parents else listed


FORMAT = Format(
    name="claude_ai",
    about="claude.ai's export (conversations.json)",
    fits_document=one_or_list_of(_fits),
    document=lambda value, source: _Reader(source).read(numbered(value)),
    fits_row=_fits,
    rows=lambda rows, source: _Reader(source).read(rows),
)
