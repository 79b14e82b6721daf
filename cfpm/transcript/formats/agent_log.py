"""Logs of several agents at work on one question: `question` with a `history` of named participants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolResult
from cfpm.transcript.blocks import plain_text
from cfpm.transcript.fields import clean, label, text_of
from cfpm.transcript.formats.format import Format, Row, is_list_of, keyed, not_an_object
from cfpm.transcript.outcomes import settle
from cfpm.transcript.records import Entries, Entry, Problem

_MACHINE = re.compile(r"terminal|executor|environment|tool|interpreter", re.IGNORECASE)
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
    history = value.get("history")
    items = history if isinstance(history, list) else []
    first = items[0] if items and isinstance(items[0], Mapping) else {}
    if question and not (label(first.get("role")) in _PERSON and first.get("content") == question):
        yield Entry(Message(Role.USER, question), f"{within}question")
    prompts = value.get("system_prompt")
    for name, prompt in prompts.items() if isinstance(prompts, Mapping) else ():
        if isinstance(prompt, str):
            yield Entry(Message(Role.SYSTEM, clean(prompt), name=clean(str(name))), f"{within}system_prompt")
    for number, item in enumerate(items, start=1):
        place = f"{within}message {number}"
        try:
            yield Entry(_message(item, source, place, task=question if number == 1 else ""), place)
        except InputError as error:
            yield Problem.of(error)


def _message(item: object, source: str, place: str, *, task: str) -> Message:
    """Participants are agents, whatever role the framework gave them, unless they are the machine or a person."""
    if not isinstance(item, Mapping):
        problem = not_an_object(item, source, place)
        raise InputError(source, problem.problem, problem.remedy, place=place)
    text = plain_text(item.get("content"), source=source, place=place)
    role, name = label(item.get("role")), label(item.get("name"))
    speaker = name or role
    if not speaker:
        raise InputError(source, "a message without role and name", "Say who wrote it", place=place)
    if _MACHINE.search(speaker):
        return Message(Role.TOOL, text, name=speaker, tool_result=ToolResult("", *settle(None, text)))
    if role == "system":
        return Message(Role.SYSTEM, text, name=name)
    if speaker.lower() in _PERSON:
        return Message(Role.USER, text)
    if task and task in text:
        # The framework's own prompt, put into the mouth of the first agent.
        return Message(Role.ASSISTANT, text, name=speaker, origin=Origin.HOST_NOTICE)
    origin = Origin.THINKING if _THOUGHT in speaker else Origin.SAID
    return Message(Role.ASSISTANT, text, name=speaker, origin=origin)


def _read_document(value: object, source: str) -> Entries:
    if isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield from keyed(_read(item, source, f"item {number}, "), number)
    else:
        yield from _read(value, source)


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    for number, row in rows:
        yield from keyed(_read(row, source, f"line {number}, "), number)


FORMAT = Format(
    name="agent_log",
    about="multi-agent logs with a question and a history of named participants",
    fits_document=lambda value: _fits(value) if isinstance(value, Mapping) else is_list_of(value, _fits),
    document=_read_document,
    fits_row=_fits,
    rows=_read_rows,
)
