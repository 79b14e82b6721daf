"""What a format is made of, and the walk over a list of message dicts that several formats share.

Holds no format's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from cfpm.model import Message, Origin, Role
from cfpm.model.tables import toml_table
from cfpm.transcript.blocks import plain_text
from cfpm.transcript.fields import clean, short_label
from cfpm.transcript.messages import read_message
from cfpm.transcript.records import Entries, Entry, Problem, Unreadable
from cfpm.transcript.sessions import fingerprint

Row = tuple[int, object]
"""Line number and parsed value of a line of JSON Lines."""

Line = tuple[int, str]
"""Line number and text of a line without its end."""

SIDECHAIN = "sidechain"
"""The name on messages of an agent that the main agent started. Its prompt is the main agent's, not the user's."""

Progress = Callable[[int], None]
"""Gets the bytes of the file read so far."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which hosts write transcripts: what it looks like, and how to read it as a JSON document, rows, lines
    or a database.

    The readers get the file's name for errors. A part that is None does not exist in this format. `database` gets the
    path, its name and the progress callback; whether the file is one of its own it finds out by itself, and raises
    NotATranscript else.
    """

    name: str
    about: str
    fits_document: Callable[[object], bool] = lambda _: False
    document: Callable[[object, str], Entries] | None = None
    fits_row: Callable[[Mapping[str, object]], bool] = lambda _: False
    rows: Callable[[Iterator[Row], str], Entries] | None = None
    fits_head: Callable[[list[str]], bool] = lambda _: False
    lines: Callable[[Iterator[Line], str], Entries] | None = None
    database: Callable[[Path, str, Progress | None], Entries] | None = None


def kinds(format_name: str) -> dict[str, Any]:
    """What kinds.toml says of a format: the kinds of its lines that are bookkeeping, and names that it maps."""
    found: dict[str, Any] = toml_table("cfpm.transcript", "formats/kinds")[format_name]
    return found


@dataclass(slots=True)
class UnknownKinds:
    """The kinds of lines or parts that a reader does not know: left out, and each told once with its count."""

    source: str
    found: dict[str, tuple[str, int]] = field(default_factory=dict)

    def add(self, kind: object, place: str) -> None:
        """One more of a kind, which is anything that stands where the kind should."""
        name = short_label(clean(kind)) if isinstance(kind, str) and kind else "without a name"
        first, count = self.found.get(name, (place, 0))
        self.found[name] = first, count + 1

    def problems(self) -> Iterator[Problem]:
        """Each kind as a problem, in the order in which they came."""
        for kind, (place, count) in self.found.items():
            told = f"{count} of an unknown kind, {kind!r}, left out"
            remedy = "Update cfpm; if words are missing, convert the file"
            yield Problem(self.source, place, told, remedy, unknown=kind, count=count)


@dataclass(slots=True)
class Reader:
    """What a reader holds that may meet kinds that it does not know; `source` is the file's name for errors."""

    source: str
    unknown: UnknownKinds = field(init=False)

    def __post_init__(self) -> None:
        self.unknown = UnknownKinds(self.source)


@dataclass(slots=True)
class RowReader(Reader):
    """Reads JSON Lines row by row; `session` is the host's id, once a row has told it."""

    session: str = ""

    def read(self, rows: Iterator[Row]) -> Entries:
        """The entries of a file, then the kinds that are not known."""
        for number, row in rows:
            place = f"line {number}"
            read = partial(self.messages, place)
            yield from entries_of(row, self.source, place, read, self.session, own=bool(self.session))
        yield from self.unknown.problems()

    def messages(self, place: str, row: Mapping[str, object], /) -> Iterable[Message]:
        """The messages of a row. Raises Unreadable."""
        raise NotImplementedError


