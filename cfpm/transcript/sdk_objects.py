"""Messages that are objects of a provider's or a framework's library, as the dicts that their hosts send.

Read by their shape alone: OpenAI (chat and Responses), Anthropic, LangChain, Pydantic AI, and whatever is built like
them. Imports none of these libraries, and reads nothing out of dicts that hold no objects: see `messages`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields as fields_of_dataclass
from dataclasses import is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from cfpm.transcript.records import Unreadable

Raw = Mapping[str, object]
"""A message as a host sends it to a provider."""

REMEDY = (
    "Pass dicts with role and content, Message values, or messages of OpenAI, Anthropic, LangChain or Pydantic AI as"
    " they come; of another library, its fields as such a dict"
)

_SPOKEN = (
    *("content", "refusal", "reasoning_content", "reasoning", "name", "tool_calls", "function_call"),
    *("tool_call_id", "is_error", "exit_code", "created_at", "timestamp"),
)
"""What is taken over from an object with a role. No id: the same message without its object has none."""

_LANGCHAIN_ROLES = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessageChunk": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "function",
    "FunctionMessageChunk": "function",
}
_LANGCHAIN_CALLS = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk", "input_json_delta"})
"""Blocks that say again what stands in `tool_calls`."""

_ANSWER_BLOCKS = frozenset(
    {"text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "output_text"}
)
"""Blocks that a model writes, so that one that stands alone in a list was said by the assistant."""

_MAX_DEPTH = 64
"""Levels of objects within objects that are followed; tool arguments have as many at most."""

_RESULT_DEPTH = 5
"""Levels down to a block in the content of a result in a message's content: further down nothing is read."""


def plain_messages(messages: Iterable[object], source: str = "messages") -> list[Raw]:
    """The list with objects as dicts; one object may be several. What is no message at all stays as it is, for whoever
    reads it next, who says which one it is.

    Raises InputError naming the position of an object that looks like a message and cannot be read.
    """
    plain: list[Any] = []
    for position, item in enumerate(messages):
        try:
            found = as_dicts(item)
        except Unreadable as error:
            raise error.at(source, f"message {position}") from error
        plain += [item] if found is None else found
    return plain


def as_dicts(item: object) -> list[Raw] | None:
    """The dicts that a host would send for this object, OpenAI or Anthropic style; None for what is no message.

    A dict is itself, unless objects stand in its content or among its calls. Raises Unreadable naming the type.
    """
    if isinstance(item, Mapping):
        return [_plain_dict(item) if _holds_objects(item) else item]
    fields = _fields(item)
    return None if fields is None else _read(item, fields)


def _read(item: object, fields: Raw) -> list[Raw] | None:
    """An object by its shape: of several that fit, the one that says most comes first."""
    kind = _text(fields.get("type"))
    if fields.get("role") is not None:
        return [_with_role(item, fields)]
    if kind in _LANGCHAIN_ROLES and "content" in fields:
        return [_langchain(_LANGCHAIN_ROLES[kind], fields)]
    if fields.get("kind") in ("request", "response") and "parts" in fields:
        return _pydantic_ai(item, fields)
    if isinstance(choices := fields.get("choices"), list) and choices:
        return _inner(item, getattr(choices[0], "message", None))
    if fields.get("object") == "response" and isinstance(output := fields.get("output"), list):
        return [part for one in output for part in _inner(one, one)]
    if kind in _ANSWER_BLOCKS:
        return [{"role": "assistant", "content": [_plain(fields)]}]
    if kind == "tool_result":
        return [{"role": "user", "content": [_plain(fields)]}]
    if kind == "reasoning" or kind.endswith(("_call", "_call_output")):
        return _item(kind, fields)
    return None


def _inner(outer: object, inner: object) -> list[Raw]:
    """The message that an answer of a provider holds. Raises Unreadable for one that holds none, such as a chunk."""
    found = as_dicts(inner)
    if found is None:
        raise Unreadable(f"a {type(outer).__name__} that holds no message", REMEDY)
    return found


