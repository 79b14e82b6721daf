"""Preferences: what the user likes, dislikes, is used to, or would rather have."""

from __future__ import annotations

from cfpm.extractor.heard import Heard, Hit
from cfpm.language import marks_around
from cfpm.models import Category, Mark


def find(heard: Heard) -> Hit | None:
    """A first-person statement of taste. Its negation is a preference too."""
    cue = heard.find("preference.like")
    if cue is None:
        return None
    marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION, Mark.HYPOTHETICAL}
    if Mark.HYPOTHETICAL in marks and "if" not in heard.words and "如果" not in heard.lower:
        marks -= {Mark.HYPOTHETICAL}
    return Hit(Category.PREFERENCE, "preference.like", 0.75, marks)
