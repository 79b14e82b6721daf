"""OpenAI style chat messages: a list, an object with `messages`, or JSON Lines of either (fine-tuning files too)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cfpm.transcript.fields import text_of
from cfpm.transcript.formats.format import Format, Row, is_list_of, keyed, read_conversation, read_item, read_items
from cfpm.transcript.messages import ITEM_TYPES, ROLES
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


def _fits_document(value: object) -> bool:
    return _fits_row(value) if isinstance(value, Mapping) else is_list_of(value, _fits_row)


def read_document(value: object, source: str) -> Entries:
    """A list of messages, one conversation, or a list of conversations."""
    if isinstance(value, Mapping) and "messages" in value:
        yield from read_conversation(value, source)
    elif isinstance(value, list) and is_list_of(value, lambda item: "messages" in item):
        for number, item in enumerate(value, start=1):
            yield from _conversation_or_message(item, source, f"item {number}", number)
    else:
        yield from read_items(value if isinstance(value, list) else [value], source)


def read_rows(rows: Iterator[Row], source: str) -> Entries:
    """One message a line, or one conversation a line."""
    for number, value in rows:
        yield from _conversation_or_message(value, source, f"line {number}", number)


def _conversation_or_message(value: object, source: str, place: str, number: int) -> Entries:
    if isinstance(value, Mapping) and "messages" in value:
        return keyed(read_conversation(value, source, within=f"{place}, "), number)
    return read_item(value, source, place)


FORMAT = Format(
    name="openai",
    about="OpenAI style chat messages as a list, an object with messages, or JSON Lines",
    fits_document=_fits_document,
    document=read_document,
    fits_row=_fits_row,
    rows=read_rows,
)
