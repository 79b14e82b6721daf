"""What a tool call showed, for the memory: the call and its result as two messages of the session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cfpm.cli.location import database_url, make_room
from cfpm.memory import Memory
from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.model.clock import to_text, utc_now
from cfpm.model.ids import digest
from cfpm.transcript.outcomes import from_fields, outcome
from cfpm_adapters.claude_code.event import AGENT, Event, Options, note, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

_SHORT = 1_000
"""Characters of a field that is shown; longer ones are the file's content, which the call holds already."""


def learn(event: Event, options: Options) -> None:
    """Takes in one finished call. Raises whatever keeps the memory from doing so."""
    now = utc_now()
    messages = messages_of(event, now)
    if not messages:
        return
    url = make_room(database_url(options.db))
    with Memory.open(url, namespace=options.namespace, agent=AGENT, clock=utc_now, notify=note) as memory:
        memory.observe(messages, session=text_of(event.get("session_id")) or "default")


def messages_of(event: Event, at: datetime) -> list[Message]:
    """The call and its result, with ids from the host's id of the call; nothing for an event without a tool."""
    tool, arguments = event.get("tool_name"), event.get("tool_input")
    if not isinstance(tool, str) or not tool or not isinstance(arguments, dict):
        return []
    name = text_of(event.get("tool_use_id")) or digest(text_of(event.get("session_id")), tool, to_text(at) or "")
    text, result = _result(event, name)
    call = ToolCall(name, tool, arguments)
    return [
        Message(Role.ASSISTANT, "", f"{name}/call", at, tool_calls=(call,)),
        Message(Role.TOOL, text, f"{name}/result", at, tool_result=result),
    ]


def _result(event: Event, call_id: str) -> tuple[str, ToolResult]:
    if event.get("hook_event_name") == "PostToolUseFailure":
        text = text_of(event.get("error")) or "The call failed."
        return text, ToolResult(call_id, True, outcome(text)[1])
    response = event.get("tool_response")
    text = _shown(response)
    is_error, code = from_fields(response) if isinstance(response, dict) else outcome(text)
    # The host runs this hook only for calls that succeeded, but one in the background has only begun.
    if is_error is None and not _has_only_begun(event, response):
        is_error = False
    return text, ToolResult(call_id, is_error, code)


def _has_only_begun(event: Event, response: object) -> bool:
    in_background = event["tool_input"].get("run_in_background") is True
    return in_background or (isinstance(response, dict) and bool(response.get("backgroundTaskId")))


def _shown(response: object) -> str:
    match response:
        case str():
            return response
        case list():
            return "\n".join(filter(None, map(_block, response)))
        case dict() if "stdout" in response or "stderr" in response:
            return _joined([text_of(response.get("stdout")), text_of(response.get("stderr"))])
        case dict() if isinstance(blocks := response.get("content"), list):
            return "\n".join(filter(None, map(_block, blocks)))
        case dict():
            return json.dumps(_short(response), ensure_ascii=False)
    return ""


def _block(block: object) -> str:
    return block if isinstance(block, str) else text_of(block.get("text")) if isinstance(block, dict) else ""


def _joined(streams: Iterable[str]) -> str:
    return "\n".join(stream.rstrip("\n") for stream in streams if stream.strip())


def _short(response: Mapping[str, object]) -> dict[str, object]:
    """The fields that say what happened, without the content of files."""
    return {
        key: value
        for key, value in response.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _SHORT)
    }
