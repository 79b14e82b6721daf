"""Recognises tool results that only return a file which hosts load for the agent (AGENTS.md, a README).

Judges no content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from cfpm.model import Message, Origin, ToolCall
from cfpm.transcript.tables import table


@dataclass(frozen=True, slots=True)
class _Readers:
    name: re.Pattern[str]
    tools: frozenset[str]
    command: re.Pattern[str]


@cache
def _readers() -> _Readers:
    entries = table("origins")["boot_files"]
    name = "(?:" + "|".join(entries["names"]) + ")"
    verbs = "|".join(re.escape(command) for command in entries["commands"])
    command = rf"\s*(?:{verbs})\b[^|;&<>\n]{{0,300}}?(?:[\s/\\\"']){name}[\"']?\s*"
    return _Readers(re.compile(name, re.IGNORECASE), frozenset(entries["tools"]), re.compile(command, re.IGNORECASE))


def reads_boot_file(call: ToolCall) -> bool:
    """True when the call does nothing but show a boot file: a reading tool on its path, or `cat` and the like on it
    alone.
    """
    readers = _readers()
    if call.path:
        return call.name.lower() in readers.tools and bool(readers.name.fullmatch(re.split(r"[/\\]", call.path)[-1]))
    command = call.command
    return command is not None and len(command) < 400 and bool(readers.command.fullmatch(command))


@dataclass(slots=True)
class BootFileReads:
    """Remembers which calls of a session read a boot file, so that their results can be marked."""

    calls: set[str] = field(default_factory=set)

    def mark(self, message: Message) -> Message:
        """The message, as BOOT_FILE when it is the successful result of such a call."""
        for call in message.tool_calls:
            if call.id and reads_boot_file(call):
                self.calls.add(call.id)
        result = message.tool_result
        if result and message.origin is Origin.SAID and result.call_id in self.calls and not result.failed:
            return replace(message, origin=Origin.BOOT_FILE)
        return message
