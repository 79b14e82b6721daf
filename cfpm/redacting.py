"""Makes a message fit to be stored: secrets taken out of its text and its calls, long tool output cut in the middle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from cfpm.models import Message, ToolCall
from cfpm.secrets import redact, redact_value

_HEAD_SHARE = 0.6
"""Of a cut output the head keeps more than the tail: results open with what was asked, and close with how it ended."""


def redacted(message: Message) -> Message:
    """The message without secrets; the very same object when it holds none."""
    text = redact(message.text).text if message.text else message.text
    calls = tuple(_call(call) for call in message.tool_calls)
    if text is message.text and all(new is old for new, old in zip(calls, message.tool_calls, strict=True)):
        return message
    return replace(message, text=text, tool_calls=calls)


def capped(text: str, cap: int) -> tuple[str, int]:
    """At most about `cap` characters of a tool's output, head and tail, with a note of what was cut; and how many
    were."""
    if len(text) <= cap:
        return text, 0
    head_end = _line_break(text, int(cap * _HEAD_SHARE), backwards=True)
    tail_start = _line_break(text, len(text) - (cap - int(cap * _HEAD_SHARE)), backwards=False)
    cut = tail_start - head_end
    return f"{text[:head_end]}\n[... {cut} characters cut from the log ...]\n{text[tail_start:]}", cut


def _line_break(text: str, at: int, *, backwards: bool) -> int:
    """The nearest line break, if one is near, so that no line is torn."""
    near = 2_000
    found = text.rfind("\n", max(0, at - near), at) if backwards else text.find("\n", at, at + near) + 1
    return found if found > 0 else at


def _call(call: ToolCall) -> ToolCall:
    arguments = cast("Mapping[str, object]", redact_value(call.arguments))
    return call if arguments == call.arguments else replace(call, arguments=arguments)
