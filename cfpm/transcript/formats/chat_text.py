"""A chat as plain text:

`Name: text` lines, with or without a time before the name. Recognised strictly: many files have colons.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from cfpm.model import Message, Origin, Role, ToolResult
from cfpm.transcript.fields import loose_moment
from cfpm.transcript.formats.format import Line
from cfpm.transcript.outcomes import settle
from cfpm.transcript.records import Entries, Entry

_UTTERANCE = re.compile(
    r"""
    (?: \[? (?P<time>
        \d{4}[-/.]\d{1,2}[-/.]\d{1,2} [ T,]{1,2} \d{1,2}:\d\d (?: :\d\d )? (?: Z | [+-]\d\d:?\d\d )?
      | \d{1,2}[/.]\d{1,2}[/.]\d{2,4} ,? [ ] \d{1,2}:\d\d (?: :\d\d )? (?: [ ]? [APap]\.?[Mm]\.? )?
      | \d{1,2}:\d\d (?: :\d\d )?
    ) \]? (?: [ ]- )? [ ]? )?
    \*{0,2} (?P<name> [^\W\d_][\w.'’ -]{0,38}? ) \*{0,2} (?: :[ ]? | ： ) \*{0,2} (?P<text> .* )
    """,
    re.VERBOSE,
)
"""Day-first and month-first dates cannot be told apart: their times are matched, and left out."""

_SPEAKER_ROLES = {
    **dict.fromkeys(("user", "human", "customer"), Role.USER),
    **dict.fromkeys(
        (
            "assistant",
            "ai",
            "bot",
            "gpt",
            "chatgpt",
            "claude",
            "gemini",
            "bard",
            "bing",
            "copilot",
            "model",
            "agent",
            "function_call",
        ),
        Role.ASSISTANT,
    ),
    "system": Role.SYSTEM,
    **dict.fromkeys(("tool", "function", "observation", "function_response", "ipython"), Role.TOOL),
}
_MIN_SHARE = 0.5
"""Share of the paragraphs of the head that must be utterances."""
_MAX_SPEAKERS = 12


def speaker_role(speaker: str) -> Role | None:
    """The role that a speaker's name stands for; None for a person."""
    return _SPEAKER_ROLES.get(speaker.strip().lower())


def fits_head(head: list[str]) -> bool:
    """True when the first line is an utterance, most are, and a speaker has a known role or speaks again."""
    lines = [line for line in head if line.strip()]
    if not lines or not _UTTERANCE.fullmatch(lines[0]):
        return False
    names = Counter(found["name"] for line in lines if (found := _UTTERANCE.fullmatch(line)))
    spoken = sum(names.values())
    if spoken < max(2, _MIN_SHARE * len(lines)) or not 2 <= len(names) <= _MAX_SPEAKERS:
        return False
    known = sum(1 for name in names if speaker_role(name))
    return known >= 2 or (spoken >= 2 * len(names) and names.most_common(2)[1][1] >= 2)


def read_lines(lines: Iterator[Line], source: str) -> Entries:
    """Utterances with the lines that follow them; what stands before the first is a notice."""
    held: list[str] = []
    start, found = 1, None
    for number, line in lines:
        begins = _UTTERANCE.fullmatch(line) if ":" in line[:120] or "：" in line[:120] else None
        if begins:
            yield from _entry(found, held, start)
            start, found, held = number, begins, [begins["text"]]
        else:
            held.append(line)
    yield from _entry(found, held, start)


def _entry(found: re.Match[str] | None, held: list[str], start: int) -> Iterator[Entry]:
    text = "\n".join(held).strip("\n ")
    if not text:
        return
    if found is None:
        message = Message(Role.SYSTEM, text, origin=Origin.HOST_NOTICE)
    else:
        role, at = speaker_role(found["name"]), loose_moment(found["time"])
        result = ToolResult("", *settle(None, text)) if role is Role.TOOL else None
        name = "" if role else found["name"].strip()
        message = Message(role or Role.USER, text, created_at=at, name=name, tool_result=result)
    yield Entry(message, f"line {start}")
