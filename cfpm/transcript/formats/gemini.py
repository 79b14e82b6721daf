"""Gemini CLI's chats: one JSON object with `messages`, or JSON Lines in which a message is written again when it grows
and `$set` replaces parts; and the events that `--output-format stream-json` prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from cfpm.model import Message, Origin, Role
from cfpm.transcript.blocks import plain_text, tool_call, tool_output
from cfpm.transcript.fields import label, list_of, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import (
    Format,
    Reader,
    Row,
    entries_of,
    kinds,
    not_an_object,
    of_sidechain,
)
from cfpm.transcript.messages import read_message
from cfpm.transcript.origins import number_parts
from cfpm.transcript.records import Entries

_SPOKEN = frozenset({"user", "gemini"})
_PATCHES = ("$set", "$rewindTo")
_EVENT_MARKS = {
    "init": "session_id",
    "tool_use": "tool_id",
    "tool_result": "tool_id",
    "error": "severity",
    "result": "stats",
}
"""The kinds of events of a stream, and the field by which each is told from rows of other hosts."""
_SAID_KEYS = frozenset({"type", "timestamp", "role", "content", "delta"})
_FAILED = frozenset({"error", "cancelled"})


def _fits_row(row: Mapping[str, object]) -> bool:
    return _is_header(row) or any(key in row for key in _PATCHES) or _is_message(row) or _is_event(row)


def _is_header(row: Mapping[str, object]) -> bool:
    return "sessionId" in row and "projectHash" in row


def _is_message(row: Mapping[str, object]) -> bool:
    kind = text_of(row.get("type"))
    known = kind in _SPOKEN or kind in kinds("gemini")["notices"]
    return known and "content" in row and "id" in row and "timestamp" in row and "role" not in row


def _is_event(row: Mapping[str, object]) -> bool:
    kind = text_of(row.get("type"))
    if "timestamp" not in row:
        return False
    if kind == "message":
        return isinstance(row.get("content"), str) and "role" in row and _SAID_KEYS.issuperset(row)
    return _EVENT_MARKS.get(kind, "type") in row and kind in _EVENT_MARKS


@dataclass(slots=True)
class _Chat(Reader):
    """The messages of a chat, each as it was written last at the place where it came first."""

    session: str = ""
    subagent: bool = False
    written: dict[str, tuple[str, Mapping[str, object]]] = field(default_factory=dict)

    def take(self, row: Mapping[str, object], place: str) -> None:
        """A row of the file."""
        if _is_header(row):
            self.session = self.session or label(row.get("sessionId"))
            self.subagent = row.get("kind") == "subagent"
            self._write(row, place)
        elif isinstance(patch := row.get("$set"), Mapping):
            if isinstance(patch.get("messages"), list):
                self.written.clear()
            self._write(patch, place)
        elif "$rewindTo" in row:
            self._rewind(label(row["$rewindTo"]))
        elif "type" in row:
            self._add(row, place)
        else:
            self.unknown.add(next(iter(row), ""), place)

    def _write(self, holder: Mapping[str, object], place: str) -> None:
        for number, message in enumerate(list_of(holder.get("messages")), start=1):
            if isinstance(message, Mapping):
                self._add(message, f"{place}, message {number}")

    def _add(self, message: Mapping[str, object], place: str) -> None:
        name = label(message.get("id")) or f"at {place}"
        first, _ = self.written.get(name, (place, message))
        self.written[name] = first, message

    def _rewind(self, name: str) -> None:
        """What came from this message on was taken back."""
        names = list(self.written)
        for later in names[names.index(name) :] if name in self.written else ():
            del self.written[later]

    def entries(self) -> Entries:
        """The messages in their order."""
        # Each result stands with its call; newer versions write it once more as the user's answer to the model.
        answered = {
            label(call.get("id")) for _, row in self.written.values() for call in _called(row) if "result" in call
        }
        for place, message in self.written.values():
            read = partial(self._messages, place, answered)
            yield from entries_of(message, self.source, place, read, self.session, own=bool(self.session))
        yield from self.unknown.problems()

    def _messages(self, place: str, answered: set[str], row: Mapping[str, object]) -> list[Message]:
        kind = text_of(row.get("type"))
        identity, at = label(row.get("id")), loose_moment(row.get("timestamp"))
        if kind == "user":
            found = _user(row, identity)
            messages = [one for one in found if one.tool_result is None or one.tool_result.call_id not in answered]
        elif kind == "gemini":
            messages = list(_model(row))
        elif kind in kinds("gemini")["notices"]:
            messages = [Message(Role.SYSTEM, plain_text(row.get("content")), origin=Origin.HOST_NOTICE)]
        else:
            self.unknown.add(kind, place)
            return []
        kept = [replace(one, created_at=one.created_at or at) for one in messages if one.text or one.tool_calls]
        kept = [of_sidechain(one) for one in kept] if self.subagent else kept
        return number_parts(kept, identity)


def _user(row: Mapping[str, object], identity: str) -> list[Message]:
    return read_message({"role": "user", "content": _parts(row.get("content")), "id": identity})


def _parts(content: object) -> object:
    """Gemini's parts as content blocks: a part names its kind by its key."""
    if not isinstance(content, list):
        return content
    return [part if not isinstance(part, Mapping) or "text" in part else _block(part) for part in content]


