"""aider's chat histories: Markdown in which `####` lines are the user's and quoted lines are aider's own; a session for
each start of the program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from cfpm.model import Message, Origin, Role
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import tool_output
from cfpm.transcript.fields import loose_moment
from cfpm.transcript.formats.format import Format, Line, kinds
from cfpm.transcript.records import Entries, Entry

_START = "# aider chat started at "
_BREAK = "  "
"""aider ends each line of its own and of the user's with a line break of Markdown; the model's lines have none."""
_BLANK = "<blank>"
_COMMAND = lazy_pattern(r"/(?P<name>[a-z-]{2,30})(?:\s+(?P<said>[\s\S]*))?\Z")


@dataclass(slots=True)
class _Reader:
    """Reads line by line, holding the lines of one speaker at a time."""

    key: str = ""
    at: datetime | None = None
    marked: bool = False
    """Whether the file still has its line breaks; editors may have cut them."""
    speaker: str = ""
    start: int = 0
    held: list[str] = field(default_factory=list)
    starts: Counter[str] = field(default_factory=Counter)

    def read(self, lines: Iterator[Line]) -> Entries:
        for number, line in lines:
            if line.startswith(_START):
                yield from self._flush("", number)
                self._begin(line.removeprefix(_START).strip())
                continue
            speaker, text = self._spoken(line)
            if speaker != self.speaker and (text.strip() or speaker != "model"):
                yield from self._flush(speaker, number)
            self.held.append(text)
        yield from self._flush("", 0)

    def _begin(self, moment: str) -> None:
        self.at = loose_moment(moment)
        name = re.sub(r"[^0-9A-Za-z]+", "-", moment).strip("-")[:40] or "run"
        self.starts[name] += 1
        self.key = name if self.starts[name] == 1 else f"{name}-{self.starts[name]}"

    def _spoken(self, line: str) -> tuple[str, str]:
        """Who wrote a line, and its text. A blank line ends what the user typed, and belongs to any other speaker."""
        if not line.strip():
            return "" if self.speaker == "user" else self.speaker, ""
        broken = line.endswith(_BREAK)
        if line.startswith(">") and broken:
            self.marked = True
        if broken or not self.marked:
            if line.startswith("#### ") or line.rstrip() == "####":
                return "user", line[5:].rstrip()
            if line.startswith("> ") or line.rstrip() == ">":
                return "aider", line[2:].rstrip()
        return "model", line

    def _flush(self, speaker: str, number: int) -> Entries:
        text = "\n".join(self.held).strip("\n ")
        if text and text != _BLANK and self.speaker:
            yield Entry(self._message(text), f"line {self.start}", self.key)
        self.held, self.speaker, self.start = [], speaker, number

    def _message(self, text: str) -> Message:
        if self.speaker == "aider":
            return tool_output(text, at=self.at, name="aider")
        if self.speaker == "model":
            return Message(Role.ASSISTANT, text, created_at=self.at)
        command = _COMMAND.match(text)
        if command is None:
            return Message(Role.USER, text, created_at=self.at)
        speech = command["said"] if command["name"] in kinds("aider")["speech"] else ""
        if speech:
            return Message(Role.USER, speech, created_at=self.at)
        return Message(Role.USER, text, created_at=self.at, origin=Origin.HOST_NOTICE)


FORMAT = Format(
    name="aider",
    about="aider's chat histories (Markdown)",
    fits_head=lambda head: any(line.startswith(_START) for line in head),
    lines=lambda lines, _: _Reader().read(lines),
)
