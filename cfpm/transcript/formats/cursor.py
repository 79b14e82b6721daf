"""Cursor's sessions: the Markdown that it exports, and the transcripts of its agent as JSON Lines or as text. In a
transcript the user's words stand in an element of their own among what the editor adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice

from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import tool_output
from cfpm.transcript.fields import loose_moment, text_of
from cfpm.transcript.formats.format import Format, Line, Row, entries_of, said_in_tag
from cfpm.transcript.messages import read_message
from cfpm.transcript.records import Entries, Entry, Unreadable

_EXPORTED = lazy_pattern(r"_Exported on (?P<at>.{6,60}?) from Cursor \(.{1,30}\)_\s*")
_TITLES = {"**User**": Role.USER, "**Cursor**": Role.ASSISTANT}
_MARKERS = {"user:": Role.USER, "assistant:": Role.ASSISTANT}
_SEPARATOR = "---"
_QUERY = "user_query"
_BLOCK = lazy_pattern(r"\[(?P<kind>Thinking|Tool call|Tool result)\] ?(?P<rest>.*)")
_ARGUMENT = lazy_pattern(r"\s+(?P<name>\w{1,40}) ?[=:] ?(?P<value>.*)")


def _fits_row(row: Mapping[str, object]) -> bool:
    message = row.get("message")
    known = text_of(row.get("role")) in ("user", "assistant") and "type" not in row
    return known and isinstance(message, Mapping) and "content" in message and "role" not in message


def _read_rows(rows: Iterator[Row], source: str) -> Entries:
    for number, row in rows:
        yield from entries_of(row, source, f"line {number}", _row)


def _row(row: Mapping[str, object]) -> list[Message]:
    message = row.get("message")
    if not isinstance(message, Mapping):
        raise Unreadable("a message that is no object", "Remove the line, or restore it from the host")
    found = read_message(
        {"role": row.get("role"), "content": message.get("content"), "timestamp": row.get("timestamp")}
    )
    return [part for one in found for part in _asked(one) if part.text or part.tool_calls]


def _asked(message: Message) -> list[Message]:
    """A user's message without what the editor wrote around it; the element stands last, behind what it added."""
    start = message.text.rfind(f"<{_QUERY}>") if message.role is Role.USER else -1
    return said_in_tag(message, _QUERY, start) if start >= 0 else [message]


def _fits_head(head: list[str]) -> bool:
    lines = [line.strip() for line in head if line.strip()]
    if any(_EXPORTED.fullmatch(line) for line in lines[:3]):
        return True
    return bool(lines) and lines[0] == "user:" and any(f"<{_QUERY}>" in line for line in lines)


@dataclass(slots=True)
class _Reader:
    """Reads line by line, holding one message; `titles` begin one, in an export only behind a separator."""

    titles: Mapping[str, Role]
    separated: bool
    role: Role | None = None
    start: int = 0
    held: list[str] = field(default_factory=list)
    at: str = ""
    calls: int = 0

    def read(self, lines: Iterator[Line]) -> Entries:
        for number, line in lines:
            role = self.titles.get(line.strip())
            if role is not None and self._begins(line):
                yield from self._flush()
                self.role, self.start = role, number
            elif self.role is not None:
                self.held.append(line)
            elif found := _EXPORTED.fullmatch(line.strip()):
                self.at = found["at"]
            else:
                self.held.append(line)
        yield from self._flush()

    def _begins(self, line: str) -> bool:
        if not self.separated:
            return line == line.lstrip()
        before = [known for known in self.held if known.strip()]
        last = before[-1].strip() if before else _SEPARATOR
        return last == _SEPARATOR or last.startswith("## ")

    def _flush(self) -> Entries:
        lines, self.held = self.held, []
        while lines and lines[-1].strip() in ("", _SEPARATOR if self.separated else ""):
            lines.pop()
        if self.role is None or not lines:
            return
        message = Message(self.role, "\n".join(lines).strip("\n"), created_at=loose_moment(self.at))
        parts = _asked(message) if self.role is Role.USER else self._said(message)
        for part in parts:
            if part.text or part.tool_calls or part.tool_result:
                yield Entry(part, f"line {self.start}")

    def _said(self, message: Message) -> list[Message]:
        """An answer of a transcript: its thoughts, calls and results stand in indented blocks."""
        if self.separated:
            return [message]
        parts: list[Message] = []
        said: list[str] = []
        lines = message.text.split("\n")
        at = 0
        while at < len(lines):
            opening = _BLOCK.fullmatch(lines[at])
            if opening is None:
                said.append(lines[at])
                at += 1
                continue
            end = at + 1
            while end < len(lines) and (not lines[end].strip() or lines[end][:1] in " \t"):
                end += 1
            parts += [Message(Role.ASSISTANT, text) for text in ("\n".join(said).strip("\n"),) if text.strip()]
            parts.append(self._block(opening["kind"], opening["rest"], lines[at + 1 : end]))
            said, at = [], end
        return [*parts, *(Message(Role.ASSISTANT, text) for text in ("\n".join(said).strip("\n"),) if text.strip())]

    def _block(self, kind: str, rest: str, body: list[str]) -> Message:
        text = "\n".join(line.strip() for line in body).strip("\n")
        if kind == "Thinking":
            thought = "\n".join(part for part in (rest, text) if part)
            return Message(Role.ASSISTANT, thought, origin=Origin.THINKING)
        if kind == "Tool result":
            return tool_output(text, f"call-{self.calls}" if self.calls else "", name=rest.strip())
        self.calls += 1
        given = {found["name"]: found["value"] for line in body if (found := _ARGUMENT.fullmatch(line))}
        arguments: dict[str, object] = {**given} if given else {"input": text} if text else {}
        return Message(Role.ASSISTANT, "", tool_calls=(ToolCall(f"call-{self.calls}", rest.strip(), arguments),))


def _read_lines(lines: Iterator[Line], source: str) -> Entries:
    del source
    head = list(islice(lines, 50))
    exported = any(_EXPORTED.fullmatch(line.strip()) for _, line in head)
    yield from _Reader(_TITLES if exported else _MARKERS, exported).read(chain(head, lines))


FORMAT = Format(
    name="cursor",
    about="Cursor's Markdown exports and the transcripts of its agent",
    fits_row=_fits_row,
    rows=_read_rows,
    fits_head=_fits_head,
    lines=_read_lines,
)
