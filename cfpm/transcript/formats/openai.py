"""OpenAI style chat messages: a list, an object with `messages`, or JSON Lines of either (fine-tuning files too)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cfpm.transcript.fields import text_of
from cfpm.transcript.formats.format import (
    Format,
    Row,
    entries_of,
    is_list_of,
    keyed,
    numbered,
    one_or_list_of,
    read_conversation,
    read_items,
)
from cfpm.transcript.messages import ITEM_TYPES, ROLES, read_message
from cfpm.transcript.records import Entries

_BODY = ("content", "tool_calls", "function_call", "refusal")


def fits_message(value: Mapping[str, object]) -> bool:
    """True for a message dict with a known role, and for a Responses item."""
    role = value.get("role")
    if isinstance(role, str) and role in ROLES:
        return any(key in value for key in _BODY)
    return text_of(value.get("type")) in ITEM_TYPES and "role" not in value


def _fits_row(value: Mapping[str, object]) -> bool:
    return fits_message(value) or is_list_of(value.get("messages"), fits_message)


def read_document(value: object, source: str) -> Entries:
    """A list of messages, one conversation, or a list of conversations."""
    if isinstance(value, Mapping) and "messages" in value:
        return read_conversation(value, source)
    if is_list_of(value, lambda item: "messages" in item):
        return read_rows(numbered(value), source, "item")
    return read_items(value if isinstance(value, list) else [value], source)


def read_rows(rows: Iterator[Row], source: str, counted: str = "line") -> Entries:
    """One message a line, or one conversation a line."""
    for number, value in rows:
        place = f"{counted} {number}"
        if isinstance(value, Mapping) and "messages" in value:
            yield from keyed(read_conversation(value, source, within=f"{place}, "), number)
        else:
            yield from entries_of(value, source, place, read_message)


FORMAT = Format(
    name="openai",
    about="OpenAI style chat messages as a list, an object with messages, or JSON Lines",
    fits_document=one_or_list_of(_fits_row),
    document=read_document,
    fits_row=_fits_row,
    rows=read_rows,
)
