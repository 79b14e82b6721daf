"""Logs of several agents at work on one question: `question` with a `history` of named participants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from cfpm.model import Message, Origin, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import plain_text, tool_output
from cfpm.transcript.fields import clean, label, list_of, object_of, text_of
from cfpm.transcript.formats.format import (
    Format,
    Row,
    entries_of,
    is_list_of,
    keyed,
    not_an_object,
    numbered,
    one_or_list_of,
)
from cfpm.transcript.records import Entries, Entry, Unreadable

_MACHINE = lazy_pattern(r"terminal|executor|environment|tool|interpreter", re.IGNORECASE)
_PERSON = frozenset({"human", "user"})
_THOUGHT = "(thought)"


def _fits(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("question"), str) and is_list_of(
        value.get("history"), lambda item: "content" in item and ("role" in item or "name" in item)
    )


def _read(value: object, source: str, within: str = "") -> Entries:
    """The question as the user's, the system prompts of the agents, then the history in its order."""
    if not isinstance(value, Mapping):
        yield not_an_object(value, source, within.rstrip(", "))
        return
    question = text_of(value.get("question"))
    items = list_of(value.get("history"))
    first = object_of(items[0]) if items else {}
    if question and not (label(first.get("role")) in _PERSON and first.get("content") == question):
        yield Entry(Message(Role.USER, question), f"{within}question")
    for name, prompt in object_of(value.get("system_prompt")).items():
        if isinstance(prompt, str):
            yield Entry(Message(Role.SYSTEM, clean(prompt), name=clean(str(name))), f"{within}system_prompt")
    for number, item in enumerate(items, start=1):
        read = partial(_messages, task=question if number == 1 else "")
        yield from entries_of(item, source, f"{within}message {number}", read)


def _messages(item: Mapping[str, object], *, task: str) -> Iterator[Message]:
    """Participants are agents, whatever role the framework gave them, unless they are the machine or a person."""
    text = plain_text(item.get("content"))
    role, name = label(item.get("role")), label(item.get("name"))
    speaker = name or role
    if not speaker:
        raise Unreadable("a message without role and name", "Say who wrote it")
    if _MACHINE.search(speaker):
        yield tool_output(text, name=speaker)
    elif role == "system":
        yield Message(Role.SYSTEM, text, name=name)
    elif speaker.lower() in _PERSON:
        yield Message(Role.USER, text)
    elif task and task in text:
        # The framework's own prompt, put into the mouth of the first agent.
        yield Message(Role.ASSISTANT, text, name=speaker, origin=Origin.HOST_NOTICE)
    else:
        origin = Origin.THINKING if _THOUGHT in speaker else Origin.SAID
        yield Message(Role.ASSISTANT, text, name=speaker, origin=origin)


def _read_document(value: object, source: str) -> Entries:
    return _read_several(numbered(value), source, "item") if isinstance(value, list) else _read(value, source)


def _read_several(items: Iterator[Row], source: str, counted: str = "line") -> Entries:
    for number, item in items:
        yield from keyed(_read(item, source, f"{counted} {number}, "), number)


FORMAT = Format(
    name="agent_log",
    about="multi-agent logs with a question and a history of named participants",
    fits_document=one_or_list_of(_fits),
    document=_read_document,
    fits_row=_fits,
    rows=_read_several,
)
