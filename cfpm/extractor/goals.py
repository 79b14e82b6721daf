"""Goals: what the user wants to have done."""

from __future__ import annotations

from cfpm.extractor.utterance import Hit, Utterance
from cfpm.model import Category, Mark
from cfpm.model.patterns import lazy_pattern
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

_EMBEDDED = lazy_pattern(r"\b(?:why|what|how|when|where|who|whether|than|that|which)\s+$")
"""'She understands why I want to go' is not yet a wish that is put to anybody."""


_OWN = lazy_pattern(
    r"\b(?:my|our|mine|ours|me|us|given|considering|since|because|(?:i|we)(?:['’](?:ve|m|re)| am| are| have))\b|"
    r"\d|[`/_]|我的|我家|我们的|我有|我在|我是|我要|我想|咱"
)
_MIN_MATTER = 8
"""Content words from which a question tells what it is about, even without a word for whose matter it is."""

_TAKES_FOR_GRANTED = lazy_pattern(
    r"\b(?:what(?:['’]s)?|how|why|which)\b(?! (?:many|much|old|long|often|far|big|time|date|day|year|number)\b)|"
    r"\b(?:wonder|wondering|curious)\b|怎么|如何|为什么|什么|哪"
)
"""A question that takes the matter it asks about for granted; one that asks for a value or whether does not."""
_RECALLS = lazy_pattern(
    r"\b(?:did|had|have|has) (?:i|we|you)\b|\b(?:remember|recall|what if|suppose|imagine)\b|还记得|假如|如果"
)
_FIRST_PERSON = lazy_pattern(r"\b(?:my|our|i|we|me|us)\b|[我咱]")
_PARTICULAR = lazy_pattern(r"\d|(?<=[a-z,] )(?!I\b)[A-Z]\w")
"""A number, or a name inside of the sentence."""
_MIN_PARTICULARS = 10
"""Content words from which a question with a particular in it is worth keeping as what the user is at."""


_MIN_OPENING = 3
"""Content words of what a session opens with, where it asks nothing and orders nothing: "Jo speaking" is no goal."""


def find(unit: Utterance) -> Hit | None:
    """A request, an imperative, or a stated wish; the opening message of a session counts when it says anything."""
    if unit.find("goal.excluded"):
        return None
    if cue := unit.starts("goal.request") or (unit.find("goal.request") if unit.asks else None):
        marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.NEGATED}
        return Hit(Category.GOAL, "goal.request", 0.75, marks)
    if cue := unit.starts("verb.imperative"):
        marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION}
        if unit.opening and unit.first:
            # What a session opens with is its goal, whatever question the sentence runs into.
            marks -= {Mark.QUESTION}
        return Hit(Category.GOAL, "goal.imperative", 0.7, marks)
    return wish(unit)


def wish(unit: Utterance) -> Hit | None:
    """What the speaker wants or plans, said of oneself."""
    if (cue := unit.find("goal.want")) and not _EMBEDDED.search(unit.lower[: cue.start]):
        marks = marks_around(unit.lower, cue.start, cue.end) - {Mark.TRANSIENT}
        if not unit.lower.startswith(_CONDITION):
            # 'and I was wondering if you could help' asks politely; it puts no condition on the wish.
            marks -= {Mark.HYPOTHETICAL}
        return Hit(Category.GOAL, "goal.want", 0.7, marks)
    return None


def advice(unit: Utterance) -> Hit | None:
    """A question for advice on one's own matter: what is asked about is what the user is at; others only ask."""
    if (cue := unit.find("goal.advice")) and not unit.find("goal.excluded"):
        marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUOTED}
        if not unit.asks and not _OWN.search(unit.lower) and len(content_words(unit.text)) < _MIN_MATTER:
            marks |= {Mark.QUESTION}
        return Hit(Category.GOAL, "goal.advice", 0.55, marks)
    return _own_matter(unit)


def _own_matter(unit: Utterance) -> Hit | None:
    """A question that names particulars of the user's own matter: 'How will the 15 seats change our rent?'"""
    lower = unit.lower
    if not ((unit.asks or is_question(lower)) and _TAKES_FOR_GRANTED.search(lower) and _FIRST_PERSON.search(lower)):
        return None
    if _RECALLS.search(lower) or not _PARTICULAR.search(unit.text) or len(content_words(lower)) < _MIN_PARTICULARS:
        return None
    marks = marks_around(lower, 0, 0) & {Mark.QUOTED, Mark.HYPOTHETICAL}
    return Hit(Category.GOAL, "goal.advice", 0.5, marks)


def opening(unit: Utterance) -> Hit | None:
    """What a session starts with is its goal, even as a question, unless it only greets."""
    if not unit.opening or not unit.first or is_low_information(unit.text):
        return None
    asked = is_question(unit.lower)
    if not asked and (unit.announces or len(content_words(unit.text)) < _MIN_OPENING):
        return None
    confidence = 0.55 if asked else 0.6
    return Hit(Category.GOAL, "goal.opening", confidence, frozenset())
