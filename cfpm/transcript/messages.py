"""One message as a host passes it, OpenAI or Anthropic style, as typed messages. Knows no files and no sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from operator import attrgetter
from typing import TypeVar

from cfpm.model import Details, Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript import arguments
from cfpm.transcript.arguments import shown
from cfpm.transcript.blocks import Content, plain_text, read_content, tool_call, tool_output
from cfpm.transcript.boot_files import BootFileReads
from cfpm.transcript.details import details_of, usage_of, with_details
from cfpm.transcript.fields import clean, clean_mapping, label, loose_moment, moment, short_label, text_of
from cfpm.transcript.origins import mark_origins, number_parts
from cfpm.transcript.outcomes import from_fields
from cfpm.transcript.records import Unreadable
from cfpm.transcript.sdk_objects import REMEDY, as_dicts

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


_CODES = 2**32
"""No system has exit codes beyond."""

T = TypeVar("T")


def parse_messages(items: Iterable[object], *, source: str = "messages") -> list[Message]:
    """The messages a live host passes, in order, each marked with its origin.

    Takes OpenAI style dicts (tool calls, one tool message per result, the older function calls, Responses items),
    Anthropic style dicts (blocks of text, thinking, tool use and tool results), Message values, and the objects of
    OpenAI, Anthropic, LangChain and Pydantic AI (`sdk_objects`), mixed as they come.
    A dict may carry `id`, `name` and `created_at` (ISO text, epoch seconds, datetime). Raises InputError naming the
    position and the remedy.
    """
    reads = BootFileReads()
    parsed: list[Message] = []
    for position, item in enumerate(arguments.messages(items, source)):
        try:
            messages = _messages(item)
        except Unreadable as error:
            raise error.at(source, f"message {position}") from error
        for message in messages:
            parsed += map(reads.mark, mark_origins(message))
    return parsed


def _messages(item: object) -> list[Message]:
    match item:
        case Message():
            return [_tidy(item)]
        case _:
            dicts = as_dicts(item)
            if dicts is None:
                raise Unreadable(f"a {type(item).__name__} is no message", REMEDY)
            found = [message for one in dicts for message in read_message(one, strict=True)]
            return found if isinstance(item, Mapping) else with_details(found, usage_of(item))


def _tidy(message: Message) -> Message:
    """The message as it can be stored; a Message checks nothing itself. Raises Unreadable naming the field."""
    calls = _of_type("tool_calls", message.tool_calls, tuple)
    tidy = (
        _of_type("role", message.role, Role),
        clean(_of_type("text", message.text, str)),
        _tidy_name("id", message.id),
        _moment(message.created_at),
        _tidy_name("name", message.name),
        _of_type("origin", message.origin, Origin),
        tuple([_tidy_call(call) for call in calls]) if calls else calls,
        _tidy_result(message.tool_result) if message.tool_result is not None else None,
        _of_type("details", message.details, Details) if message.details is not None else None,
    )
    return message if tidy == _values(message) else Message(*tidy)


_values = attrgetter(*(field.name for field in fields(Message)))


def _tidy_name(name: str, value: object) -> str:
    known = _of_type(name, value, str)
    return short_label(clean(known)) if known else known


def _tidy_call(call: object) -> ToolCall:
    known = _of_type("tool_calls", call, ToolCall)
    if not isinstance(known.arguments, Mapping):
        raise Unreadable(f"arguments of a call that are {shown(known.arguments)}", "Pass a dict")
    return ToolCall(
        short_label(clean(_of_type("id of a call", known.id, str))),
        short_label(clean(_of_type("name of a call", known.name, str))),
        clean_mapping(known.arguments),
    )


def _tidy_result(result: object) -> ToolResult | None:
    if result is None:
        return None
    known = _of_type("tool_result", result, ToolResult)
    if known.is_error is not None:
        _of_type("is_error", known.is_error, bool)
    if known.exit_code is not None and not -_CODES <= _of_type("exit_code", known.exit_code, int) <= _CODES:
        raise Unreadable(f"exit_code that is {shown(known.exit_code)}", "Pass the code of the process, or None")
    call_id = _tidy_name("call_id", known.call_id)
    return known if call_id == known.call_id else replace(known, call_id=call_id)


def _of_type(name: str, value: object, wanted: type[T]) -> T:
    if not isinstance(value, wanted):
        raise Unreadable(f"{name} that is {shown(value)}", f"Pass a {wanted.__name__}")
    return value


def read_message(item: Mapping[str, object], *, strict: bool = False) -> list[Message]:
    """The messages that one dict holds, not yet marked: a user's message with tool results is several.

    `strict` refuses a time or an id that cannot be understood; otherwise the message is kept without it. Raises
    Unreadable.
    """
    role = item.get("role")
    is_item = role is None and text_of(item.get("type")) in ITEM_TYPES
    parts = _item(item) if is_item else _by_role(item, _role(role))
    at, name, identity = _when(item, strict), label(item.get("name")), _identity(item, strict)
    if at or name or identity:
        # Whole at once, since each copy of a message costs as much as reading it.
        parts = [replace(part, created_at=at, name=name, id=identity) for part in parts]
    return number_parts(with_details(parts, details_of(item)), identity)


def _from_content(
    role: Role, content: Content, calls: Iterable[ToolCall] = (), thinking: Iterable[str] = ()
) -> list[Message]:
    """Messages from the blocks of one: thinking, what was said with the calls, results; a user's results come first."""
    parts = [Message(Role.ASSISTANT, text, origin=Origin.THINKING) for text in thinking]
    for text, seal in zip(content.thinking, content.signatures, strict=True):
        sealed = Details(signature=seal) if seal else None
        parts.append(Message(Role.ASSISTANT, text, origin=Origin.THINKING, details=sealed))
    said = _said(role, content.texts, (*content.calls, *calls))
    if not (parts or content.results or said):
        said = [Message(role, "")]
    return [*parts, *content.results, *said] if role is Role.USER else [*parts, *said, *content.results]


