"""What a user asks with a command: the request inside the file that the command puts into the conversation.

The rest of such a file is the host's text. Judges no content.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cfpm.model import Message, Origin

_TASK = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t]+(?:(?:your |the )?(?:task|goal|objective|request)\b|任务|目标)[^\n]{0,60}$",
    re.MULTILINE | re.IGNORECASE,
)
"""The heading that says what is to be done; above it stand the state of the repository and the like."""
_HEADING = re.compile(r"^[ \t]{0,3}(?:#{1,6}[ \t]|---[ \t]*$)", re.MULTILINE)
_PARAGRAPH = re.compile(
    r"\s*(?P<said>[^\s#<>`*+\-|!{\[\d][^\n]{3,400}(?:\n[^\s#<>`*+\-|!{\[\d][^\n]{0,400}){0,4})(?=\n|$)"
)
"""One to five lines of plain text; a list, a code block or a line of the host is no request."""
_ROLE = re.compile(r"(?:you are|you're|you’re|act as|your role)\b", re.IGNORECASE)
"""Who the agent shall be is no task."""


def split_request(message: Message) -> list[Message]:
    """The file of a command as its parts: what is asked is said by the user, what stands around it is a boot file.

    Asked is the first paragraph below a heading such as `## Your task`, or the opening one of a file without headings.
    A file that shows neither stays whole.
    """
    text = message.text
    found = _request(text)
    if found is None:
        return [replace(message, origin=Origin.BOOT_FILE)]
    start, end = found
    pieces = ((text[:start], Origin.BOOT_FILE), (text[start:end], Origin.SAID), (text[end:], Origin.BOOT_FILE))
    return [replace(message, text=part.strip("\n"), origin=origin) for part, origin in pieces if part.strip()]


def _request(text: str) -> tuple[int, int] | None:
    heading = _TASK.search(text)
    if heading is None and _HEADING.search(text):
        return None
    found = _PARAGRAPH.match(text, heading.end() if heading else 0)
    if found is None or _ROLE.match(found["said"]):
        return None
    return found.span("said")