def _block(part: Mapping[str, object]) -> dict[str, object]:
    if isinstance(answer := part.get("functionResponse"), Mapping):
        return {"type": "tool_result", "tool_use_id": answer.get("id"), "content": _output(answer)}
    if isinstance(call := part.get("functionCall"), Mapping):
        return {"type": "tool_use", "id": call.get("id"), "name": call.get("name"), "input": call.get("args")}
    return {"type": next(iter(part), "part")}


def _model(row: Mapping[str, object]) -> Iterator[Message]:
    for thought in list_of(row.get("thoughts")):
        lines = [text for key in ("subject", "description") if (text := text_of(object_of(thought).get(key)))]
        if lines:
            yield Message(Role.ASSISTANT, "\n".join(lines), origin=Origin.THINKING)
    called = _called(row)
    calls = tuple(tool_call(call.get("id"), call.get("name"), call.get("args")) for call in called)
    yield Message(Role.ASSISTANT, plain_text(_parts(row.get("content"))), tool_calls=calls)
    for call in called:
        if "result" not in call and "resultDisplay" not in call:
            continue
        outputs = [object_of(object_of(part).get("functionResponse")) for part in list_of(call.get("result"))]
        text = "\n".join(output for answer in outputs if (output := _output(answer)))
        yield _result(text or text_of(call.get("resultDisplay")), call, call.get("id"), call.get("timestamp"))


def _called(row: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [object_of(call) for call in list_of(row.get("toolCalls"))]


def _output(answer: Mapping[str, object]) -> str:
    response = object_of(answer.get("response"))
    return next((text for key in ("output", "error") if (text := text_of(response.get(key)))), "")


def _result(text: str, row: Mapping[str, object], call_id: object, at: object) -> Message:
    status = text_of(row.get("status"))
    message = tool_output(text, label(call_id), stated=True if status in _FAILED else None, at=loose_moment(at))
    known = message.tool_result
    if status == "success" and known is not None and known.is_error is None:
        return replace(message, tool_result=replace(known, is_error=False))
    return message


@dataclass(slots=True)
class _Stream:
    """The events of a run; the pieces of an answer are put together."""

    source: str
    session: str = ""
    held: list[tuple[str, Mapping[str, object]]] = field(default_factory=list)

    def take(self, row: Mapping[str, object], place: str) -> Entries:
        """An event; pieces of an answer wait for the next event that is none."""
        if row.get("type") == "init":
            self.session = self.session or label(row.get("session_id"))
        if row.get("type") == "message" and row.get("delta") is True:
            self.held.append((place, row))
            return
        yield from self.flush()
        yield from self._entries(row, place)

    def flush(self) -> Entries:
        """The answer that the pieces make up."""
        if self.held:
            place, first = self.held[0]
            text = "".join(text_of(row.get("content")) for _, row in self.held)
            self.held = []
            yield from self._entries({**first, "content": text}, place)

    def _entries(self, row: Mapping[str, object], place: str) -> Entries:
        yield from entries_of(row, self.source, place, _event, self.session, own=bool(self.session))


def _event(row: Mapping[str, object]) -> list[Message]:
    at = loose_moment(row.get("timestamp"))
    match row.get("type"):
        case "message":
            return read_message(row)
        case "tool_use":
            call = tool_call(row.get("tool_id"), row.get("tool_name"), row.get("parameters"))
            return [Message(Role.ASSISTANT, "", created_at=at, tool_calls=(call,))]
        case "tool_result":
            text = text_of(row.get("output")) or text_of(object_of(row.get("error")).get("message"))
            return [_result(text, row, row.get("tool_id"), row.get("timestamp"))]
        case "error":
            return [Message(Role.SYSTEM, text_of(row.get("message")), created_at=at, origin=Origin.HOST_NOTICE)]
        case _:
            return []


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    chat, stream = _Chat(source), _Stream(source)
    for number, row in rows:
        place = f"line {number}"
        if not isinstance(row, Mapping):
            yield not_an_object(row, source, place)
        elif _is_event(row):
            yield from stream.take(row, place)
        else:
            chat.take(row, place)
    yield from stream.flush()
    yield from chat.entries()


def _read_document(value: object, source: str) -> Entries:
    """A chat of an earlier version, which is one object."""
    chat = _Chat(source)
    if isinstance(value, Mapping):
        chat.take(value, "chat")
    yield from chat.entries()


FORMAT = Format(
    name="gemini",
    about="Gemini CLI's chats and its stream of events",
    fits_document=lambda value: isinstance(value, Mapping) and _is_header(value),
    document=_read_document,
    fits_row=_fits_row,
    rows=_read_rows,
)
