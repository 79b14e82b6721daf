"""Goals: what the user wants to have done."""

from __future__ import annotations

from cfpm.extractor.heard import Heard, Hit
from cfpm.language import is_low_information, is_question, marks_around
from cfpm.models import Category, Mark

_ASKING_IS_FINE = Mark.QUESTION
"""'Can you add X?' is a request in the form of a question."""


def find(heard: Heard) -> Hit | None:
    """A request, an imperative, or a stated wish; the opening message of a session counts when it says anything."""
    if heard.find("goal.excluded"):
        return None
    if cue := heard.starts("goal.request") or (heard.find("goal.request") if heard.asks else None):
        marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.NEGATED}
        return Hit(Category.GOAL, "goal.request", 0.75, marks)
    if cue := heard.starts("verb.imperative"):
        marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION}
        return Hit(Category.GOAL, "goal.imperative", 0.7, marks)
    if cue := heard.find("goal.want"):
        marks = marks_around(heard.lower, cue.start, cue.end) - {Mark.TRANSIENT}
        return Hit(Category.GOAL, "goal.want", 0.7, marks)
    return None


def opening(heard: Heard) -> Hit | None:
    """What a session starts with is its goal, even as a question, unless it only greets."""
    if not heard.opening or not heard.first or is_low_information(heard.text):
        return None
    confidence = 0.55 if is_question(heard.lower) else 0.6
    return Hit(Category.GOAL, "goal.opening", confidence, frozenset())
