"""SpecStory's Markdown histories, versions 1 and 2, as messages. Which header is a real one: specstory_headers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from cfpm.model import Message, Origin, Role, ToolCall
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.blocks import tool_output
from cfpm.transcript.boot_files import split_request
from cfpm.transcript.fields import loose_moment
from cfpm.transcript.formats.format import SIDECHAIN, Format, Line
from cfpm.transcript.formats.specstory_headers import SEPARATOR, Header, Timeline, read_header
from cfpm.transcript.formats.specstory_tools import CLOSINGS, read_tool
from cfpm.transcript.records import Entries, Entry

_SIGNATURE = lazy_pattern(r"<!-- .{0,60}SpecStory|## SpecStory\s*$")
_SESSION = lazy_pattern(r"<!-- .{1,60}? Session ([\w.-]{4,80}) (?:\([^)]{1,40}\) )?-->")
_COMMENT_OR_TITLE = lazy_pattern(r"<!-- .*-->\s*|#{1,2} .*|\s*")
_BARE = "bare"
_OPENINGS = {_BARE: "<details>", "tool": "<tool-use data-tool-type=", "think": "<think>", "details": "<details>"}
_TITLE = lazy_pattern(r"#{1,2} .{0,300}\((\d{4}-\d\d-\d\d [\d:]{5,8}Z?)\)\s*")
_THINK_TAGS = lazy_pattern(r"^<think>(?:<details>)?(?:<summary>[^<\n]*</summary>)?|(?:</details>)?</think>\s*$")
_SAID = "said"
_STRUCTURAL = frozenset("_<`~T")
"""First characters of lines that may be a header, a tag, a fence or a bare call: all other lines are only kept."""
_THINK_EDGE = lazy_pattern(r"<think>|(?<!`)(?:</details>)?</think>")
_BARE_CALL = lazy_pattern(r"Tool use: \*\*[^*\n]{1,80}\*\*.{0,300}")
"""A call as early versions wrote it, without a tag: this line, then what it did to which file, or what it shows."""
_SHOWN = lazy_pattern(r"[A-Z][a-z]+(?: [a-z]+)?(?: file)?: \S.{0,400}|\s*")


@dataclass(slots=True)
class _Segment:
    """A stretch of a message: what was said, a thinking block or a tool block; `line` is where it begins."""

    kind: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return not any(line.strip() for line in self.lines)


class _Reader:
    """Reads line by line, holding one message at a time; what stands before the first header is the host's."""

    def __init__(self) -> None:
        self.header = Header(Role.SYSTEM)
        self.segments = [_Segment(_SAID, 1)]
        self.timeline = Timeline()
        self.lines: Iterator[Line] = iter(())
        self.ahead: deque[Line] = deque()
        self.session = ""
        self.command_at: datetime | None = None
        self.depth = 0
        self.fence = ""
        self.tools = 0
        self.started: datetime | None = None
        """When the session began, by its title: early versions give their messages no times."""

    def read(self, lines: Iterator[Line]) -> Entries:
        self.lines = lines
        keep = self.segments[-1].lines.append
        for number, line in self._replayed():
            first = line[:1]
            if self.segments[-1].kind == _BARE and not self.depth and not self._belongs_to_call(line):
                self.segments.append(_Segment(_SAID, number))
                keep = self.segments[-1].lines.append
            if first not in _STRUCTURAL:
                keep(line)
                continue
            if first == "_" and (header := self._header(line)):
                yield from self._messages()
                self._begin(header, number)
            else:
                ends = self._structure(first, line, number)
                self.segments[-1].lines.append(line)
                if ends:
                    self.segments.append(_Segment(_SAID, number + 1))
            keep = self.segments[-1].lines.append
        yield from self._messages()

    def _replayed(self) -> Iterator[Line]:
        for line in self.lines:
            yield from self._pieces(*line)
            while self.ahead:
                yield from self._pieces(*self.ahead.popleft())

    def _pieces(self, number: int, line: str) -> Iterator[Line]:
        """The line, or its pieces as lines of their own where a thought ends inside it."""
        within = bool(self.depth) and self.segments[-1].kind == "think"
        opens = "" if within or self.depth or not line.startswith(_OPENINGS["think"]) else _OPENINGS["think"]
        cut = _inside_line(line.removeprefix(opens)) if within or opens else None
        if cut is None:
            yield number, line
            return
        begin, end = (len(opens) + at for at in cut)
        pieces = (line[:end],) if opens else (line[:begin], line[begin:end])
        yield from ((number, piece) for piece in pieces if piece.strip())
        if line[end:].strip():
            yield from self._pieces(number, line[end:].lstrip())

    def _belongs_to_call(self, line: str) -> bool:
        """True for what stands behind a bare call: the file it names, and a block with what it shows."""
        if line.startswith("<details>"):
            return True
        named = sum(bool(known.strip()) for known in self.segments[-1].lines) > 1
        return not line.strip() or (not named and _SHOWN.fullmatch(line) is not None)

    def _next_line(self) -> str:
        if not self.ahead:
            next(self._fetched(), None)
        return self.ahead[0][1] if self.ahead else ""

    def _begin(self, header: Header, number: int) -> None:
        empty = all(segment.is_blank for segment in self.segments)
        self.timeline.begin(header, behind_empty=empty)
        self.header, self.segments = header, [_Segment(_SAID, number)]
        self.depth, self.fence = 0, ""

    def _header(self, line: str) -> Header | None:
        """The header that begins a message here, or None for any other line and for a quoted one."""
        before = self.segments[-1].lines
        if (before and before[-1].strip()) or (header := read_header(line)) is None:
            return None
        if self.depth:
            kind = self.segments[-1].kind
            closed = self._last_line() in CLOSINGS[kind]
            # Outputs quote histories; a thought that was never closed ends where the other side speaks.
            left = kind == "think" and header.at is None and self._last_line(and_separator=True) == SEPARATOR
            return header if self.timeline.ends_block(header, closed=closed or left) else None
        behind_tool = len(self.segments) > 1 and self.segments[-1].is_blank and self.segments[-2].kind == "tool"
        if behind_tool and self.timeline.is_suspicious(header) and self._closes_more_than_it_opens():
            # The block had not ended: its output quotes the end of another one.
            self.segments[-2].lines += self.segments.pop().lines
            self.depth = 1
            return None
        separated = self._last_line(and_separator=True) == SEPARATOR
        return header if self.timeline.is_real(header, self.header, separated=separated) else None

    def _closes_more_than_it_opens(self) -> bool:
        """Looks ahead to the next header of this time: a surplus closing tag ends the block that seems ended here."""
        opened, blank_before = 0, True
        for _, line in chain(tuple(self.ahead), self._fetched()):
            if line.startswith(_OPENINGS["tool"]):
                opened += 1
            elif line.rstrip() in CLOSINGS["tool"]:
                opened -= 1
            elif blank_before and (header := read_header(line)) and not self.timeline.is_past(header):
                break
            blank_before = not line.strip()
        return opened < 0

    def _fetched(self) -> Iterator[Line]:
        for line in self.lines:
            self.ahead.append(line)
            yield line

    def _last_line(self, *, and_separator: bool = False) -> str:
        """The last line of the segment that is not blank, and no separator unless that is asked for."""
        skipped = ("",) if and_separator else ("", SEPARATOR)
        return next((found for line in reversed(self.segments[-1].lines) if (found := line.strip()) not in skipped), "")

    def _structure(self, first: str, line: str, number: int) -> bool:
        """Follows tags and fences; True when the line ends a block."""
        if first == "<":
            return self._tag(line, number)
        if self.depth or first == "_":
            return False
        if first != "T":
            self._toggle_fence(line)
        elif not self.fence and self.header.role is Role.ASSISTANT and _BARE_CALL.fullmatch(line):
            self.segments.append(_Segment(_BARE, number))
        return False

    def _tag(self, line: str, number: int) -> bool:
        if self.depth:
            kind = self.segments[-1].kind
            if line.startswith(_OPENINGS[kind]):
                self.depth += 1
            elif line.rstrip() in CLOSINGS[kind]:
                self.depth -= 1
            return not self.depth
        if self.header.role is Role.SYSTEM:
            if not self.session and (found := _SESSION.match(line)):
                self.session = found[1]
        elif self.header.role is Role.ASSISTANT and not self.fence and (kind := self._opening(line)):
            if kind != _BARE:
                self.segments.append(_Segment(kind, number))
            self.depth = 0 if line.rstrip().endswith(CLOSINGS[kind]) else 1
            return not self.depth
        return False

    def _opening(self, line: str) -> str:
        """The kind of block that a line opens; a fold may stand by itself, or behind a bare call."""
        if self.segments[-1].kind == _BARE and line.startswith("<details>"):
            return _BARE
        if line.strip() == "<details>":
            return "details" if self._next_line().lstrip().startswith("<summary>") else ""
        for kind, opening in _OPENINGS.items():
            if kind != _BARE and line.startswith(opening) and (kind != "details" or "Tool use: **" in line):
                return kind
        return ""

    def _toggle_fence(self, line: str) -> None:
        mark = line[: len(line) - len(line.lstrip(line[0]))]
        if len(mark) < 3:
            return
        if not self.fence:
            self.fence = mark
        elif mark.startswith(self.fence) and line.strip() == mark:
            self.fence = ""

    def _messages(self) -> Entries:
        _drop_separator(self.segments[-1].lines)
        for segment in self.segments:
            match segment.kind:
                case "said":
                    messages = self._said(segment)
                case "think":
                    text = _THINK_TAGS.sub("", "\n".join(_trimmed(segment.lines))).strip("\n")
                    messages = [self._written(text, Origin.THINKING)] if text.strip() else []
                case _:
                    messages = self._called(segment.lines)
            for message in messages:
                yield Entry(message, f"line {segment.line}", self.session, own=bool(self.session))

    def _said(self, segment: _Segment) -> list[Message]:
        kept = _trimmed(segment.lines)
        if self.header.role is Role.SYSTEM:
            titles = (_TITLE.fullmatch(line) for line in kept)
            self.started = next((loose_moment(found[1]) for found in titles if found), None)
            kept = _trimmed([line for line in kept if not _COMMENT_OR_TITLE.fullmatch(line)])
        if not kept:
            return []
        message = self._written("\n".join(kept), self._origin(kept[0]))
        return split_request(message) if message.origin is Origin.BOOT_FILE else [message]

    def _origin(self, first: str) -> Origin:
        """A command's file comes as the user's next message of the same moment, behind the command's echo."""
        header = self.header
        if header.role is Role.SYSTEM or header.is_prompt:
            return Origin.HOST_NOTICE
        if header.role is not Role.USER or header.at is None:
            return Origin.SAID
        if first.startswith("<command-"):
            self.command_at = header.at
        elif self.command_at == header.at and not first.startswith(("<", "[")):
            return Origin.BOOT_FILE
        return Origin.SAID

    def _called(self, lines: list[str]) -> list[Message]:
        block = read_tool(lines)
        self.tools += 1
        call = ToolCall(f"tool-{self.tools}", block.name, block.arguments)
        asked = self._written("", Origin.SAID, calls=(call,))
        if block.output is None and call.command is None:
            return [asked]
        return [asked, tool_output(block.output or "", call.id, at=self.header.at, name=block.name)]

    def _written(self, text: str, origin: Origin, *, calls: tuple[ToolCall, ...] = ()) -> Message:
        name = SIDECHAIN if self.header.sidechain else ""
        at = self.header.at or self.timeline.now or self.started
        return Message(self.header.role, text, created_at=at, name=name, origin=origin, tool_calls=calls)


def _inside_line(line: str) -> tuple[int, int] | None:
    """Where a thought ends inside a line, if it does; not where the line holds nothing else, or a whole thought."""
    if "</think>" not in line or line.rstrip() in CLOSINGS["think"]:
        return None
    opened = 0
    for found in _THINK_EDGE.finditer(line):
        if found[0] == "<think>":
            opened += 1
        elif opened:
            opened -= 1
        else:
            return found.span()
    return None


def _trimmed(lines: list[str]) -> list[str]:
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]


def _drop_separator(lines: list[str]) -> None:
    """Takes the line between two messages off the end of the first."""
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[-1] == SEPARATOR:
        lines.pop()


def _fits_head(head: list[str]) -> bool:
    """True for a file with its comment, or with headers of both sides."""
    if any(_SIGNATURE.match(line) for line in head[:5]):
        return True
    return {header.role for line in head if (header := read_header(line))} == {Role.USER, Role.ASSISTANT}


FORMAT = Format(
    name="specstory",
    about="SpecStory's Markdown histories",
    fits_head=_fits_head,
    lines=lambda lines, _: _Reader().read(lines),
)
