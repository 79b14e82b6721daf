"""A plain conversion of agent sessions: one row for each message, tool call and tool result, with the session's id in
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cfpm.errors import InputError
from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.transcript.blocks import plain_text
from cfpm.transcript.fields import clean_mapping, label, loose_moment, text_of
from cfpm.transcript.formats.format import Format, Row, not_an_object
from cfpm.transcript.outcomes import settle
from cfpm.transcript.records import Entries, Entry, Problem

_SPEECH = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_ROLES = frozenset({*_SPEECH, "tool_call", "tool_result"})
_NO_ARGUMENTS = frozenset({"session", "i", "role", "ts", "name", "type", "args"})


def _fits_row(row: Mapping[str, object]) -> bool:
    return "session" in row and text_of(row.get("role")) in _ROLES and ("text" in row or row.get("role") == "tool_call")


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    """A result belongs to the last call of its tool in the same session."""
    open_calls: dict[tuple[str, str], str] = {}
    for number, row in rows:
        place = f"line {number}"
        if not isinstance(row, Mapping):
            yield not_an_object(row, source, place)
            continue
        try:
            message = _message(row, open_calls, source, place)
        except InputError as error:
            yield Problem.of(error)
            continue
        key = label(row.get("session"))
        yield Entry(message, place, key, own=bool(key))


def _message(row: Mapping[str, object], open_calls: dict[tuple[str, str], str], source: str, place: str) -> Message:
    role, name = row.get("role"), label(row.get("name"))
    session, at = label(row.get("session")), loose_moment(row.get("ts"))
    if isinstance(role, str) and role in _SPEECH:
        return Message(_SPEECH[role], plain_text(row.get("text"), source=source, place=place), created_at=at)
    if role == "tool_call":
        call_id = f"{session}:{label(row.get('i'))}"
        open_calls[session, name] = call_id
        return Message(Role.ASSISTANT, "", created_at=at, tool_calls=(_call(row, call_id, name, source, place),))
    if role == "tool_result":
        text = plain_text(row.get("text"), source=source, place=place)
        result = ToolResult(open_calls.get((session, name), ""), *settle(None, text))
        return Message(Role.TOOL, text, created_at=at, name=name, tool_result=result)
    remedy = f"Use one of {', '.join(sorted(_ROLES))}"
    raise InputError(source, f"an unknown role {str(role)[:40]!r}", remedy, place=place)


def _call(row: Mapping[str, object], call_id: str, name: str, source: str, place: str) -> ToolCall:
    given = {key: value for key, value in row.items() if key not in _NO_ARGUMENTS and value is not None}
    if row.get("args"):
        given["input"] = row["args"]
    return ToolCall(call_id, name, clean_mapping(given, source=source, place=place))


FORMAT = Format(
    name="rows",
    about="JSON Lines with session, role (user, assistant, tool_call, tool_result), ts, name and text",
    fits_row=_fits_row,
    rows=_read_rows,
)
