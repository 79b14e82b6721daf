"""Decisions: what was chosen, by the user or by the agent."""

from __future__ import annotations

import re

from cfpm.extractor.heard import Heard, Hit
from cfpm.language import marks_around
from cfpm.models import Category, Mark, Role

_UNDECIDED = re.compile(r"n['’]t\b|\b(?:not|never)\b")


def find(heard: Heard) -> Hit | None:
    """A choice as a done thing. 'Let's use X' decides when the user says it; from the agent it is a proposal."""
    cue = heard.find("decision.made")
    if cue is None:
        return None
    marks = marks_around(heard.lower, cue.start, cue.end)
    said = heard.lower[cue.start : cue.end]
    if _UNDECIDED.search(said):
        marks |= {Mark.NEGATED}
    elif said.startswith(("no longer", "不再")):
        marks -= {Mark.NEGATED}
    if heard.message.role is Role.ASSISTANT and said.startswith(
        ("let", "i'll", "i’ll", "we'll", "we’ll", "i will", "we will", "go with", "就", "还是")
    ):
        marks |= {Mark.HYPOTHETICAL}
    return Hit(Category.DECISION, "decision.made", 0.7, marks)
