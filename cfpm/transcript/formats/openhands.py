"""OpenHands runs: its list of actions and observations, and the step list in which DevAI keeps such runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import tool_output
from cfpm.transcript.fields import clean_mapping, label, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import Format, Row, entries_of, not_an_object, numbered, one_or_list_of
from cfpm.transcript.outcomes import Outcome, from_fields, settle
from cfpm.transcript.records import Entries

_ACTION = lazy_pattern(
    r"(?:Running (?P<what>command|Python code interactively)|(?P<verb>[A-Z]\w+ \w+)): ?(?P<input>.*)", re.DOTALL
)
_SPOKEN = frozenset({"message", "finish", "system"})
_SILENT = frozenset({"change_agent_state", "recall", "null", "think", "agent_state_changed", "condensation"})


def _is_step(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("agent"), Mapping) and "environment" in value


def _is_event(value: Mapping[str, object]) -> bool:
    return value.get("source") in ("user", "agent", "environment") and ("action" in value or "observation" in value)


def _fits(value: Mapping[str, object]) -> bool:
    return _is_step(value) or _is_event(value)


def _read(items: Iterator[Row], source: str, counted: str = "line") -> Entries:
    for number, item in items:
        place = f"{counted} {number}"
        if _is_step(object_of(item)):
            yield from entries_of(item, source, place, partial(_step, number))
        elif _is_event(object_of(item)):
            yield from entries_of(item, source, place, _event)
        else:
            yield not_an_object(item, source, place)


def _step(number: int, step: Mapping[str, object]) -> Iterator[Message]:
    if asked := text_of(step.get("user_message")):
        yield Message(Role.USER, asked)
    said = object_of(step["agent"])
    call = _described(text_of(said.get("action")), f"step-{number}")
    name = text_of(said.get("agent_name"))
    if (thought := text_of(said.get("thought"))) or call:
        yield Message(Role.ASSISTANT, thought, name=name, tool_calls=(call,) if call else ())
    if isinstance(step.get("environment"), str):
        yield tool_output(text_of(step["environment"]), call.id if call else "")


def _described(action: str, call_id: str) -> ToolCall | None:
    """The call that a sentence such as `Running command: make` describes."""
    if not action:
        return None
    found = _ACTION.fullmatch(action)
    if not found:
        return ToolCall(call_id, "action", {"input": action})
    if found["what"]:
        shell = found["what"] == "command"
        return ToolCall(call_id, "bash" if shell else "python", {"command" if shell else "input": found["input"]})
    return ToolCall(call_id, found["verb"].lower().replace(" ", "_"), {"input": found["input"]})


def _event(event: Mapping[str, object]) -> Iterator[Message]:
    at, identity = loose_moment(event.get("timestamp")), label(event.get("id"))
    arguments = clean_mapping(object_of(event.get("args")))
    text = text_of(arguments.get("content")) or text_of(event.get("content")) or text_of(event.get("message"))
    if observation := text_of(event.get("observation")):
        if observation not in _SILENT:
            result = ToolResult(f"event-{label(event.get('cause'))}", *_observed(event, text))
            yield Message(Role.TOOL, text, identity, at, tool_result=result)
        return
    action = text_of(event.get("action"))
    if action == "think" and (thought := text_of(arguments.get("thought"))):
        yield Message(Role.ASSISTANT, thought, identity, at, origin=Origin.THINKING)
    elif action in _SPOKEN:
        role = Role.SYSTEM if action == "system" else Role.USER if event.get("source") == "user" else Role.ASSISTANT
        if text.strip():
            yield Message(role, text, identity, at)
    elif action and action not in _SILENT:
        thought = text_of(arguments.pop("thought", ""))
        call = ToolCall(f"event-{identity}", action, arguments)
        yield Message(Role.ASSISTANT, thought, identity, at, tool_calls=(call,))


def _observed(event: Mapping[str, object], text: str) -> Outcome:
    extras = object_of(event.get("extras"))
    for fields in (extras, object_of(extras.get("metadata"))):
        if (stated := from_fields(fields)) != (None, None):
            return stated
    success = event.get("success")
    return settle(not success if isinstance(success, bool) else None, text)


FORMAT = Format(
    name="openhands",
    about="OpenHands event lists and DevAI step lists",
    fits_document=one_or_list_of(_fits),
    document=lambda value, source: _read(numbered(value), source, "step"),
    fits_row=_fits,
    rows=_read,
)
