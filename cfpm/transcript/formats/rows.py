"""A plain conversion of agent sessions: one row for each message, tool call and tool result, with the session's id in
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from cfpm.model import Message, Role, ToolCall
from cfpm.transcript.blocks import plain_text, tool_output
from cfpm.transcript.fields import clean_mapping, label, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import Format, Row, entries_of
from cfpm.transcript.records import Entries, Unreadable

_SPEECH = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_ROLES = frozenset({*_SPEECH, "tool_call", "tool_result"})
_NO_ARGUMENTS = frozenset({"session", "i", "role", "ts", "name", "type", "args"})


def _fits_row(row: Mapping[str, object]) -> bool:
    return "session" in row and text_of(row.get("role")) in _ROLES and ("text" in row or row.get("role") == "tool_call")


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    """A result belongs to the last call of its tool in the same session."""
    open_calls: dict[tuple[str, str], str] = {}
    for number, row in rows:
        key = label(object_of(row).get("session"))
        yield from entries_of(row, source, f"line {number}", partial(_messages, open_calls), key, own=bool(key))


def _messages(open_calls: dict[tuple[str, str], str], row: Mapping[str, object]) -> Iterator[Message]:
    role, name = row.get("role"), label(row.get("name"))
    session, at = label(row.get("session")), loose_moment(row.get("ts"))
    if isinstance(role, str) and role in _SPEECH:
        yield Message(_SPEECH[role], plain_text(row.get("text")), created_at=at)
    elif role == "tool_call":
        call_id = f"{session}:{label(row.get('i'))}"
        open_calls[session, name] = call_id
        yield Message(Role.ASSISTANT, "", created_at=at, tool_calls=(_call(row, call_id, name),))
    elif role == "tool_result":
        yield tool_output(plain_text(row.get("text")), open_calls.get((session, name), ""), at=at, name=name)
    else:
        raise Unreadable(f"an unknown role {str(role)[:40]!r}", f"Use one of {', '.join(sorted(_ROLES))}")


def _call(row: Mapping[str, object], call_id: str, name: str) -> ToolCall:
    given = {key: value for key, value in row.items() if key not in _NO_ARGUMENTS and value is not None}
    if row.get("args"):
        given["input"] = row["args"]
    return ToolCall(call_id, name, clean_mapping(given))


FORMAT = Format(
    name="rows",
    about="JSON Lines with session, role (user, assistant, tool_call, tool_result), ts, name and text",
    fits_row=_fits_row,
    rows=_read_rows,
)
