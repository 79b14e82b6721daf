"""Instructions: standing rules that the user gives, for more than this one task."""

from __future__ import annotations

import re

from cfpm.extractor.heard import Heard, Hit
from cfpm.language import marks_around
from cfpm.models import Category, Mark

_HEAD = re.compile(
    r"(?:(?:and|also|but|so|then|ok|okay|please|just|remember|you|we|i want you to|i need you to|the (?:code|"
    r"tests?|docs?|output|"
    r"answers?|commits?|responses?)|it|they|important|note|rule|one (?:more )?(?:thing|rule)|this|that|should|must|"
    r"to|is|are|be|not|"
    r"there|and|can|could|also)\b[\s,:;.-]*)*[\s*_\"'`-]*$"
)
_SUBJECT_MODAL = re.compile(r"\b(?:must|should|shall|required|mandatory|forbidden|prohibited|not allowed)\b")
_WHEN = re.compile(
    r"\b(?:when|whenever|every time|each time|if)\b.{1,80},\s*(?:please |always |never |do not |don['’]t |"
    r"make sure |use |include |add |run |ask )"
)
_ADVICE_ASKED = re.compile(r"\b(?:should|must|shall|do) (?:i|we)\b")

_DESCRIBES = re.compile(
    r"(?:always|never)\s+(?:\w+ing|\w+ed|\w+ly|been|had|a|an|the|so|more|too|in|there|easy|fun|nice|great|good|hard|wrong)\b"
)
"""'Always a pleasure', 'never been there': how things are, not what to do."""


def find(heard: Heard) -> Hit | None:
    """A standing cue where an order can stand: at the head of a clause, or as what somebody must do."""
    if _ADVICE_ASKED.search(heard.lower):
        return None
    if (match := _WHEN.search(heard.lower)) and heard.lower[: match.start()].strip(" -*\"'") in (
        "",
        "so",
        "and",
        "also",
        "please",
    ):
        return Hit(Category.INSTRUCTION, "instruction.conditional", 0.8, _marks(heard, match.start(), match.end()))
    cue = heard.find("instruction.standing")
    if cue is None:
        return None
    if _DESCRIBES.match(heard.lower, cue.start):
        return None
    said = heard.lower[cue.start : cue.end]
    chinese = not said.isascii()
    clause = re.split(r"[,;:.!?()—–]|\s-\s", heard.lower[: cue.start])[-1].lstrip()
    if not (chinese or _HEAD.match(clause) or _SUBJECT_MODAL.search(said)):
        return None
    if chinese and "我" in heard.lower[max(0, cue.start - 2) : cue.start]:
        return None
    return Hit(Category.INSTRUCTION, "instruction.standing", 0.8, _marks(heard, cue.start, cue.end))


def _marks(heard: Heard, start: int, end: int) -> frozenset[Mark]:
    return marks_around(heard.lower, start, end) & {Mark.QUESTION, Mark.QUOTED}
