"""Content blocks of one message, OpenAI and Anthropic style, as texts, thinking, calls of tools and their results.

Knows no roles.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.transcript.arguments import shown
from cfpm.transcript.fields import clean, clean_mapping, label, text_of
from cfpm.transcript.outcomes import settle, unwrapped
from cfpm.transcript.records import Unreadable

_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "summary_text", "refusal"})
_THINKING_TYPES = frozenset({"thinking", "redacted_thinking", "reasoning"})
_CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_MEDIA = {"image_url": "image", "input_image": "image", "input_audio": "audio", "input_file": "file"}


@dataclass(slots=True)
class Content:
    """What stands in one message, each kind in its order; `results` are tool messages."""

    texts: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    """Of each thought the provider's seal, or empty."""
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)


def read_content(content: object) -> Content:
    """The content of a message: text, None, or a list of texts and blocks. Raises Unreadable for anything else."""
    found = Content()
    for part in _parts(content):
        if isinstance(part, str):
            found.texts.append(clean(part))
        else:
            _add_block(found, part)
    return found


def plain_text(content: object) -> str:
    """A content that can only be text, such as that of a tool result or a system prompt; media become a note like
    `[image]`. Raises Unreadable.

    Flat on purpose: results inside results are noted, not followed, so that no input can exhaust the stack.
    """
    return "\n".join(clean(part) if isinstance(part, str) else _block_text(part) for part in _parts(content))


def tool_call(identity: object, name: object, arguments: object) -> ToolCall:
    """A call from a host's fields. Arguments that are no JSON object stand under `input`. Raises Unreadable."""
    if isinstance(arguments, str):
        arguments = _parsed(arguments)
    if arguments is None:
        arguments = {}
    elif not isinstance(arguments, Mapping):
        arguments = {"input": arguments}
    return ToolCall(label(identity), label(name), clean_mapping(arguments))


def tool_output(
    text: str,
    call_id: str = "",
    *,
    stated: bool | None = None,
    exit_code: int | None = None,
    identity: str = "",
    at: datetime | None = None,
    name: str = "",
) -> Message:
    """The tool message of an output: it failed or not, with the code, as the host `stated`, else as what wraps the text
    or the text itself says."""
    text, (failed, wrapped_code) = unwrapped(text)
    is_error, text_code = settle(failed if stated is None else stated, text)
    code = next((one for one in (exit_code, wrapped_code) if one is not None), text_code)
    return Message(Role.TOOL, text, identity, at, name, tool_result=ToolResult(call_id, is_error, code))


def _parts(content: object) -> Iterator[str | Mapping[str, object]]:
    if content is None:
        return
    if isinstance(content, str | Mapping):
        content = [content]
    if not isinstance(content, list | tuple):
        raise Unreadable(f"content that is {_kind(content)}", "Pass a text or a list of content blocks")
    for block in content:
        if not isinstance(block, str | Mapping):
            raise Unreadable(f"a content block that is {_kind(block)}", "Pass texts or objects with a type")
        yield block


def _add_block(found: Content, block: Mapping[str, object]) -> None:
    kind = text_of(block.get("type"))
    if kind in _CALL_TYPES:
        found.calls.append(tool_call(block.get("id"), _tool_name(kind, block), block.get("input")))
    elif kind.endswith("tool_result"):
        found.results.append(_result(block))
    elif kind in _THINKING_TYPES:
        text = block.get("thinking") or block.get("text") or _joined(block.get("summary"))
        if isinstance(text, str) and text.strip():
            found.thinking.append(clean(text))
            found.signatures.append(text_of(block.get("signature")))
    else:
        found.texts.append(_block_text(block))


def _tool_name(kind: str, block: Mapping[str, object]) -> object:
    """A tool of a server gets the server's name before its own, as hosts write it: its `bash` is not the host's."""
    if kind != "mcp_tool_use":
        return block.get("name")
    return f"mcp__{label(block.get('server_name')) or 'server'}__{label(block.get('name'))}"


def _result(block: Mapping[str, object]) -> Message:
    stated = block.get("is_error")
    if stated is not None and not isinstance(stated, bool):
        raise Unreadable(f"is_error that is {_kind(stated)}", "Pass true, false or nothing")
    return tool_output(plain_text(block.get("content")), label(block.get("tool_use_id")), stated=stated)


def _block_text(block: Mapping[str, object]) -> str:
    kind, text = text_of(block.get("type")), block.get("text", block.get("refusal"))
    if isinstance(text, str):
        return clean(text)
    if not kind or kind in _TEXT_TYPES:
        raise Unreadable("a content block without text", "Pass {'type': 'text', 'text': ...}")
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
    return shown(value) if isinstance(value, bool | int | float) else f"of type {type(value).__name__}"
