"""What reading a transcript yields: a message with its session and place, or what was wrong with a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cfpm.errors import InputError
from cfpm.model import Message


class Unreadable(Exception):  # noqa: N818 (what is wrong with a value; whoever knows its place makes an error of it)
    """A value that is none of a host's: what is wrong with it and what to do, without the place where it stands."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def at(self, source: str, place: str) -> InputError:
        """The same as the error that a user sees."""
        return InputError(source, self.problem, self.remedy, place=place)


@dataclass(frozen=True, slots=True)
class Record:
    """A message as read. `place` says where in the file it stands (`line 12`, `message 3`)."""

    session: str
    message: Message
    place: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a file that could not be used, while reading went on behind it.

    With `unknown`, the kind of lines or parts that the reader does not know: `count` of them were left out, the first
    at `place`. A newer version of the host may write them; nothing is wrong with the file.
    """

    source: str
    place: str
    problem: str
    remedy: str
    unknown: str = ""
    count: int = 1

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
