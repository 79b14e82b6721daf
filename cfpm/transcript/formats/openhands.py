"""OpenHands runs: its list of actions and observations, and the step list in which DevAI keeps such runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript.fields import clean_mapping, label, loose_moment, text_of
from cfpm.transcript.formats.format import Format, Row, is_list_of, not_an_object
from cfpm.transcript.outcomes import Outcome, from_fields, settle
from cfpm.transcript.records import Entries, Entry, Problem

_ACTION = re.compile(
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


def _read_document(value: object, source: str) -> Entries:
    items = value if isinstance(value, list) else [value]
    yield from _read(((number, item) for number, item in enumerate(items, start=1)), source, "step")


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    yield from _read(rows, source, "line")


def _read(items: Iterator[Row], source: str, counted: str) -> Entries:
    for number, item in items:
        place = f"{counted} {number}"
        if not isinstance(item, Mapping) or not _fits(item):
            yield not_an_object(item, source, place)
            continue
        try:
            messages = list(_step(item, number) if _is_step(item) else _event(item, source, place))
        except InputError as error:
            yield Problem.of(error)
            continue
        yield from (Entry(message, place) for message in messages)


def _step(step: Mapping[str, object], number: int) -> Iterator[Message]:
    if asked := text_of(step.get("user_message")):
        yield Message(Role.USER, asked)
    agent = step["agent"]
    said = agent if isinstance(agent, Mapping) else {}
    call = _described(text_of(said.get("action")), f"step-{number}")
    name = text_of(said.get("agent_name"))
    if (thought := text_of(said.get("thought"))) or call:
        yield Message(Role.ASSISTANT, thought, name=name, tool_calls=(call,) if call else ())
    if isinstance(step.get("environment"), str):
        text = text_of(step["environment"])
        yield Message(Role.TOOL, text, tool_result=ToolResult(call.id if call else "", *settle(None, text)))


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


def _event(event: Mapping[str, object], source: str, place: str) -> Iterator[Message]:
    at, identity = loose_moment(event.get("timestamp")), label(event.get("id"))
    given = event.get("args")
    arguments = clean_mapping(given, source=source, place=place) if isinstance(given, Mapping) else {}
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
    extras = event.get("extras")
    fields = extras if isinstance(extras, Mapping) else {}
    inner = fields.get("metadata")
    for place in (fields, inner if isinstance(inner, Mapping) else {}):
        if (stated := from_fields(place)) != (None, None):
            return stated
    success = event.get("success")
    return settle(not success if isinstance(success, bool) else None, text)


FORMAT = Format(
    name="openhands",
    about="OpenHands event lists and DevAI step lists",
    fits_document=lambda value: is_list_of(value, _fits),
    document=_read_document,
    fits_row=_fits,
    rows=_read_rows,
)
