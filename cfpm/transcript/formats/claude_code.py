"""Claude Code's session files:

JSON Lines of typed rows with the session's id. Rows of the host's bookkeeping are no messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cfpm.model import Message, Origin, Role
from cfpm.transcript.boot_files import split_request
from cfpm.transcript.fields import clean, label, loose_moment, text_of
from cfpm.transcript.formats.format import Format, Reader, Row, entries_of, kinds, numbered, of_sidechain
from cfpm.transcript.messages import read_message
from cfpm.transcript.origins import mark_origins, number_parts
from cfpm.transcript.outcomes import from_fields
from cfpm.transcript.records import Entries, Entry, Problem, Unreadable

_TYPES = frozenset({"user", "assistant", "summary", "system"})
_READ = frozenset({*_TYPES, "attachment"})
_MARKS = ("sessionId", "leafUuid", "parentUuid", "isSidechain")
_NOT_SAID = ("isMeta", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")


def _fits_row(row: Mapping[str, object]) -> bool:
    kind = text_of(row.get("type"))
    return (kind in _TYPES and any(key in row for key in _MARKS)) or (kind != "" and "sessionId" in row)


@dataclass(slots=True)
class _Reader(Reader):
    """Reads row by row; what comes before the first session id waits for it."""

    session: str = ""
    waiting: list[Entry | Problem] = field(default_factory=list)
    after_command: bool = False
    """True right behind the row that echoes a command: the next meta row is the command's file."""

    def read(self, rows: Iterator[Row]) -> Entries:
        for number, row in rows:
            place = f"line {number}"
            if isinstance(row, Mapping) and isinstance(kind := row.get("type"), str) and kind not in _READ:
                # Only the kind says whether a row holds a message: a request to the model repeats all of them.
                self.session = label(row.get("sessionId")) or self.session
                if kind not in kinds("claude_code")["bookkeeping"]:
                    self.unknown.add(kind, place)
            else:
                yield from self._in_session(list(entries_of(row, self.source, place, self._messages)))
        yield from self.waiting
        yield from self.unknown.problems()

    def _messages(self, row: Mapping[str, object]) -> list[Message]:
        """The messages of a row; the file behind a command is taken apart into the request and the host's text."""
        messages = _row_messages(row)
        self.session = label(row.get("sessionId")) or self.session
        if not messages:
            return messages
        first, after_command = messages[0], self.after_command
        self.after_command = first.role is Role.USER and first.text.lstrip().startswith("<command-")
        if not (after_command and row.get("isMeta") is True and len(messages) == 1):
            return messages
        if first.role is not Role.USER or first.text.lstrip().startswith(("<", "[", "Caveat: ")):
            return messages
        return number_parts(split_request(first), first.id)

    def _in_session(self, items: list[Entry | Problem]) -> Entries:
        if not self.session:
            self.waiting += items
            return
        ready, self.waiting = [*self.waiting, *items], []
        for item in ready:
            yield replace(item, key=self.session, own=True) if isinstance(item, Entry) else item


def _row_messages(row: Mapping[str, object]) -> list[Message]:
    kind = row.get("type")
    if not isinstance(kind, str):
        raise Unreadable("a line without a type", "Remove it, or read the file in another format")
    if kind in ("summary", "system"):
        text = row.get("summary" if kind == "summary" else "content")
        return [_notice(text, row)] if isinstance(text, str) and text.strip() else []
    if kind == "attachment":
        return _queued(row.get("attachment"), row)
    message = row.get("message")
    if not isinstance(message, Mapping):
        raise Unreadable("a message that is no object", "Remove the line, or restore it from the host")
    return _said(message, row)


def _said(message: Mapping[str, object], row: Mapping[str, object]) -> list[Message]:
    role = message.get("role", row.get("type"))
    fields = {"role": role, "id": row.get("uuid"), "timestamp": row.get("timestamp")}
    if "content" in message:
        fields["content"] = message["content"]
    fields |= {"usage": message.get("usage"), "model": message.get("model"), "cwd": row.get("cwd")}
    # Each block of a reply is a row of its own, with the usage of the whole.
    fields["response_id"] = message.get("id")
    parts = _with_outcome(read_message(fields), row.get("toolUseResult"))
    if any(row.get(flag) is True for flag in _NOT_SAID):
        parts = [_not_said(marked) for part in parts for marked in mark_origins(part)]
    if row.get("isSidechain") is True:
        parts = [of_sidechain(part) for part in parts]
    return parts


def _with_outcome(parts: list[Message], stated: object) -> list[Message]:
    results = [part.tool_result for part in parts if part.tool_result]
    if len(results) != 1 or results[0].is_error is not None:
        return parts
    is_error: bool | None = None
    if isinstance(stated, Mapping):
        is_error, _ = from_fields(stated)
    elif isinstance(stated, str) and stated.startswith("Error"):
        is_error = True
    result = replace(results[0], is_error=is_error)
    return [replace(part, tool_result=result) if part.tool_result else part for part in parts]


def _not_said(part: Message) -> Message:
    return replace(part, origin=Origin.HOST_NOTICE) if part.origin is Origin.SAID and not part.tool_result else part


def _queued(attachment: object, row: Mapping[str, object]) -> list[Message]:
    """What the user typed while the agent worked stands only in an attachment."""
    if not isinstance(attachment, Mapping) or attachment.get("type") != "queued_command":
        return []
    return _said({"role": "user", "content": attachment.get("prompt")}, row)


def _notice(text: str, row: Mapping[str, object]) -> Message:
    at = loose_moment(row.get("timestamp"))
    return Message(Role.SYSTEM, clean(text), label(row.get("uuid")), created_at=at, origin=Origin.HOST_NOTICE)


FORMAT = Format(
    name="claude_code",
    about="Claude Code session files (JSON Lines)",
    document=lambda value, source: _Reader(source).read(numbered(value)),
    fits_row=_fits_row,
    rows=lambda rows, source: _Reader(source).read(rows),
)