def _by_role(item: Mapping[str, object], role: Role) -> list[Message]:
    if role is Role.TOOL:
        return [_tool_message(item)]
    calls = _calls(item)
    if "content" not in item and not calls and "refusal" not in item:
        raise Unreadable("a message without content", "Pass content as a text or a list of blocks")
    content = item.get("content")
    if not content and isinstance(refusal := item.get("refusal"), str):
        content = refusal
    reasoning = [text for key in ("reasoning_content", "reasoning") if (text := text_of(item.get(key))).strip()]
    return _from_content(role, read_content(content), calls, reasoning[:1])


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


def _tool_message(item: Mapping[str, object]) -> Message:
    text = plain_text(item.get("content"))
    call_id = label(item.get("tool_call_id") or item.get("tool_use_id"))
    if not call_id and item.get("role") == "function":
        call_id = _legacy_id(item.get("name"))
    stated, code = from_fields({key: value for key, value in item.items() if key in ("is_error", "exit_code")})
    return tool_output(text, call_id, stated=stated, exit_code=code)


def _calls(item: Mapping[str, object]) -> list[ToolCall]:
    listed = item.get("tool_calls") or []
    if not isinstance(listed, list | tuple):
        raise Unreadable("tool_calls that is no list", "Pass a list of calls")
    calls = [_call(call) for call in listed]
    legacy = item.get("function_call")
    if isinstance(legacy, Mapping):
        name = legacy.get("name")
        calls.append(tool_call(_legacy_id(name), name, legacy.get("arguments")))
    return calls


def _call(call: object) -> ToolCall:
    if not isinstance(call, Mapping):
        raise Unreadable(f"a tool call of type {type(call).__name__}", "Pass an object with id and function")
    function = call.get("function") or call.get("custom")
    inner = function if isinstance(function, Mapping) else call
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    return tool_call(call.get("id"), inner.get("name"), arguments)


def _item(item: Mapping[str, object]) -> list[Message]:
    kind = str(item["type"])
    if kind == "reasoning":
        return _from_content(Role.ASSISTANT, read_content([item]))
    call_id = label(item.get("call_id") or item.get("id"))
    if kind.endswith("_output"):
        return [tool_output(plain_text(item.get("output")), call_id)]
    call = tool_call(call_id, item.get("name"), item.get("arguments", item.get("input")))
    return [Message(Role.ASSISTANT, "", tool_calls=(call,))]


def _role(role: object) -> Role:
    if isinstance(role, str) and (known := ROLES.get(role)):
        return known
    problem = "a message without a role" if role is None else f"an unknown role {shown(role)}"
    raise Unreadable(problem, f"Use one of {', '.join(ROLES)}")


def _when(item: Mapping[str, object], strict: bool) -> datetime | None:
    value = item.get("created_at", item.get("timestamp"))
    return _moment(value) if strict else loose_moment(value)


def _moment(value: object) -> datetime | None:
    try:
        return moment(value)
    except ValueError as error:
        raise Unreadable(str(error), "Pass created_at as ISO text, epoch seconds or a datetime") from error


def _identity(item: Mapping[str, object], strict: bool) -> str:
    value = item.get("id", item.get("uuid"))
    known = label(value)
    if strict and not known and value is not None and value != "":
        raise Unreadable(f"an id of type {type(value).__name__}", "Pass the id as a text")
    return known


def _legacy_id(name: object) -> str:
    """Older function messages carry no id: the name links a result to the call before it."""
    return f"function:{label(name)}"
