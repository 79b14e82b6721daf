"""What hosts write, as messages and turns: files of many formats, and the dicts of live hosts.

Judges nothing, stores nothing.
"""

from __future__ import annotations

from cfpm.transcript.fields import clean
from cfpm.transcript.formats import FORMATS
from cfpm.transcript.messages import parse_messages
from cfpm.transcript.origins import mark_origins
from cfpm.transcript.outcomes import outcome
from cfpm.transcript.reading import detect, expand, read
from cfpm.transcript.records import NotATranscript, Problem, Record
from cfpm.transcript.sessions import begins_turn, group_turns

__all__ = [
    "FORMATS",
    "NotATranscript",
    "Problem",
    "Record",
    "begins_turn",
    "clean",
    "detect",
    "expand",
    "group_turns",
    "mark_origins",
    "outcome",
    "parse_messages",
    "read",
]
