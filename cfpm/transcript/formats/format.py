"""What a format is made of, and the walk over a list of message dicts that several formats share.

Holds no format's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from cfpm.errors import InputError
from cfpm.model import Message, Role
from cfpm.transcript.blocks import plain_text
from cfpm.transcript.fields import clean
from cfpm.transcript.messages import read_message
from cfpm.transcript.records import Entries, Entry, Problem
from cfpm.transcript.sessions import fingerprint

Row = tuple[int, object]
"""Line number and parsed value of a line of JSON Lines."""

Line = tuple[int, str]
"""Line number and text of a line without its end."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way in which hosts write transcripts: what it looks like, and how to read it as a JSON document, rows or
    lines.

    The readers get the file's name for errors. A part that is None does not exist in this format.
    """

    name: str
    about: str
    fits_document: Callable[[object], bool] = lambda _: False
    document: Callable[[object, str], Entries] | None = None
    fits_row: Callable[[Mapping[str, object]], bool] = lambda _: False
    rows: Callable[[Iterator[Row], str], Entries] | None = None
    fits_head: Callable[[list[str]], bool] = lambda _: False
    lines: Callable[[Iterator[Line], str], Entries] | None = None


def read_items(items: Iterable[object], source: str, *, key: str = "", within: str = "") -> Entries:
    """Entries of a list of message dicts; one that cannot be read becomes a Problem, and the next is read."""
    for number, item in enumerate(items, start=1):
        yield from read_item(item, source, f"{within}message {number}", key)


def read_item(item: object, source: str, place: str, key: str = "") -> Entries:
    """Entries of one message dict, or the Problem with it."""
    if not isinstance(item, Mapping):
        yield not_an_object(item, source, place)
        return
    try:
        messages = read_message(item, source=source, place=place)
    except InputError as error:
        yield Problem.of(error)
        return
    yield from (Entry(message, place, key) for message in messages)


def read_conversation(value: Mapping[str, object], source: str, *, within: str = "") -> Entries:
    """Entries of an object with `messages`, and with `system` as Anthropic writes it."""
    if system := value.get("system"):
        place = f"{within}system"
        try:
            text = plain_text(system, source=source, place=place)
        except InputError as error:
            yield Problem.of(error)
        else:
            yield Entry(Message(Role.SYSTEM, text), place)
    messages = value.get("messages")
    if isinstance(messages, list):
        yield from read_items(messages, source, within=within)
    else:
        yield Problem(source, within.rstrip(", "), "messages that are no list", "Pass a list of message objects")


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
