"""The names of sessions: the host's own where there is one, else derived from what was said, never from a machine or a
folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from cfpm.model import Message, Role
from cfpm.transcript.records import Entries, Entry, Problem

_WAIT = 200
"""Entries kept back while looking for the first user message; after these the first message alone names the session."""


def fingerprint(messages: Iterable[Message]) -> str:
    """8 hex digits from the first message and the first user message: a session that grows keeps its name."""
    first: Message | None = None
    asked: Message | None = None
    for message in messages:
        first = first or message
        if message.role is Role.USER:
            asked = message
            break
    texts = [f"{message.role}\n{message.text}" for message in (first, asked) if message]
    return hashlib.sha256("\0".join(texts).encode(errors="replace")).hexdigest()[:8]


def name_sessions(entries: Entries, *, stem: str, session: str | None) -> Iterator[tuple[str, Entry] | Problem]:
    """Each entry with the id of its session; problems pass through in their place.

    `session`, when given, is the name of the file's session, and the prefix of the sessions inside the file.
    """
    unnamed: str | None = session
    held: list[Entry | Problem] = []
    for entry in entries:
        if isinstance(entry, Problem) or entry.key or unnamed:
            if held:
                held.append(entry)
            else:
                yield _named(entry, stem, session, unnamed)
            continue
        held.append(entry)
        if entry.message.role is Role.USER or len(held) >= _WAIT:
            unnamed = _derived(stem, held)
            yield from (_named(item, stem, session, unnamed) for item in held)
            held = []
    unnamed = unnamed or _derived(stem, held)
    yield from (_named(item, stem, session, unnamed) for item in held)


def _derived(stem: str, held: list[Entry | Problem]) -> str:
    return f"{stem}-{fingerprint(item.message for item in held if isinstance(item, Entry) and not item.key)}"


def _named(entry: Entry | Problem, stem: str, session: str | None, unnamed: str | None) -> tuple[str, Entry] | Problem:
    if isinstance(entry, Problem):
        return entry
    if not entry.key:
        return unnamed or stem, entry
    if entry.own:
        return session or entry.key, entry
    return f"{session or stem}-{entry.key}", entry