def of_sidechain(message: Message) -> Message:
    """A message of an agent that another agent started: what it was asked are that agent's words, not the user's."""
    if message.role is not Role.USER:
        return replace(message, name=SIDECHAIN)
    origin = Origin.HOST_NOTICE if message.origin is Origin.SAID else message.origin
    return replace(message, role=Role.ASSISTANT, origin=origin, name=SIDECHAIN)


def said_in_tag(message: Message, tag: str, start: int) -> list[Message]:
    """The parts of a text that a host wrote, where the user's words stand in the element that opens at `start`.

    It closes with its last closing tag: what the user typed may hold one as well.
    """
    text = message.text
    begin, end = text.find(">", start) + 1, text.rfind(f"</{tag}>")
    end = end if end >= begin else len(text)
    pieces = ((text[:start], Origin.HOST_NOTICE), (text[begin:end], Origin.SAID))
    rest = text[end:].removeprefix(f"</{tag}>")
    return [
        replace(message, text=part.strip("\n"), origin=origin)
        for part, origin in (*pieces, (rest, Origin.HOST_NOTICE))
        if part.strip()
    ]


def entries_of(
    item: object,
    source: str,
    place: str,
    read: Callable[[Mapping[str, object]], Iterable[Message]],
    key: str = "",
    *,
    own: bool = False,
) -> Entries:
    """Entries of one object with the messages that `read` finds in it, or the Problem with it."""
    if not isinstance(item, Mapping):
        yield not_an_object(item, source, place)
        return
    try:
        messages = list(read(item))
    except Unreadable as error:
        yield Problem.of(error.at(source, place))
        return
    yield from (Entry(message, place, key, own) for message in messages)


def read_items(items: Iterable[object], source: str, *, key: str = "", within: str = "") -> Entries:
    """Entries of a list of message dicts; one that cannot be read becomes a Problem, and the next is read."""
    for number, item in enumerate(items, start=1):
        yield from entries_of(item, source, f"{within}message {number}", read_message, key)


def read_conversation(value: Mapping[str, object], source: str, *, within: str = "") -> Entries:
    """Entries of an object with `messages`, and with `system` as Anthropic writes it."""
    if value.get("system"):
        yield from entries_of(value, source, f"{within}system", _system_prompt)
    messages = value.get("messages")
    if isinstance(messages, list):
        yield from read_items(messages, source, within=within)
    else:
        yield Problem(source, within.rstrip(", "), "messages that are no list", "Pass a list of message objects")


def _system_prompt(value: Mapping[str, object]) -> list[Message]:
    return [Message(Role.SYSTEM, plain_text(value["system"]))]


def keyed(entries: Iterable[Entry | Problem], number: int) -> Entries:
    """The entries of one conversation among several in a file, named by what they say and by their position."""
    kept = list(entries)
    key = f"{fingerprint(item.message for item in kept if isinstance(item, Entry))}-{number}"
    for item in kept:
        yield Entry(item.message, item.place, key) if isinstance(item, Entry) else item


def not_an_object(value: object, source: str, place: str) -> Problem:
    """The problem with a line or item that is no JSON object."""
    shown = clean(repr(value)[:40])
    return Problem(source, place, f"{shown} is no message", "Write one JSON object for each message, or remove it")


def is_list_of(value: object, fits: Callable[[Mapping[str, object]], bool], *, looked_at: int = 50) -> bool:
    """True for a list of objects in whose first items one fits."""
    if not isinstance(value, list) or not value:
        return False
    return any(isinstance(item, Mapping) and fits(item) for item in value[:looked_at])


def one_or_list_of(fits: Callable[[Mapping[str, object]], bool]) -> Callable[[object], bool]:
    """Whether a document is an object that fits, or a list of such."""
    return lambda value: fits(value) if isinstance(value, Mapping) else is_list_of(value, fits)


def numbered(value: object) -> Iterator[Row]:
    """The items of a document that is a list, else the document itself, counted from 1."""
    return iter(enumerate(value if isinstance(value, list) else [value], start=1))
