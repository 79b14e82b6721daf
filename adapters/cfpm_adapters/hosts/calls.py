"""What a tool call showed, for the memory: the call and its result as two messages of the session."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.model.clock import to_text
from cfpm.model.ids import digest
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.outcomes import from_fields, outcome
from cfpm_adapters.hosts.event import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from cfpm_adapters.hosts.event import Event

OURS = "cfpm"
"""Stands in the name of each tool of our own server under every host: what it answers is known already."""

_HEADING = lazy_pattern(
    r"^(Command|Directory|Output|Error|Exit Code|Signal|Background PIDs|Process Group PGID):[ \t]*", re.MULTILINE
)
"""What stands before each part of what Gemini CLI tells of a command."""

_SHORT = 1_000
"""Characters of a field that is shown; longer ones are the file's content, which the call holds already."""


def messages_of(event: Event, at: datetime | None) -> list[Message]:
    """The call and its result, with ids from the host's id of the call; nothing for an event without a tool, and for a
    tool of ours."""
    tool, arguments = event.text("tool"), event.arguments
    if not tool or arguments is None or OURS in tool:
        return []
    name = event.text("call") or digest(event.session, tool, to_text(at) or "")
    text, result = _result(event, name, arguments)
    call = ToolCall(name, tool, arguments)
    return [
        Message(Role.ASSISTANT, "", f"{name}/call", at, tool_calls=(call,)),
        Message(Role.TOOL, text, f"{name}/result", at, tool_result=result),
    ]


def _result(event: Event, call_id: str, arguments: Mapping[str, object]) -> tuple[str, ToolResult]:
    if event.kind == "denied":
        text = event.text("reason") or "Denied by the user."
        return text, ToolResult(call_id, True, None)
    if event.kind == "failed":
        text = event.text("error") or "The call failed."
        return text, ToolResult(call_id, True, outcome(text)[1])
    response = _parsed(event.value("response"))
    text = _shown(response)
    is_error, code = from_fields(response) if isinstance(response, dict) else outcome(text)
    # Hosts run this hook for calls that came back, but one in the background has only begun.
    if is_error is None and not _has_only_begun(arguments, response):
        is_error = False
    return text, ToolResult(call_id, is_error, code)


def _has_only_begun(arguments: Mapping[str, object], response: object) -> bool:
    in_background = arguments.get("run_in_background") is True or arguments.get("is_background") is True
    return in_background or (isinstance(response, dict) and bool(response.get("backgroundTaskId")))


def _parsed(response: object) -> object:
    """The object that a host wrote as a text, as JSON or under headings; all else as it is."""
    if isinstance(response, dict) and (text := text_of(response.get("llmContent"))):
        return _under_headings(text)
    if isinstance(response, str) and response.startswith("{"):
        try:
            found = json.loads(response)
        except ValueError:
            return response
        return found if isinstance(found, dict) else response
    return response


def _under_headings(text: str) -> object:
    """What a command showed, of a text with the headings `Output:`, `Error:`, `Exit Code:`; else the text itself."""
    text = text.removeprefix("<untrusted_context>").removesuffix("</untrusted_context>").strip()
    parts = _HEADING.split(text)
    if len(parts) < 3 or parts[0].strip():
        return text
    found = dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))
    said = {"stdout": found.get("Output", "").removeprefix("(empty)"), "stderr": found.get("Error", "")}
    code = found.get("Exit Code", "0")
    return {**said, "exit_code": int(code)} if code.lstrip("-").isdigit() else {**said, "is_error": True}


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
        case dict() if text := text_of(response.get("output")):
            return text
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