def _with_role(item: object, fields: Raw) -> Raw:
    """Of OpenAI, Anthropic and many others: a role and a content. Raises Unreadable for one without a content."""
    # Some libraries compute the content, so that it is an attribute and no field.
    content = fields["content"] if "content" in fields else getattr(item, "content", None)
    if content is None and "content" not in fields and not fields.get("tool_calls"):
        raise Unreadable(f"a {type(item).__name__} without content", REMEDY)
    known = {name: value for name in _SPOKEN if (value := fields.get(name)) is not None}
    return {"role": _plain(fields["role"]), **_plain_dict({**known, "content": content})}


def _item(kind: str, fields: Raw) -> list[Raw]:
    """An item of OpenAI's Responses; a call that the provider ran itself has the name of its kind."""
    known = {name: value for name, value in _plain_dict(fields).items() if value is not None}
    if kind == "reasoning" or kind.startswith(("function_call", "custom_tool_call")):
        return [known]
    if kind.endswith("_output"):
        return [{**known, "type": "function_call_output", "output": _written(known.get("output"))}]
    call = {
        "type": "function_call",
        "call_id": known.get("call_id") or known.get("id"),
        "name": known.get("name") or kind.removesuffix("_call"),
        "arguments": known.get("arguments", known.get("action", {})),
    }
    if not known.get("output"):
        return [call]
    return [
        call,
        {"type": "function_call_output", "call_id": call["call_id"], "output": _written(known["output"])},
    ]


def _langchain(role: str, fields: Raw) -> Raw:
    """A LangChain message; blocks that repeat its calls are left out, and a call has OpenAI's form."""
    extra = fields.get("additional_kwargs")
    listed = [*_listed(fields.get("tool_calls")), *_listed(fields.get("invalid_tool_calls"))]
    content = _plain(fields["content"])
    if isinstance(content, list):
        content = [_thinking(block) for block in content if not (listed and _is_call(block))]
    said: dict[str, object] = {"role": role, "content": content}
    if name := fields.get("name"):
        said["name"] = name
    if listed:
        said["tool_calls"] = [_call(call.get("id"), call.get("name"), call.get("args")) for call in listed]
    elif isinstance(extra, Mapping):
        said |= {name: _plain(extra[name]) for name in ("tool_calls", "function_call") if extra.get(name)}
    if role == "tool":
        said["tool_call_id"] = fields.get("tool_call_id")
        # "success" is what nobody stated: then the text decides.
        if fields.get("status") == "error":
            said["is_error"] = True
    return said


def _is_call(block: object) -> bool:
    return isinstance(block, Mapping) and block.get("type") in _LANGCHAIN_CALLS


def _thinking(block: object) -> object:
    """A block of LangChain's own form for reasoning, in the form that providers have."""
    if isinstance(block, Mapping) and block.get("type") == "reasoning" and isinstance(block.get("reasoning"), str):
        return {"type": "thinking", "thinking": block["reasoning"]}
    return block


def _pydantic_ai(item: object, fields: Raw) -> list[Raw]:
    """The parts of a request are a message each, those of an answer one message together."""
    parts = [known for part in _listed(fields["parts"]) if (known := _fields(part)) is not None]
    at = _moment(fields.get("timestamp"))
    said: list[Raw] = []
    if fields["kind"] == "response":
        said += [{**message, **at} for message in _answer(parts)]
    else:
        for part in parts:
            if read := _REQUEST_PARTS.get(_text(part.get("part_kind"))):
                said.append({**read(part), **(_moment(part.get("timestamp")) or at)})
    if not said and parts:
        kinds = ", ".join(sorted({_text(part.get("part_kind")) or "unknown" for part in parts}))
        raise Unreadable(f"a {type(item).__name__} of parts that are no speech ({kinds})", REMEDY)
    return said


def _moment(value: object) -> Raw:
    return {"created_at": value} if isinstance(value, datetime) else {}


def _answer(parts: Iterable[Raw]) -> Iterator[Raw]:
    """The words, thoughts and calls of an answer as one message, and the results of what the provider ran itself."""
    content: list[object] = []
    calls: list[Raw] = []
    results: list[Raw] = []
    for part in parts:
        match part.get("part_kind"):
            case "text":
                content.append({"type": "text", "text": _text(part.get("content"))})
            case "speech":
                content.append({"type": "text", "text": _text(part.get("transcript"))})
            case "thinking":
                content.append({"type": "thinking", "thinking": _text(part.get("content"))})
            case "tool-call" | "builtin-tool-call":
                calls.append(_call(part.get("tool_call_id"), part.get("tool_name"), part.get("args")))
            case "builtin-tool-return":
                results.append(_tool_return(part))
            case "file":
                content.append({"type": "file"})
    if content or calls:
        yield {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}
    yield from results


