"""Anthropic style messages: blocks of text, thinking, tool use and tool results, with `system` beside them.

Read like OpenAI's.
"""

from __future__ import annotations

from collections.abc import Mapping

from cfpm.transcript.fields import text_of
from cfpm.transcript.formats.format import Format, is_list_of, one_or_list_of
from cfpm.transcript.formats.openai import fits_message, read_document, read_rows

_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"})


def _has_own_blocks(value: Mapping[str, object]) -> bool:
    return fits_message(value) and is_list_of(value.get("content"), _is_own_block)


def _is_own_block(block: Mapping[str, object]) -> bool:
    return text_of(block.get("type")) in _OWN_BLOCKS


def _fits_row(value: Mapping[str, object]) -> bool:
    if _has_own_blocks(value):
        return True
    messages = value.get("messages")
    return is_list_of(messages, _has_own_blocks) or ("system" in value and is_list_of(messages, fits_message))


FORMAT = Format(
    name="anthropic",
    about="Anthropic style messages with content blocks and a system prompt",
    fits_document=one_or_list_of(_fits_row),
    document=read_document,
    fits_row=_fits_row,
    rows=read_rows,
)
