"""Plain chats. As JSON: utterances, ShareGPT, numbered sessions, batches of turns, exchanges. As text: lines that begin
with `Name: `, with or without a time before it; recognised strictly, since many files have colons.

Where neither person is an assistant, both are read as role user with their name: both talk about themselves.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial

from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.transcript.blocks import tool_call, tool_output
from cfpm.transcript.fields import clean, label, list_of, loose_moment, object_of
from cfpm.transcript.formats.format import (
    Format,
    Line,
    Row,
    entries_of,
    is_list_of,
    keyed,
    not_an_object,
    numbered,
    one_or_list_of,
)
from cfpm.transcript.records import Entries, Entry, Unreadable

_SPEAKERS = ("speaker", "name", "from", "role", "author", "sender")
_TEXTS = ("text", "content", "message", "value", "clean_text")
_TIMES = ("created_at", "timestamp", "date_time", "time_anchor", "time", "date")
_IDS = ("id", "dia_id", "message_id")
_SESSION = lazy_pattern(r"session_(\d+)")

_UTTERANCE = lazy_pattern(
    r"""
    (?: \[? (?P<time>
        \d{4}[-/.]\d{1,2}[-/.]\d{1,2} [ T,]{1,2} \d{1,2}:\d\d (?: :\d\d )? (?: Z | [+-]\d\d:?\d\d )?
      | \d{1,2}[/.]\d{1,2}[/.]\d{2,4} ,? [ ] \d{1,2}:\d\d (?: :\d\d )? (?: [ ]? [APap]\.?[Mm]\.? )?
      | \d{1,2}:\d\d (?: :\d\d )?
    ) \]? (?: [ ]- )? [ ]? )?
    \*{0,2} (?P<name> [^\W\d_][\w.'’ -]{0,38}? ) \*{0,2} (?: :[ ]? | ： ) \*{0,2} (?P<text> .* )
    """,
    re.VERBOSE,
)
"""Day-first and month-first dates cannot be told apart: their times are matched, and left out."""

_MIN_SHARE = 0.5
"""Share of the paragraphs of the head that must be utterances."""
_MAX_SPEAKERS = 12


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


def _read_document(value: object, source: str) -> Entries:
    return _read(numbered(value), source, "item" if isinstance(value, list) else "")


def _read(items: Iterator[Row], source: str, counted: str = "line") -> Entries:
    """`counted` is what the items are called, empty for a single one."""
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
            yield from keyed(entries, number) if counted else entries
        else:
            yield from _utterances([item], source, f"{place}, " if counted != "item" else "", start=number)


def _utterances(
    items: Iterable[object], source: str, within: str, *, key: str = "", at: datetime | None = None, start: int = 1
) -> Entries:
    for number, item in enumerate(items, start=start):
        place = f"{within}message {number}"
        yield from entries_of(item, source, place, partial(_utterance, at), key)


def _utterance(at: datetime | None, item: Mapping[str, object]) -> list[Message]:
    if not _is_utterance(item):
        raise Unreadable("an utterance without speaker or text", "Give it a speaker and a text, or remove it")
    speaker = _first(item, _SPEAKERS)
    text = next(clean(value) for key in _TEXTS if isinstance(value := item.get(key), str))
    if caption := _first(item, ("blip_caption", "image_caption")):
        text = f"{text}\n[image: {caption}]" if text else f"[image: {caption}]"
    when = next((time for key in _TIMES if (time := loose_moment(item.get(key)))), at)
    identity = next((name for key in _IDS if (name := label(item.get(key)))), "")
    if speaker == "function_call":
        return [Message(Role.ASSISTANT, "", identity, when, tool_calls=(_call(text),))]
    return [_said_by(speaker, text, identity=identity, at=when)]


def _said_by(speaker: str, text: str, *, identity: str = "", at: datetime | None = None) -> Message:
    """What a speaker said: by a role that is called so, else by a person of this name."""
    role = _speaker_role(speaker)
    if role is Role.TOOL:
        return tool_output(text, identity=identity, at=at)
    return Message(role or Role.USER, text, identity, at, name="" if role else speaker)


def _speaker_role(speaker: str) -> Role | None:
    """The role that a speaker's name stands for; None for a person."""
    name = speaker.strip().lower()
    return next(
        (Role(role) for role, names in toml_table("cfpm.transcript", "formats/speakers").items() if name in names), None
    )


def _call(text: str) -> ToolCall:
    """ShareGPT writes a call as the JSON text of its name and arguments."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        value = {"arguments": {"input": text}}
    return tool_call("", value.get("name"), value.get("arguments"))


def _batch(batch: Mapping[str, object], source: str, place: str, anchor: datetime | None) -> Entries:
    """A batch of turns; an anchor of time holds until the next one."""
    at = loose_moment(batch.get("time_anchor")) or anchor
    for number, turn in enumerate(list_of(batch["turns"]), start=1):
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
    return object_of(item.get("conversation", item))


def _exchanges(item: Mapping[str, object]) -> Iterator[object]:
    """Utterances of a ShareGPT conversation, or of numbered exchanges `{"0": {"user": ..., "assistant": ...}}`."""
    listed = item.get("conversations")
    if isinstance(listed, list):
        yield from listed
        return
    for exchange in object_of(item.get("conversation")).values():
        if isinstance(exchange, Mapping):
            yield from ({"role": role, "content": text} for role, text in exchange.items())
        else:
            yield exchange


def _first(value: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next((clean(found) for key in keys if isinstance(found := value.get(key), str) and found.strip()), "")


def _fits_head(head: list[str]) -> bool:
    """True when the first line is an utterance, most are, and a speaker has a known role or speaks again."""
    lines = [line for line in head if line.strip()]
    if not lines or not _UTTERANCE.fullmatch(lines[0]):
        return False
    names = Counter(found["name"] for line in lines if (found := _UTTERANCE.fullmatch(line)))
    spoken = sum(names.values())
    if spoken < max(2, _MIN_SHARE * len(lines)) or not 2 <= len(names) <= _MAX_SPEAKERS:
        return False
    known = sum(_speaker_role(name) is not None for name in names)
    return known >= 2 or (spoken >= 2 * len(names) and names.most_common(2)[1][1] >= 2)


def _read_lines(lines: Iterator[Line], source: str) -> Entries:
    """Utterances with the lines that follow them; what stands before the first is a notice."""
    held: list[str] = []
    start, found = 1, None
    for number, line in lines:
        begins = _UTTERANCE.fullmatch(line) if ":" in line[:120] or "：" in line[:120] else None
        if begins:
            yield from _entry(found, held, start)
            start, found, held = number, begins, [begins["text"]]
        else:
            held.append(line)
    yield from _entry(found, held, start)


def _entry(found: re.Match[str] | None, held: list[str], start: int) -> Iterator[Entry]:
    text = "\n".join(held).strip("\n ")
    if not text:
        return
    if found is None:
        message = Message(Role.SYSTEM, text, origin=Origin.HOST_NOTICE)
    else:
        message = _said_by(found["name"].strip(), text, at=loose_moment(found["time"]))
    yield Entry(message, f"line {start}")


FORMAT = Format(
    name="chat",
    about="chats of two or more people: JSON lists, ShareGPT, sessions, batches, or `Name: text` lines",
    fits_document=one_or_list_of(_fits_row),
    document=_read_document,
    fits_row=_fits_row,
    rows=_read,
    fits_head=_fits_head,
    lines=_read_lines,
)