def _system_prompt(part: Raw) -> Raw:
    return {"role": "system", "content": _text(part.get("content"))}


def _user_prompt(part: Raw) -> Raw:
    content = part.get("content")
    if isinstance(content, str):
        return {"role": "user", "content": content}
    return {"role": "user", "content": [_user_content(one) for one in _listed(content)]}


def _speech(part: Raw) -> Raw:
    return {"role": "user", "content": _text(part.get("transcript"))}


def _user_content(one: object) -> object:
    """A text as it is; a medium by its kind alone."""
    known = {} if isinstance(one, str) else _fields(one) or {}
    if isinstance(text := known.get("content"), str):
        return text
    return {"type": _text(known.get("kind")) or "file"} if known else one


def _tool_return(part: Raw) -> Raw:
    failed = part.get("outcome") in ("failed", "denied", "retried")
    return {
        "role": "tool",
        "tool_call_id": part.get("tool_call_id"),
        "content": _written(part.get("content")),
        **({"is_error": True} if failed else {}),
    }


def _retry(part: Raw) -> Raw:
    """What a framework says of an answer that it does not take: of a call, that it failed; else no word of the
    user's."""
    text = _written(part.get("content"))
    if part.get("tool_name"):
        return {"role": "tool", "tool_call_id": part.get("tool_call_id"), "content": text, "is_error": True}
    return {"role": "system", "content": text}


_REQUEST_PARTS: Mapping[str, Callable[[Raw], Raw]] = {
    "system-prompt": _system_prompt,
    "user-prompt": _user_prompt,
    "speech": _speech,
    "tool-return": _tool_return,
    "retry-prompt": _retry,
    "retry-feedback": _retry,
}


def _call(identity: object, name: object, arguments: object) -> Raw:
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": "" if arguments is None else _written(arguments)},
    }


def _written(value: object) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False, default=str)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _listed(value: object) -> list[Raw]:
    return list(value) if isinstance(value, list | tuple) else []


def _holds_objects(item: Raw) -> bool:
    return any(_is_object(item.get(name)) for name in ("content", "tool_calls", "function_call"))


def _is_object(value: object, depth: int = _RESULT_DEPTH) -> bool:
    """Whether there is anything but texts and dicts in it, also within the results of tools."""
    if value is None or isinstance(value, str) or not depth:
        return False
    if isinstance(value, Mapping):
        return "content" in value and _is_object(value["content"], depth - 1)
    return not isinstance(value, list | tuple) or any(_is_object(one, depth - 1) for one in value)


def _plain_dict(item: Raw) -> dict[str, object]:
    return {name: _plain(value) for name, value in item.items()}


def _plain(value: object, depth: int = _MAX_DEPTH) -> object:
    """Objects as dicts of their fields, at any depth; what has no fields stays as it is."""
    if value is None or isinstance(value, str | int | float | datetime) or depth == 0:
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, list | tuple):
        return [_plain(one, depth - 1) for one in value]
    if isinstance(value, Enum):
        return value.value
    fields = value if isinstance(value, Mapping) else _fields(value)
    if fields is None:
        return value
    named = {name: _plain(one, depth - 1) for name, one in fields.items()}
    # A block says what it holds; what it does not hold is no part of it.
    return named if fields is value else {name: one for name, one in named.items() if one is not None}


def _fields(item: object) -> Raw | None:
    """The fields of an object that holds data: a model of pydantic, a dataclass, anything with attributes of its own.

    None for classes, numbers and the like.
    """
    if isinstance(item, type):
        return None
    of_class = type(item)
    if isinstance(names := getattr(of_class, "model_fields", None), Mapping):
        return {**{name: getattr(item, name, None) for name in names}, **(getattr(item, "model_extra", None) or {})}
    if callable(dump := getattr(item, "model_dump", None)):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    if is_dataclass(item):
        return {one.name: getattr(item, one.name, None) for one in fields_of_dataclass(item)}
    own = getattr(item, "__dict__", None)
    return {name: value for name, value in own.items() if not name.startswith("_")} if own else None
