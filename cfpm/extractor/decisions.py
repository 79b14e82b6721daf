"""Decisions: what was chosen, by the user or by the agent."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark, Role
from cfpm.text import marks_around

_UNDECIDED = re.compile(r"n['’]t\b|\b(?:not|never)\b")

_MAYBE = re.compile(r"也许|可能|或许|会|想|打算|考虑")
_FIRST_STEP = re.compile(
    r"\b(?:to|with) (?:first |now )?(?:start|begin|try|look|check|proceed|continue|take|tackle|read|run|go|"
    r"focus|keep|leave|skip|inspect)\b|"
    r"先|试试|看看|从.{1,10}开始"
)
"""What an agent decides to do next is its plan."""


def find(heard: Heard) -> Hit | None:
    """A choice as a done thing. 'Let's use X' decides when the user says it; from the agent it is a proposal."""
    cue = heard.find("decision.made")
    if cue is None or heard.lower.startswith(("把", "将")):
        return None
    marks = marks_around(heard.lower, cue.start, cue.end)
    said = heard.lower[cue.start : cue.end]
    if _MAYBE.search(said):
        marks |= {Mark.HYPOTHETICAL}
    if _UNDECIDED.search(said):
        marks |= {Mark.NEGATED}
    elif said.startswith(("no longer", "不再")):
        marks -= {Mark.NEGATED}
    if heard.message.role is Role.ASSISTANT and said.startswith(
        ("let", "i'll", "i’ll", "we'll", "we’ll", "i will", "we will", "go with", "就", "还是")
    ):
        marks |= {Mark.HYPOTHETICAL}
    if heard.message.role is Role.ASSISTANT and _FIRST_STEP.search(heard.lower, cue.start):
        marks |= {Mark.TRANSIENT}
    return Hit(Category.DECISION, "decision.made", 0.7, marks)
