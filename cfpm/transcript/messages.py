"""One message as a host passes it, OpenAI or Anthropic style, as typed messages. Knows no files and no sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from cfpm.errors import InputError
from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript.blocks import Content, Result, plain_text, read_content, tool_call
from cfpm.transcript.boot_files import BootFileReads
from cfpm.transcript.fields import clean, clean_mapping, label, loose_moment, moment, text_of
from cfpm.transcript.origins import mark_origins, number_parts
from cfpm.transcript.outcomes import from_fields, settle

ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}

ITEM_TYPES = frozenset(
    {"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning"}
)
"""Items of OpenAI's Responses style that have no role."""


def parse_messages(items: Iterable[Message | Mapping[str, object]], *, source: str = "messages") -> list[Message]:
    """The messages a live host passes, in order, each marked with its origin.

    Takes OpenAI style dicts (tool calls, one tool message per result, the older function calls, Responses items),
    Anthropic style dicts (blocks of text, thinking, tool use and tool results) and Message values, mixed as they come.
    A dict may carry `id`, `name` and `created_at` (ISO text, epoch seconds, datetime). Raises InputError naming the
    position and the remedy.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InputError(
            source, f"a {type(items).__name__} instead of a list of messages", "Pass a list, also for one message"
        )
    reads = BootFileReads()
    parsed: list[Message] = []
    for position, item in enumerate(items):
        for message in _messages(item, source, f"message {position}"):
            parsed += map(reads.mark, mark_origins(message))
    return parsed


def _messages(item: object, source: str, place: str) -> list[Message]:
    match item:
        case Message():
            return [_tidy(item, source, place)]
        case Mapping():
            return read_message(item, source=source, place=place, strict=True)
        case _:
            remedy = "Pass dicts with role and content, or Message values"
            raise InputError(source, f"a {type(item).__name__} is no message", remedy, place=place)


def _tidy(message: Message, source: str, place: str) -> Message:
    calls = tuple([_tidy_call(call, source, place) for call in message.tool_calls])
    texts = clean(message.text), clean(message.id), clean(message.name)
    if texts == (message.text, message.id, message.name) and calls == message.tool_calls:
        return message
    return replace(message, text=texts[0], id=texts[1], name=texts[2], tool_calls=calls)


def _tidy_call(call: ToolCall, source: str, place: str) -> ToolCall:
    return ToolCall(clean(call.id), clean(call.name), clean_mapping(call.arguments, source=source, place=place))


def read_message(item: Mapping[str, object], *, source: str, place: str, strict: bool = False) -> list[Message]:
    """The messages that one dict holds, not yet marked: a user's message with tool results is several.

    `strict` refuses a time or an id that cannot be understood; otherwise the message is kept without it. Raises
    InputError.
    """
    role = item.get("role")
    if role is None and text_of(item.get("type")) in ITEM_TYPES:
        parts = _item(item, source, place)
    else:
        parts = _by_role(item, _role(role, source, place), source, place)
    at, name = _when(item, source, place, strict), label(item.get("name"))
    identity = _identity(item, source, place, strict)
    if at or name or identity:
        # Whole at once, since each copy of a message costs as much as reading it.
        parts = [replace(part, created_at=at, name=name, id=identity) for part in parts]
    return number_parts(parts, identity)


def from_content(
    role: Role, content: Content, calls: Iterable[ToolCall] = (), thinking: Iterable[str] = ()
) -> list[Message]:
    """Messages from the blocks of one: thinking, what was said with the calls, results; a user's results come first."""
    parts = [Message(Role.ASSISTANT, text, origin=Origin.THINKING) for text in (*thinking, *content.thinking)]
    results = [result_message(result) for result in content.results]
    said = _said(role, content.texts, (*content.calls, *calls))
    if not (parts or results or said):
        said = [Message(role, "")]
    return [*parts, *results, *said] if role is Role.USER else [*parts, *said, *results]


def result_message(result: Result) -> Message:
    """The tool message of a result."""
    return Message(Role.TOOL, result.text, tool_result=result.result)


def _by_role(item: Mapping[str, object], role: Role, source: str, place: str) -> list[Message]:
    if role is Role.TOOL:
        return [_tool_message(item, source, place)]
    calls = _calls(item, source, place)
    if "content" not in item and not calls and "refusal" not in item:
        raise InputError(source, "a message without content", "Pass content as a text or a list of blocks", place=place)
    content = item.get("content")
    if not content and isinstance(refusal := item.get("refusal"), str):
        content = refusal
    reasoning = [
        clean(text)
        for key in ("reasoning_content", "reasoning")
        if isinstance(text := item.get(key), str) and text.strip()
    ]
    return from_content(role, read_content(content, source=source, place=place), calls, reasoning[:1])


