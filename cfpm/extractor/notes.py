"""Notes: plain statements of the user that name something specific."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import Kind, content_words, marks_around

_SPOKEN = (Kind.PLAIN, Kind.BULLET)
_SPECIFIC = re.compile(
    r"\d|`[^`]+`|(?<=[a-z,;] )[A-Z][A-Za-z]{2,}|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+|[\u3400-\u9fff].*[是在有为]"
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|uses?|used|needs?|runs?|lives?|works?|contains?|means|costs?|takes?|supports?|requires?|"
    r"returns?|makes?|gets?|goes|went|said|says|wants?|likes?|comes?|came|will|can|does|did|should|must|'s|'re|'m|'ve|[a-z]{3,}(?:s|ed))\b|[是在有为要会]"
)
_TO_THE_OTHER = re.compile(
    r"\b(?:you|your|you're|yours)\b|^(?:wow|woah|whoa|yep|yeah|congrats|that's|thanks|thank)\b|你"
)
"""Between two people, what is said of the other is a reaction; the other says it of themselves."""
_MIN_CONTENT_WORDS = 3
"""Shorter statements were, read in real sessions, remarks about the moment."""


def find(heard: Heard) -> Hit | None:
    """A statement with a verb, three content words and something specific: a number, a name, an identifier."""
    if heard.kind not in _SPOKEN or len(heard.text) < 16:
        return None
    if heard.message.name and _TO_THE_OTHER.search(heard.lower):
        return None
    if is_clean_path_line(heard.text):
        # A line that is nothing but a path is an artifact, not a statement about one.
        return None
    if not _SPECIFIC.search(heard.text) or not _STATES.search(heard.lower):
        return None
    if len(content_words(heard.text)) < _MIN_CONTENT_WORDS:
        return None
    marks = marks_around(heard.lower, 0, 0) & {Mark.QUESTION, Mark.TRANSIENT, Mark.QUOTED}
    if heard.lower.startswith(
        ("if ", "what if ", "suppose ", "imagine ", "maybe ", "perhaps ", "如果", "假如", "也许", "可能")
    ):
        marks |= {Mark.HYPOTHETICAL}
    return Hit(Category.NOTE, "note.statement", 0.5, marks)
