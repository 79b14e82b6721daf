"""The notes that stand where something was cut or left out, and the cutting of a long text. Knows no messages."""

from __future__ import annotations

import re

from cfpm.model.markers import TRIMMED_OPEN
from cfpm.model.patterns import lazy_pattern

TRIMMED_CLOSE = "; not the real value, do not reuse]"
"""Ends every note: a model that finds one among old arguments must not write it into a file."""

MAX_NOTE = 4_000
"""Characters of a note at most, stubs of stored results included. A longer text that begins like one is a tool's
output, and is trimmed as such."""

_MAX_NOTE_HEAD = 1_000
"""Characters within which a note says that it is none of the real text."""

_CUT = lazy_pattern(
    rf"\n?{re.escape(TRIMMED_OPEN)}([\d,]{{1,20}}) characters removed[^;\n]{{0,80}}{re.escape(TRIMMED_CLOSE)}\n?"
)

_STUB = ("Artifact: ", "Tool: ", "To read it: ")
"""How the lines begin that stand behind the note of a stored result."""

_LINE_END_WITHIN = 5
"""A cut is moved to the end of a line when one is within this part of what is kept."""


def note(what: str, *, exit_code: int | None = None) -> str:
    """A note that says what stood in its place. The exit code of a command stays readable for later compactions."""
    return with_exit_code(f"{TRIMMED_OPEN}{what}{TRIMMED_CLOSE}", exit_code)


def with_exit_code(text: str, code: int | None) -> str:
    """The text with an exit code at its end, where one is known."""
    return text if code is None else f"{text}\nExit code: {code}"


def sized(characters: int) -> str:
    """A number of characters in words: `12,345 characters`."""
    return f"{characters:,} characters"


def is_note(text: str) -> bool:
    """Whether a whole text is a note of ours, which no trim touches again."""
    return len(text) <= MAX_NOTE and text.startswith(TRIMMED_OPEN) and is_placeholder(text) and not _CUT.match(text)


def is_placeholder(text: str) -> bool:
    """Whether a text holds a note of ours anywhere, so that a host can refuse to write it into a file.

    Only the marker with its closing words counts: a text that merely speaks of trimmed results is none.
    """
    start = text.find(TRIMMED_OPEN)
    while start >= 0:
        if text.find(TRIMMED_CLOSE, start, start + _MAX_NOTE_HEAD) >= 0:
            return True
        start = text.find(TRIMMED_OPEN, start + 1)
    return False


def without_notes(text: str) -> str:
    """The text without the lines of notes of ours: what is left was said by others."""
    if TRIMMED_OPEN not in text:
        return text
    ours = (TRIMMED_OPEN, *_STUB) if text.startswith(TRIMMED_OPEN) else (TRIMMED_OPEN,)
    return "\n".join(line for line in text.split("\n") if not line.startswith(ours))


def cut(text: str, keep: int, *, why: str = "", head_only: bool = False) -> str:
    """The text with its head and its tail, together `keep` characters, and a note of how many were removed between.

    A text that was cut before is counted without its note, so that a second cut changes nothing and a shorter one
    leaves one note with the whole number. Returns the very text when cutting makes it no shorter, and for a note.
    """
    keep = max(keep, 0)
    if len(text) <= keep or is_note(text):
        return text
    head, tail, kept, removed = _parted(text)
    if kept <= keep:
        return text
    behind = 0 if head_only else keep // 2
    first = _to_line_end(head[: keep - behind])
    last = _from_line_start(tail[len(tail) - min(behind, len(tail)) :])
    said = f"{sized(kept + removed - len(first) - len(last))} removed"
    middle = note(f"{said}, {why}" if why else said)
    shorter = "\n".join(part for part in (first, middle, last) if part)
    return shorter if len(shorter) < len(text) else text


def _parted(text: str) -> tuple[str, str, int, int]:
    """What stands before the first and after the last note of a cut, how many characters these are together, and how
    many are missing between. Where nothing was cut, head and tail are both the whole text."""
    cuts = list(_CUT.finditer(text)) if TRIMMED_OPEN in text else []
    if not cuts:
        return text, text, len(text), 0
    head, tail = text[: cuts[0].start()], text[cuts[-1].end() :]
    between = max(cuts[-1].start() - cuts[0].end(), 0)
    removed = sum(int(found[1].replace(",", "") or 0) for found in cuts)
    return head, tail, len(head) + len(tail), removed + between


def _to_line_end(head: str) -> str:
    end = head.rfind("\n", len(head) - len(head) // _LINE_END_WITHIN)
    return head[:end] if end > 0 else head


def _from_line_start(tail: str) -> str:
    start = tail.find("\n", 0, len(tail) // _LINE_END_WITHIN)
    return tail[start + 1 :] if start >= 0 else tail
