"""Codex's rollouts: JSON Lines of rows with a `type` and a `payload`. Only a `response_item` holds words of the
conversation; events and compacted histories repeat them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cfpm.model import Message, Role
from cfpm.transcript.blocks import plain_text, tool_call, tool_output
from cfpm.transcript.fields import label, loose_moment, object_of, text_of
from cfpm.transcript.formats.format import (
    Format,
    RowReader,
    kinds,
    of_sidechain,
)
from cfpm.transcript.messages import read_message

_ROWS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_ITEMS = frozenset({"message", "reasoning", "function_call", "custom_tool_call"})
_CALLS = {
    "local_shell_call": "local_shell",
    "web_search_call": "web_search",
    "image_generation_call": "image_generation",
}
"""Calls that name their tool by their kind, and the tool."""


def _fits_row(row: Mapping[str, object]) -> bool:
    return (text_of(row.get("type")) in _ROWS and isinstance(row.get("payload"), Mapping)) or (
        row.get("record_type") == "state"
    )


@dataclass(slots=True)
class _Reader(RowReader):
    """Reads row by row; the first session_meta names the session: a fork repeats those of its origin behind its own."""

    subagent: bool = False

    def messages(self, place: str, row: Mapping[str, object]) -> list[Message]:
        """Those of a response_item."""
        payload = object_of(row.get("payload"))
        kind = text_of(row.get("type")) or text_of(row.get("record_type"))
        if kind == "response_item":
            return self._messages(row.get("timestamp"), place, payload)
        if kind == "session_meta":
            self._begin(payload)
        elif kind not in kinds("codex")["bookkeeping"] and "instructions" not in row:
            self.unknown.add(kind, place)
        return []

    def _begin(self, meta: Mapping[str, object]) -> None:
        if not self.session:
            self.session = label(meta.get("id")) or label(meta.get("session_id"))
            source = meta.get("source")
            self.subagent = "subagent" in (source if isinstance(source, Mapping | str) else ())

    def _messages(self, at: object, place: str, item: Mapping[str, object]) -> list[Message]:
        messages = [one for one in self._read(at, place, item) if one.text or one.tool_calls or one.tool_result]
        return [of_sidechain(one) for one in messages] if self.subagent else messages

    def _read(self, at: object, place: str, item: Mapping[str, object]) -> list[Message]:
        kind = text_of(item.get("type"))
        call_id, when, identity = label(item.get("call_id")), loose_moment(at), label(item.get("id"))
        if kind in _ITEMS:
            return read_message({**item, "timestamp": at})
        if kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            return [tool_output(plain_text(item.get("output")), call_id, identity=identity, at=when)]
        if kind in _CALLS:
            action = {key: value for key, value in object_of(item.get("action")).items() if key != "type"}
            call = tool_call(call_id or identity, _CALLS[kind], action)
            return [Message(Role.ASSISTANT, "", identity, when, tool_calls=(call,))]
        if kind == "agent_message":
            # Between agents: what one that was started answers.
            text = plain_text(item.get("content"))
            return [Message(Role.ASSISTANT, text, identity, when, label(item.get("author")))]
        if kind not in kinds("codex")["items"]:
            self.unknown.add(f"response_item {kind}".strip(), place)
        return []


FORMAT = Format(
    name="codex",
    about="Codex rollouts (JSON Lines of typed rows with a payload)",
    fits_row=_fits_row,
    rows=lambda rows, source: _Reader(source).read(rows),
)