def _said(role: Role, texts: list[str], calls: tuple[ToolCall, ...]) -> list[Message]:
    """One message of all texts, unless a host's text is among them: then that stands alone."""
    groups: list[list[str]] = [[]]
    for text in texts:
        if len(texts) > 1 and role is not Role.SYSTEM and _is_marked(role, text):
            groups += [[text], []]
        elif text:
            groups[-1].append(text)
    messages = [Message(role, "\n\n".join(group)) for group in groups if group]
    if not calls:
        return messages
    if messages and groups[-1]:
        return [*messages[:-1], replace(messages[-1], tool_calls=calls)]
    return [*messages, Message(role, "", tool_calls=calls)]


def _is_marked(role: Role, text: str) -> bool:
    return any(part.origin is not Origin.SAID for part in mark_origins(Message(role, text)))


def _tool_message(item: Mapping[str, object], source: str, place: str) -> Message:
    text = plain_text(item.get("content"), source=source, place=place)
    call_id = label(item.get("tool_call_id") or item.get("tool_use_id"))
    if not call_id and item.get("role") == "function":
        call_id = _legacy_id(item.get("name"))
    stated, code = from_fields({key: value for key, value in item.items() if key in ("is_error", "exit_code")})
    is_error, text_code = settle(stated, text)
    return Message(Role.TOOL, text, tool_result=ToolResult(call_id, is_error, text_code if code is None else code))


def _calls(item: Mapping[str, object], source: str, place: str) -> list[ToolCall]:
    listed = item.get("tool_calls") or []
    if not isinstance(listed, list | tuple):
        raise InputError(source, "tool_calls that is no list", "Pass a list of calls", place=place)
    calls = [_call(call, source, place) for call in listed]
    legacy = item.get("function_call")
    if isinstance(legacy, Mapping):
        name = legacy.get("name")
        calls.append(tool_call(_legacy_id(name), name, legacy.get("arguments"), source=source, place=place))
    return calls


def _call(call: object, source: str, place: str) -> ToolCall:
    if not isinstance(call, Mapping):
        raise InputError(
            source, f"a tool call of type {type(call).__name__}", "Pass an object with id and function", place=place
        )
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    return tool_call(call.get("id"), inner.get("name"), arguments, source=source, place=place)


def _item(item: Mapping[str, object], source: str, place: str) -> list[Message]:
    kind = str(item["type"])
    if kind == "reasoning":
        return from_content(Role.ASSISTANT, read_content([item], source=source, place=place))
    call_id = label(item.get("call_id") or item.get("id"))
    if kind.endswith("_output"):
        text = plain_text(item.get("output"), source=source, place=place)
        return [Message(Role.TOOL, text, tool_result=ToolResult(call_id, *settle(None, text)))]
    arguments = item.get("arguments", item.get("input"))
    call = tool_call(call_id, item.get("name"), arguments, source=source, place=place)
    return [Message(Role.ASSISTANT, "", tool_calls=(call,))]


def _role(role: object, source: str, place: str) -> Role:
    if isinstance(role, str) and (known := ROLES.get(role)):
        return known
    problem = "a message without a role" if role is None else f"an unknown role {str(role)[:40]!r}"
    raise InputError(source, problem, f"Use one of {', '.join(ROLES)}", place=place)


def _when(item: Mapping[str, object], source: str, place: str, strict: bool) -> datetime | None:
    value = item.get("created_at", item.get("timestamp"))
    if not strict:
        return loose_moment(value)
    try:
        return moment(value)
    except ValueError as error:
        raise InputError(
            source, str(error), "Pass created_at as ISO text, epoch seconds or a datetime", place=place
        ) from error


def _identity(item: Mapping[str, object], source: str, place: str, strict: bool) -> str:
    value = item.get("id", item.get("uuid"))
    if strict and value not in (None, "") and not label(value):
        raise InputError(source, f"an id of type {type(value).__name__}", "Pass the id as a text", place=place)
    return label(value)


def _legacy_id(name: object) -> str:
    """Older function messages carry no id: the name links a result to the call before it."""
    return f"function:{label(name)}"
