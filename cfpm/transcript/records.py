"""What reading a transcript yields: a message with its session and place, or what was wrong with a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cfpm.errors import InputError
from cfpm.model import Message


@dataclass(frozen=True, slots=True)
class Record:
    """A message as read. `place` says where in the file it stands (`line 12`, `message 3`)."""

    session: str
    message: Message
    place: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a file that could not be used, while reading went on behind it."""

    source: str
    place: str
    problem: str
    remedy: str

    @classmethod
    def of(cls, error: InputError) -> Problem:
        """The same finding as an error, for readers that go on."""
        return cls(error.source, error.place, error.problem, error.remedy)


@dataclass(frozen=True, slots=True)
class Entry:
    """A message as a format's reader yields it, before its session has a name.

    `key` names the session inside the file. An `own` key is the host's session id and stands alone; any other key is
    prefixed with the file's stem; without a key the session is named by the stem and the file's first words.
    """

    message: Message
    place: str
    key: str = ""
    own: bool = False


Entries = Iterator[Entry | Problem]


class NotATranscript(InputError):  # noqa: N818 (a kind of input, not a failure: whoever walks a directory skips it)
    """The file holds no transcript of a known format: an error for a file that was named, a skip for one that was
    found.
    """
