"""Plain chats as JSON: utterances, ShareGPT, LoCoMo-like sessions, BEAM batches, exchanges. As text: chat_text.

Where neither person is an assistant, both are read as role user with their name: both talk about themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.transcript.blocks import tool_call
from cfpm.transcript.fields import clean, label, loose_moment
from cfpm.transcript.formats.chat_text import fits_head, read_lines, speaker_role
from cfpm.transcript.formats.format import Format, Row, is_list_of, keyed, not_an_object
from cfpm.transcript.outcomes import settle
from cfpm.transcript.records import Entries, Entry, Problem

_SPEAKERS = ("speaker", "name", "from", "role", "author", "sender")
_TEXTS = ("text", "content", "message", "value", "clean_text")
_TIMES = ("created_at", "timestamp", "date_time", "time_anchor", "time", "date")
_IDS = ("id", "dia_id", "message_id")
_SESSION = re.compile(r"session_(\d+)")


def _is_utterance(value: Mapping[str, object]) -> bool:
    return _first(value, _SPEAKERS) != "" and any(isinstance(value.get(key), str) for key in _TEXTS)


def _is_sharegpt(value: Mapping[str, object]) -> bool:
    return is_list_of(value.get("conversations"), _is_utterance)


def _has_sessions(value: Mapping[str, object]) -> bool:
    inner = _sessions_of(value)
    return any(_SESSION.fullmatch(key) and is_list_of(item, _is_utterance) for key, item in inner.items())


def _is_batch(value: Mapping[str, object]) -> bool:
    turns = value.get("turns")
    return isinstance(turns, list) and any(is_list_of(turn, _is_utterance) for turn in turns[:5])


def _has_exchanges(value: Mapping[str, object]) -> bool:
    inner = value.get("conversation")
    return isinstance(inner, Mapping) and any(isinstance(item, Mapping) and "user" in item for item in inner.values())


def _is_conversation(value: Mapping[str, object]) -> bool:
    return _is_sharegpt(value) or _has_sessions(value) or _has_exchanges(value)


def _fits_row(value: Mapping[str, object]) -> bool:
    return _is_utterance(value) or _is_conversation(value) or _is_batch(value)


def _fits_document(value: object) -> bool:
    return _fits_row(value) if isinstance(value, Mapping) else is_list_of(value, _fits_row)


def _read_document(value: object, source: str) -> Entries:
    items = value if isinstance(value, list) else [value]
    several = isinstance(value, list)
    yield from _read(
        ((n, item) for n, item in enumerate(items, start=1)), source, "item" if several else "", several=several
    )


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    yield from _read(rows, source, "line", several=True)


def _read(items: Iterator[Row], source: str, counted: str, *, several: bool) -> Entries:
    anchor: datetime | None = None
    for number, item in items:
        place = f"{counted} {number}" if counted else "message"
        if not isinstance(item, Mapping):
            yield not_an_object(item, source, place)
        elif _is_batch(item):
            for entry in _batch(item, source, place, anchor):
                anchor = entry.message.created_at if isinstance(entry, Entry) else anchor
                yield entry
        elif _has_sessions(item):
            yield from _sessions(item, source)
        elif _is_sharegpt(item) or _has_exchanges(item):
            entries = _utterances(_exchanges(item), source, f"{place}, ")
            yield from keyed(entries, number) if several else entries
        else:
            yield from _utterances([item], source, f"{place}, " if counted != "item" else "", start=number)


def _utterances(
    items: Iterable[object], source: str, within: str, *, key: str = "", at: datetime | None = None, start: int = 1
) -> Entries:
    for number, item in enumerate(items, start=start):
        place = f"{within}message {number}"
        if not isinstance(item, Mapping):
            yield not_an_object(item, source, place)
        elif _is_utterance(item):
            yield Entry(_utterance(item, at), place, key)
        else:
            yield Problem(
                source, place, "an utterance without speaker or text", "Give it a speaker and a text, or remove it"
            )


def _utterance(item: Mapping[str, object], at: datetime | None) -> Message:
    speaker = _first(item, _SPEAKERS)
    text = next(clean(value) for key in _TEXTS if isinstance(value := item.get(key), str))
    if caption := _first(item, ("blip_caption", "image_caption")):
        text = f"{text}\n[image: {caption}]" if text else f"[image: {caption}]"
    role = speaker_role(speaker)
    when = next((time for key in _TIMES if (time := loose_moment(item.get(key)))), at)
    identity = next((name for key in _IDS if (name := label(item.get(key)))), "")
    if role is Role.TOOL:
        return Message(Role.TOOL, text, identity, when, tool_result=ToolResult("", *settle(None, text)))
    if speaker == "function_call":
        return Message(Role.ASSISTANT, "", identity, when, tool_calls=(_call(text),))
    return Message(role or Role.USER, text, identity, when, name="" if role else speaker)


def _call(text: str) -> ToolCall:
    """ShareGPT writes a call as the JSON text of its name and arguments."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        value = {"arguments": {"input": text}}
    return tool_call("", value.get("name"), value.get("arguments"), source="function_call", place="")


def _batch(batch: Mapping[str, object], source: str, place: str, anchor: datetime | None) -> Entries:
    """A batch of turns; an anchor of time holds until the next one."""
    at = loose_moment(batch.get("time_anchor")) or anchor
    turns = batch["turns"]
    for number, turn in enumerate(turns if isinstance(turns, list) else [], start=1):
        for position, item in enumerate(turn if isinstance(turn, list) else [turn], start=1):
            for entry in _utterances([item], source, f"{place}, turn {number}, ", at=at, start=position):
                at = entry.message.created_at if isinstance(entry, Entry) else at
                yield entry


def _sessions(item: Mapping[str, object], source: str) -> Entries:
    inner = _sessions_of(item)
    name = label(item.get("sample_id")) or label(item.get("id"))
    numbers = sorted(int(found[1]) for key in inner if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        listed = inner[session]
        at = loose_moment(inner.get(f"{session}_date_time"))
        key = f"{name}-{session}" if name else session
        yield from _utterances(listed if isinstance(listed, list) else [listed], source, f"{key}, ", key=key, at=at)


def _sessions_of(item: Mapping[str, object]) -> Mapping[str, object]:
    inner = item.get("conversation", item)
    return inner if isinstance(inner, Mapping) else {}


def _exchanges(item: Mapping[str, object]) -> Iterator[object]:
    """Utterances of a ShareGPT conversation, or of numbered exchanges `{"0": {"user": ..., "assistant": ...}}`."""
    listed = item.get("conversations")
    if isinstance(listed, list):
        yield from listed
        return
    inner = item.get("conversation")
    for exchange in inner.values() if isinstance(inner, Mapping) else ():
        if isinstance(exchange, Mapping):
            yield from ({"role": role, "content": text} for role, text in exchange.items())
        else:
            yield exchange


def _first(value: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next((clean(found) for key in keys if isinstance(found := value.get(key), str) and found.strip()), "")


FORMAT = Format(
    name="chat",
    about="chats of two or more people: JSON lists, ShareGPT, sessions, batches, or `Name: text` lines",
    fits_document=_fits_document,
    document=_read_document,
    fits_row=_fits_row,
    rows=_read_rows,
    fits_head=fits_head,
    lines=read_lines,
)
