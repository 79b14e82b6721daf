"""The sessions of one project in order of time, in turns, and what each turn names, uses and does. Asks no memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from benchmarks.compaction.gold import hear
from benchmarks.compaction.requests import LONG
from cfpm.context.history import Entry
from cfpm.errors import UsageError
from cfpm.extractor.evidence import Evidence
from cfpm.model import Role
from cfpm.transcript.reading import expand, read
from cfpm.transcript.records import NotATranscript, Problem
from cfpm.transcript.sessions import begins_turn, group_turns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from benchmarks.compaction.gold import Heard
    from benchmarks.compaction.names import Name
    from cfpm.extractor.evidence import Outcome
    from cfpm.model import Message

_UNDATED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message and all up to the next.

    `query` is what the user said, empty where a session begins without that. `named` is all that stands in the turn,
    `prompted` what stands before the agent begins, `used` what the user or the agent said or put into a call,
    without texts that are written, `by_agent` that of the agent. `outcomes` are the results of its calls.
    """

    session: str
    index: int
    messages: tuple[Message, ...]
    query: str
    named: frozenset[Name]
    prompted: frozenset[Name]
    used: frozenset[Name]
    by_agent: frozenset[Name]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """One session; `file` is the name of the transcript that it is from, `begins` the first time in it."""

    name: str
    file: str
    begins: datetime | None
    turns: tuple[Turn, ...]


def sessions(folder: Path) -> list[Session]:
    """The sessions of all transcripts in a folder, the undated first, then by their first time.

    A session that several files hold is taken from the one that has its name, else from the first. Raises UsageError
    for a folder without a transcript, InputError for a file that cannot be read.
    """
    held: dict[str, tuple[Path, list[Message]]] = {}
    for path in expand([folder]):
        try:
            by_session = _messages(path)
        except NotATranscript:
            continue
        for name, messages in by_session.items():
            if name not in held or path.stem == name:
                held[name] = path, messages
    if not held:
        raise UsageError(str(folder), "holds no transcript", "Name a folder of transcripts of one project")
    found = [
        Session(name, path.name, _begins(messages), tuple(turns(name, messages)))
        for name, (path, messages) in held.items()
    ]
    return sorted(found, key=lambda one: (one.begins or _UNDATED, one.file, one.name))


def _messages(path: Path) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for record in read(path):
        if not isinstance(record, Problem):
            found.setdefault(record.session, []).append(record.message)
    return found


def _begins(messages: Iterable[Message]) -> datetime | None:
    return min((message.created_at for message in messages if message.created_at), default=None)


def turns(session: str, messages: Iterable[Message]) -> Iterator[Turn]:
    """The turns of a session; messages without an id are named by their place."""
    evidence = Evidence()
    numbered = (replace(one, id=one.id or f"{session}-{place}") for place, one in enumerate(messages))
    for group in group_turns(numbered, session=session):
        yield _turn(session, group.index, group.messages, evidence)


def _turn(session: str, index: int, messages: tuple[Message, ...], evidence: Evidence) -> Turn:
    outcomes: list[Outcome] = []
    for message in messages:
        if message.role is Role.TOOL:
            outcomes.append(evidence.answered(message))
        else:
            evidence.asked(message)
    heard = [_heard(message) for message in messages]
    prompt = list(takewhile(lambda message: message.role is not Role.ASSISTANT, messages))
    by_agent = (one.used for message, one in zip(messages, heard, strict=True) if message.role is Role.ASSISTANT)
    return Turn(
        session,
        index,
        messages,
        messages[0].text if begins_turn(messages[0]) else "",
        frozenset().union(*(one.names for one in heard)),
        frozenset().union(*(one.names for one in heard[: len(prompt)])),
        frozenset().union(*(one.used for one in heard)),
        frozenset().union(*by_agent),
        tuple(outcomes),
    )


def _heard(message: Message) -> Heard:
    """What a message names and uses: of one that is longer than `LONG`, a report or a plan, it uses those in its
    calls."""
    heard = hear(Entry(0, {}, (message,), 0))
    if len(message.text) <= LONG:
        return heard
    return replace(heard, used=hear(Entry(0, {}, (replace(message, text=""),), 0)).used)
