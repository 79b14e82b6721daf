"""Goals: what the user wants to have done."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.text import content_words, is_low_information, is_question, marks_around

_ASKING_IS_FINE = Mark.QUESTION
"""'Can you add X?' is a request in the form of a question."""

_CONDITION = (
    "if ",
    "unless ",
    "once ",
    "in case ",
    "suppose ",
    "imagine ",
    "what if ",
    "maybe ",
    "perhaps ",
    "如果",
    "假如",
    "要是",
    "也许",
)

_EMBEDDED = re.compile(r"\b(?:why|what|how|when|where|who|whether|than|that|which)\s+$")
"""'She understands why I want to go' is not yet a wish that is put to anybody."""


_OWN = re.compile(
    r"\b(?:my|our|mine|ours|me|us|given|considering|since|because|(?:i|we)(?:['’](?:ve|m|re)| am| are| have))\b|"
    r"\d|[`/_]|我的|我家|我们的|我有|我在|我是|我要|我想|咱"
)
_MIN_MATTER = 8
"""Content words from which a question tells what it is about, even without a word for whose matter it is."""

_TAKES_FOR_GRANTED = re.compile(
    r"\b(?:what(?:['’]s)?|how|why|which)\b(?! (?:many|much|old|long|often|far|big|time|date|day|year|number)\b)|"
    r"\b(?:wonder|wondering|curious)\b|怎么|如何|为什么|什么|哪"
)
"""A question that takes the matter it asks about for granted; one that asks for a value or whether does not."""
_RECALLS = re.compile(
    r"\b(?:did|had|have|has) (?:i|we|you)\b|\b(?:remember|recall|what if|suppose|imagine)\b|还记得|假如|如果"
)
_FIRST_PERSON = re.compile(r"\b(?:my|our|i|we|me|us)\b|[我咱]")
_PARTICULAR = re.compile(r"\d|(?<=[a-z,] )(?!I\b)[A-Z]\w")
"""A number, or a name inside of the sentence."""
_MIN_PARTICULARS = 10
"""Content words from which a question with a particular in it is worth keeping as what the user is at."""


def find(heard: Heard) -> Hit | None:
    """A request, an imperative, or a stated wish; the opening message of a session counts when it says anything."""
    if heard.find("goal.excluded"):
        return None
    if cue := heard.starts("goal.request") or (heard.find("goal.request") if heard.asks else None):
        marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.NEGATED}
        return Hit(Category.GOAL, "goal.request", 0.75, marks)
    if cue := heard.starts("verb.imperative"):
        marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION}
        if heard.opening and heard.first:
            # What a session opens with is its goal, whatever question the sentence runs into.
            marks -= {Mark.QUESTION}
        return Hit(Category.GOAL, "goal.imperative", 0.7, marks)
    return wish(heard)


def wish(heard: Heard) -> Hit | None:
    """What the speaker wants or plans, said of oneself."""
    if (cue := heard.find("goal.want")) and not _EMBEDDED.search(heard.lower[: cue.start]):
        marks = marks_around(heard.lower, cue.start, cue.end) - {Mark.TRANSIENT}
        if not heard.lower.startswith(_CONDITION):
            # 'and I was wondering if you could help' asks politely; it puts no condition on the wish.
            marks -= {Mark.HYPOTHETICAL}
        return Hit(Category.GOAL, "goal.want", 0.7, marks)
    return None


def advice(heard: Heard) -> Hit | None:
    """A question for advice on one's own matter: what is asked about is what the user is at; others only ask."""
    if (cue := heard.find("goal.advice")) and not heard.find("goal.excluded"):
        marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED}
        if not heard.asks and not _OWN.search(heard.lower) and len(content_words(heard.text)) < _MIN_MATTER:
            marks |= {Mark.QUESTION}
        return Hit(Category.GOAL, "goal.advice", 0.55, marks)
    return _own_matter(heard)


def _own_matter(heard: Heard) -> Hit | None:
    """A question that names particulars of the user's own matter: 'How will the 15 seats change our rent?'"""
    lower = heard.lower
    if not ((heard.asks or is_question(lower)) and _TAKES_FOR_GRANTED.search(lower) and _FIRST_PERSON.search(lower)):
        return None
    if _RECALLS.search(lower) or not _PARTICULAR.search(heard.text) or len(content_words(lower)) < _MIN_PARTICULARS:
        return None
    marks = marks_around(lower, 0, 0) & {Mark.QUOTED, Mark.HYPOTHETICAL}
    return Hit(Category.GOAL, "goal.advice", 0.5, marks)


def opening(heard: Heard) -> Hit | None:
    """What a session starts with is its goal, even as a question, unless it only greets."""
    if not heard.opening or not heard.first or is_low_information(heard.text):
        return None
    confidence = 0.55 if is_question(heard.lower) else 0.6
    return Hit(Category.GOAL, "goal.opening", confidence, frozenset())
