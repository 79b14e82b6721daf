"""What a compaction writes into the view, and reads again at the next one: checkpoints of a kind, continuations and
failure markers. Says nothing of what stands in a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cfpm.context.history import Group, Kind, Raw, text_of
from cfpm.model.markers import CHECKPOINT_CLOSE, CHECKPOINT_OPEN, CONTINUATION_PREFIX, FAILURE_PREFIX
from cfpm.model.patterns import lazy_pattern
from cfpm.recall.block import safe
from cfpm.recall.tokens import Count
from cfpm.secrets import redact
from cfpm.text import sentences

LABEL = "Background, not a request: go on with the work, and do not speak of this note."

CONTINUATION = f"{CONTINUATION_PREFIX}I go on from the checkpoint above."

MAX_LINE = 4_000
"""Characters of one line of a checkpoint. A summary's paragraph is one line; a longer line is a dump."""

_LONG = 400
"""Characters from which a line that is taken over is cut into sentences, so that a part of it can stay."""

_FIRST_LINE = lazy_pattern(
    rf"{re.escape(CHECKPOINT_OPEN)} (?P<kind>[a-z]+): stands for (?P<messages>\d+) earlier messages\."
)
_INDENT = 8


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint: its kind (empty for one of another form), how many messages it stands for, its lines."""

    kind: str
    messages: int
    lines: tuple[str, ...]


def checkpoint(kind: str, messages: int, lines: Iterable[str]) -> Raw:
    """The message that stands for compacted messages. Secrets are redacted, and no line can end the block."""
    body = (defused(line) for line in redact("\n".join(lines)).text.split("\n"))
    first = f"{CHECKPOINT_OPEN} {kind}: stands for {messages} earlier messages. {LABEL}"
    return {"role": "user", "content": "\n".join([first, *filter(None, body), CHECKPOINT_CLOSE])}


def continuation(last: Sequence[Group]) -> tuple[Raw, ...]:
    """The agent's own word between a checkpoint and a user's message, so that roles alternate; else nothing."""
    return ({"role": "assistant", "content": CONTINUATION},) if last and last[0].opens else ()


def failure_marker(middle: Sequence[Group], reason: str) -> Raw:
    """The message that stands where a summary could not be made: of which messages, why, and what to rely on.

    The reason is on one line, without secrets.
    """
    places = [entry.position + 1 for group in middle if group.kind is not Kind.NOTE for entry in group.entries]
    which = f"of messages {places[0]} to {places[-1]} " if places else ""
    text = (
        f"{FAILURE_PREFIX}The summary {which}could not be made ({reason}). "
        "What is known of them without it stands in the checkpoint; the messages themselves are in the log. "
        "Trust the files and what commands show now over memory: look again before you rely on what was done then."
    )
    return {"role": "user", "content": text}


def cut(text: str, limit: int) -> str:
    """The text on one line of at most so many characters. Redacted before it is cut, since half a secret looks like
    none; what is not cut is redacted with the note in which it stands."""
    return safe(redact(text).text if len(text) > limit else text, limit)


def notes_in(groups: Iterable[Group]) -> list[Note]:
    """The checkpoints among the groups, oldest first; continuations and failure markers have nothing to hand on."""
    found = (_read(group.entries[0].raw) for group in groups if group.kind is Kind.NOTE)
    return [note for note in found if note is not None]


def taken_over(note: Note) -> list[str]:
    """What a checkpoint of another form says, in lines that can stay or leave on their own."""
    lines = [line.strip() for line in note.lines]
    return [part for line in lines for part in ([s.text for s in sentences(line)] if len(line) > _LONG else [line])]


def stands_for(groups: Iterable[Group], notes: Iterable[Note]) -> int:
    """How many messages these groups are, with those for which prior checkpoints stood."""
    return sum(len(g.entries) for g in groups if g.kind is not Kind.NOTE) + sum(note.messages for note in notes)


def kind_of(group: Group) -> str | None:
    """The kind of a checkpoint, empty for one of another form; None for what is no checkpoint."""
    note = _read(group.entries[0].raw) if group.kind is Kind.NOTE else None
    return note.kind if note else None


def within(lines: Sequence[str], room: int, count: Count) -> list[str]:
    """The first lines that fit so many tokens together."""
    kept = []
    for line in lines:
        room -= count(f"{line}\n")
        if room < 0:
            break
        kept.append(line)
    return kept


def is_empty(note: Raw) -> bool:
    """Whether a checkpoint says no more than how many messages it stands for."""
    found = _read(note)
    return found is not None and not found.lines


def defused(line: str) -> str:
    """The line without control characters, unable to end the block or to open another; its indent is kept."""
    bare = line.lstrip()
    return " " * min(len(line) - len(bare), _INDENT) + said if (said := safe(bare, MAX_LINE)) else ""


def _read(raw: Raw) -> Note | None:
    text = text_of(raw)
    if not text.startswith(CHECKPOINT_OPEN):
        return None
    lines = text.split(CHECKPOINT_CLOSE, 1)[0].rstrip().split("\n")
    if first := _FIRST_LINE.match(lines[0]):
        return Note(first["kind"], int(first["messages"]), tuple(lines[1:]))
    return Note("", 0, tuple(lines[1:]))
