"""Content blocks of one message, OpenAI and Anthropic style, as texts, thinking, tool calls and tool results.

Knows no roles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cfpm.errors import InputError
from cfpm.model import ToolCall, ToolResult
from cfpm.transcript.fields import clean, clean_mapping, label, text_of
from cfpm.transcript.outcomes import settle

_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "summary_text", "refusal"})
_THINKING_TYPES = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_MEDIA = {"image_url": "image", "input_image": "image", "input_audio": "audio", "input_file": "file"}


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result with the output that it came with."""

    result: ToolResult
    text: str


@dataclass(slots=True)
class Content:
    """What stands in one message, each kind in its order."""

    texts: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)


def read_content(content: object, *, source: str, place: str) -> Content:
    """The content of a message: text, None, or a list of texts and blocks. Raises InputError for anything else."""
    found = Content()
    match content:
        case None:
            pass
        case str():
            found.texts.append(clean(content))
        case Mapping():
            _add_block(found, content, source, place)
        case list() | tuple():
            for block in content:
                if isinstance(block, str):
                    found.texts.append(clean(block))
                elif isinstance(block, Mapping):
                    _add_block(found, block, source, place)
                else:
                    raise InputError(
                        source,
                        f"a content block that is {_kind(block)}",
                        "Pass texts or objects with a type",
                        place=place,
                    )
        case _:
            raise InputError(
                source, f"content that is {_kind(content)}", "Pass a text or a list of content blocks", place=place
            )
    return found


def tool_call(identity: object, name: object, arguments: object, *, source: str, place: str) -> ToolCall:
    """A call from a host's fields. Arguments that are no JSON object stand under `input`."""
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    if arguments is None:
        arguments = {}
    elif not isinstance(arguments, Mapping):
        arguments = {"input": arguments}
    return ToolCall(label(identity), label(name), clean_mapping(arguments, source=source, place=place))


def plain_text(content: object, *, source: str, place: str) -> str:
    """A content that can only be text, such as that of a tool result or a system prompt; media become a note like
    `[image]`.

    Flat on purpose: results inside results are noted, not followed, so that no input can exhaust the stack.
    """
    if content is None or isinstance(content, str):
        return clean(content or "")
    blocks = [content] if isinstance(content, Mapping) else content
    if not isinstance(blocks, list | tuple):
        raise InputError(
            source, f"content that is {_kind(content)}", "Pass a text or a list of content blocks", place=place
        )
    texts = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(clean(block))
        elif isinstance(block, Mapping):
            texts.append(_block_text(block, text_of(block.get("type")), source, place))
        else:
            raise InputError(
                source, f"a content block that is {_kind(block)}", "Pass texts or objects with a type", place=place
            )
    return "\n".join(texts)


def _add_block(found: Content, block: Mapping[str, object], source: str, place: str) -> None:
    kind = text_of(block.get("type"))
    if kind in _CALL_TYPES:
        found.calls.append(
            tool_call(block.get("id"), block.get("name"), block.get("input"), source=source, place=place)
        )
    elif kind.endswith("tool_result"):
        found.results.append(_result(block, source, place))
    elif kind in _THINKING_TYPES:
        text = block.get("thinking") or block.get("text") or _joined(block.get("summary"))
        if isinstance(text, str) and text.strip():
            found.thinking.append(clean(text))
    else:
        found.texts.append(_block_text(block, kind, source, place))


def _result(block: Mapping[str, object], source: str, place: str) -> Result:
    stated = block.get("is_error")
    if stated is not None and not isinstance(stated, bool):
        raise InputError(source, f"is_error that is {_kind(stated)}", "Pass true, false or nothing", place=place)
    text = plain_text(block.get("content"), source=source, place=place)
    is_error, exit_code = settle(stated, text)
    return Result(ToolResult(label(block.get("tool_use_id")), is_error, exit_code), text)


def _block_text(block: Mapping[str, object], kind: str, source: str, place: str) -> str:
    text = block.get("text", block.get("refusal"))
    if isinstance(text, str):
        return clean(text)
    if not kind or kind in _TEXT_TYPES:
        raise InputError(source, "a content block without text", "Pass {'type': 'text', 'text': ...}", place=place)
    name = next((name for key in ("title", "tool_name", "filename") if (name := text_of(block.get(key)))), "")
    shown = _MEDIA.get(kind, kind)
    return f"[{shown}: {name}]" if name else f"[{shown}]"


def _joined(parts: object) -> str:
    if not isinstance(parts, Sequence) or isinstance(parts, str):
        return ""
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))


def _parsed(text: str) -> object:
    if not text.strip():
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _kind(value: object) -> str:
    return f"{value!r}" if isinstance(value, bool | int | float) else f"of type {type(value).__name__}"
