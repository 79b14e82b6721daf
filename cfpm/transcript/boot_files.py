"""The files that hosts load for an agent: tool results that only return one (AGENTS.md, a README), and the file behind
a user's command, in which the request stands among the host's text. Judges no content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache

from cfpm.model import Message, Origin, ToolCall
from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_TASK = lazy_pattern(
    r"^[ \t]{0,3}#{1,6}[ \t]+(?:(?:your |the )?(?:task|goal|objective|request)\b|任务|目标)[^\n]{0,60}$",
    re.MULTILINE | re.IGNORECASE,
)
"""The heading that says what is to be done; above it stand the state of the repository and the like."""
_HEADING = lazy_pattern(r"^[ \t]{0,3}(?:#{1,6}[ \t]|---[ \t]*$)", re.MULTILINE)
_PARAGRAPH = lazy_pattern(
    r"\s*(?P<said>[^\s#<>`*+\-|!{\[\d][^\n]{3,400}(?:\n[^\s#<>`*+\-|!{\[\d][^\n]{0,400}){0,4})(?=\n|$)"
)
"""One to five lines of plain text; a list, a code block or a line of the host is no request."""
_ROLE = lazy_pattern(r"(?:you are|you're|you’re|act as|your role)\b", re.IGNORECASE)
"""Who the agent shall be is no task."""


@dataclass(frozen=True, slots=True)
class _Readers:
    name: re.Pattern[str]
    tools: frozenset[str]
    command: re.Pattern[str]


@cache
def _readers() -> _Readers:
    entries = toml_table("cfpm.transcript", "origins")["boot_files"]
    name = "(?:" + "|".join(entries["names"]) + ")"
    verbs = "|".join(re.escape(command) for command in entries["commands"])
    command = rf"\s*(?:{verbs})\b[^|;&<>\n]{{0,300}}?(?:[\s/\\\"']){name}[\"']?\s*"
    return _Readers(compiled(name, re.IGNORECASE), frozenset(entries["tools"]), compiled(command, re.IGNORECASE))


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


def split_request(message: Message) -> list[Message]:
    """The file of a command as its parts: what is asked is said by the user, what stands around it is a boot file.

    Asked is the first paragraph below a heading such as `## Your task`, or the opening one of a file without headings.
    A file that shows neither stays whole.
    """
    text = message.text
    found = _request(text)
    if found is None:
        return [replace(message, origin=Origin.BOOT_FILE)]
    start, end = found
    pieces = ((text[:start], Origin.BOOT_FILE), (text[start:end], Origin.SAID), (text[end:], Origin.BOOT_FILE))
    return [replace(message, text=part.strip("\n"), origin=origin) for part, origin in pieces if part.strip()]


def _request(text: str) -> tuple[int, int] | None:
    heading = _TASK.search(text)
    if heading is None and _HEADING.search(text):
        return None
    found = _PARAGRAPH.match(text, heading.end() if heading else 0)
    if found is None or _ROLE.match(found["said"]):
        return None
    return found.span("said")
