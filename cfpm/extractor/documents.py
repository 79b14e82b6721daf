"""Documents that somebody pastes into a message: their sentences are quoted, not said."""

from __future__ import annotations

import re

from cfpm.models import Role

_HEADING = re.compile(r"^ {0,3}#{1,6} \S", re.MULTILINE)
_PASTE = re.compile(
    r"^\s*(?:<[a-z_]+[^>\n]*>\s*$|diff --git |@@ -\d|---\s*$\n\w+:|BEGIN:|Traceback |\d+[→|]\s)", re.MULTILINE
)
_MIN_LINES = 3
_MIN_LINES_WITH_HEADINGS = 6


def pasted_from(text: str, role: Role) -> int | None:
    """Offset from which a message is a pasted document: headed Markdown, tagged text, a diff, a trace; None if it is
    speech.

    What an agent writes is its own report, headings or not, so only other roles paste.
    """
    if role is Role.ASSISTANT or "\n" not in text:
        return None
    starts = []
    headings = [match.start() for match in _HEADING.finditer(text)]
    lines = text.count("\n") + 1
    if headings and (
        (not text[: headings[0]].strip() and lines >= _MIN_LINES)
        or (len(headings) > 1 and lines >= _MIN_LINES_WITH_HEADINGS)
    ):
        starts.append(headings[0])
    if match := _PASTE.search(text):
        starts.append(match.start())
    return min(starts) if starts else None
