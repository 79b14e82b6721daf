"""Which header lines of a SpecStory file begin a message, and which are only quoted. Reads no messages.

A history of work on histories quotes headers in messages and in outputs. What tells the real ones: `---` stands between
user and agent and nowhere else, and what is quoted is older than the message that quotes it. Age alone proves nothing:
a resumed session may go on with its older branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from cfpm.model import Role
from cfpm.model.patterns import lazy_pattern
from cfpm.transcript.fields import loose_moment

SEPARATOR = "---"

_HEADER = lazy_pattern(r"_\*\*(User|Agent|Assistant|)( - sidechain)?(?: \(([^()\n]{0,200})\))?\*\*_\s*")
_TIME = lazy_pattern(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z?$")

_SLACK = timedelta(minutes=1)
"""Real messages were read up to 4 seconds out of their order."""
_OLD = timedelta(hours=1)
"""An agent's header this much older than the one before it, right behind a tool block, may be part of its output."""
_SOON = timedelta(days=1)
"""Inside a block that nobody closed, a header is real when it follows within this time."""


@dataclass(frozen=True, slots=True)
class Header:
    """Who wrote what follows, and when. `is_prompt`: what the main agent asked of the agent that it started."""

    role: Role
    at: datetime | None = None
    sidechain: bool = False
    is_prompt: bool = False


def read_header(line: str) -> Header | None:
    """The header that a line is, or None."""
    found = _HEADER.fullmatch(line)
    if not found:
        return None
    described = found[3] or ""
    time = _TIME.search(described)
    role = Role.USER if found[1] == "User" else Role.ASSISTANT
    sidechain = bool(found[2])
    # A sidechain's header without a model is no answer of it.
    is_prompt = sidechain and time is not None and time.start() == 0
    return Header(role, loose_moment(time[0]) if time else None, sidechain, is_prompt)


@dataclass(slots=True)
class Timeline:
    """The time of the main conversation while a file is read, and what follows from it for the next header."""

    now: datetime | None = None
    before: datetime | None = None
    quoting: bool = False

    def begin(self, header: Header, *, behind_empty: bool) -> None:
        """A message begins.

        An empty one before it does not count: its time may be that of another branch of the session.
        """
        if behind_empty:
            self.now = self.before
        self.before = self.now
        if header.at is not None and not header.sidechain:
            self.now = header.at
        self.quoting = False

    def is_past(self, header: Header, *, by: timedelta = _SLACK) -> bool:
        """True for a header that is older than the conversation."""
        return header.at is not None and self.now is not None and header.at < self.now - by

    def is_suspicious(self, header: Header) -> bool:
        """True for a header so old that, behind a tool block, it may be part of that block's output."""
        return not header.sidechain and self.is_past(header, by=_OLD)

    def is_real(self, header: Header, current: Header, *, separated: bool) -> bool:
        """True for a header outside of blocks that begins a message.

        A past one needs the separator where the role changes.
        """
        if not self.is_past(header):
            return True
        self.quoting = self.quoting or (header.role is not current.role and not separated)
        return not self.quoting

    def ends_block(self, header: Header, *, closed: bool) -> bool:
        """True for a header inside a block whose end was missed: right behind a closing tag, or in a block never
        closed.
        """
        if header.at is None or self.now is None:
            return closed
        return (closed and header.at >= self.now) or self.now < header.at <= self.now + _SOON
