"""Sessions of the pi agent: JSON Lines with a header and entries that name their parents. Read in the order in which
they were written; branches of a session that were left stay in it, as they were said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cfpm.model import Message, Origin, Role, ToolCall, ToolResult
from cfpm.transcript.blocks import plain_text, tool_output
from cfpm.transcript.fields import label, list_of, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import Format, RowReader, kinds
from cfpm.transcript.messages import read_message
from cfpm.transcript.origins import number_parts

_SUMMARIES = frozenset({"compaction", "branch_summary"})


def _fits_row(row: Mapping[str, object]) -> bool:
    kind = text_of(row.get("type"))
    if kind == "session":
        return "cwd" in row and ("version" in row or "id" in row)
    known = kind in kinds("pi")["bookkeeping"] or kind in _SUMMARIES or kind == "custom_message"
    return "parentId" in row and (known or (kind == "message" and isinstance(row.get("message"), Mapping)))


@dataclass(slots=True)
class _Reader(RowReader):
    """Reads entry by entry; the header names the session."""

    def messages(self, place: str, row: Mapping[str, object]) -> list[Message]:
        """The messages of an entry."""
        if row.get("type") == "session":
            self.session = self.session or label(row.get("id"))
        kind, identity, at = text_of(row.get("type")), label(row.get("id")), loose_moment(row.get("timestamp"))
        if kind == "message":
            return number_parts(self._said(place, object_of(row.get("message")), row), identity)
        if kind in _SUMMARIES:
            return [Message(Role.SYSTEM, text_of(row.get("summary")), identity, at, origin=Origin.HOST_NOTICE)]
        if kind == "custom_message":
            return [Message(Role.SYSTEM, plain_text(row.get("content")), identity, at, origin=Origin.HOST_NOTICE)]
        if kind not in kinds("pi")["bookkeeping"]:
            self.unknown.add(kind, place)
        return []

    def _said(self, place: str, message: Mapping[str, object], row: Mapping[str, object]) -> list[Message]:
        at = loose_moment(row.get("timestamp")) or loose_moment(message.get("timestamp"))
        match message.get("role"):
            case "user" | "assistant" as role:
                blocks = _blocks(message.get("content"))
                found = read_message({"role": role, "content": blocks, "timestamp": row.get("timestamp")})
                return [one for one in found if one.text or one.tool_calls]
            case "toolResult":
                stated = message.get("isError")
                output = tool_output(
                    plain_text(message.get("content")),
                    label(message.get("toolCallId")),
                    stated=stated if isinstance(stated, bool) else None,
                    at=at,
                    name=label(message.get("toolName")),
                )
                return [output]
            case "bashExecution":
                return _typed_command(message, at, label(row.get("id")))
            case "custom" | "branchSummary" | "compactionSummary":
                text = plain_text(message.get("content")) or text_of(message.get("summary"))
                return [Message(Role.SYSTEM, text, created_at=at, origin=Origin.HOST_NOTICE)]
            case role:
                self.unknown.add(f"message of role {role}", place)
                return []


def _blocks(content: object) -> object:
    """pi's content blocks as those of others; its calls have `arguments` and a kind of their own."""
    if not isinstance(content, list):
        return content
    return [
        {"type": "tool_use", "id": block.get("id"), "name": block.get("name"), "input": block.get("arguments")}
        if isinstance(block, Mapping) and block.get("type") == "toolCall"
        else block
        for block in list_of(content)
    ]


def _typed_command(message: Mapping[str, object], at: object, identity: str) -> list[Message]:
    """A command that the user ran from the prompt, as the host's call with its result."""
    call = ToolCall(f"typed-{identity}", "bash", {"command": text_of(message.get("command"))})
    code = message.get("exitCode")
    known = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else None
    result = ToolResult(call.id, None if known is None else known != 0, known)
    when = loose_moment(at)
    return [
        Message(Role.ASSISTANT, "", created_at=when, origin=Origin.SAID, tool_calls=(call,)),
        Message(Role.TOOL, text_of(message.get("output")), created_at=when, tool_result=result),
    ]


FORMAT = Format(
    name="pi",
    about="sessions of the pi agent (JSON Lines)",
    fits_row=_fits_row,
    rows=lambda rows, source: _Reader(source).read(rows),
)
