"""What the user said last, from the end of a session file. Reads no more of it than a hook has time for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from cfpm.errors import InputError

TAIL = 1024 * 1024
"""Bytes from the end in which the last message of the user is looked for; behind it stands the agent's work since."""

_MARKS = (b'"user"', b'"queued_command"')
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")


def last_said(path: Path) -> str:
    """The last message that the user themselves wrote, empty when there is none in the file.

    Raises OSError for a file that cannot be read, InputError for one whose end does not go back to the user.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL))
        lines = file.read(TAIL).split(b"\n")
    whole = size <= TAIL
    for line in reversed(lines if whole else lines[1:]):
        if any(mark in line for mark in _MARKS):
            for text in _said(line):
                return text
    if not whole:
        raise InputError(str(path), f"no message of the user in the last {TAIL:,} bytes", "Nothing is rewritten")
    return ""


def _said(line: bytes) -> Iterator[str]:
    """What the user says in one row, newest first; nothing for a row that is still being written."""
    try:
        row = json.loads(line)
    except ValueError:
        return
    if not isinstance(row, dict) or any(row.get(flag) is True for flag in _NOT_SAID):
        return
    texts = _texts(row)
    if texts is None or any("<" in text or text.startswith("[") for text in texts):
        yield from _read_closely(row)
    else:
        yield from (text for text in reversed(texts) if text.strip())


def _texts(row: Mapping[str, object]) -> list[str] | None:
    """The texts of a row of the usual kind, none for tool results; None for a row of another kind."""
    message = row.get("message")
    content = message.get("content") if row.get("type") == "user" and isinstance(message, dict) else None
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        return None
    if any(block.get("type") not in ("text", "tool_result") for block in content):
        return None
    texts = [block.get("text") for block in content if block["type"] == "text"]
    return [text for text in texts if isinstance(text, str)]


def _read_closely(row: Mapping[str, object]) -> Iterator[str]:
    """The user's own words in a row that may hold the host's: by the rules of the transcripts, which take a while to
    load."""
    from cfpm.model import Origin, Role
    from cfpm.transcript.formats.claude_code import FORMAT
    from cfpm.transcript.origins import mark_origins
    from cfpm.transcript.records import Problem

    if FORMAT.document is None:
        return
    # A session's id makes the row a message by itself, without the rows before it.
    for entry in reversed(list(FORMAT.document({"sessionId": "-", **row}, "transcript"))):
        if isinstance(entry, Problem) or entry.message.role is not Role.USER or entry.message.tool_result:
            continue
        for part in reversed(mark_origins(entry.message)):
            if part.origin is Origin.SAID and part.text.strip():
                yield part.text
