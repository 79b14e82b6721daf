"""Claims of success in what the agent says. A claim is a draft; only evidence of the same turn makes it a verified
action."""

from __future__ import annotations

import re

from cfpm.extractor.evidence import Evidence
from cfpm.extractor.tools import Work
from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.text import Kind, marks_around

_CONCLUDES = re.compile(
    r"\b(?:confirm(?:s|ed|ing)?|prov(?:es|ed|en|ing)|demonstrat(?:es|ed|ing)|verif(?:ies|ied|ying)|"
    r"show(?:s|ed|ing)) that\b|"
    r"\b(?:the|our|this|final|correct) (?:\w+ )?(?:task|problem|question|puzzle|answer|solution|result|conclusion|"
    r"verification|analysis|calculation|research)s? "
    r"(?:(?:is|are|was|were|has been|have been|been) )?(?:now |indeed |thus |fully |successfully )?"
    r"(?:correct|right|accurate|solved|answered|resolved|complete|completed|verified|confirmed|validated|valid|final)\b|"
    r"\bsolved the (?:task|problem|question|puzzle)\b|\bcorrect(?:ly)? (?:answer|answered|solved)\b|"
    r"(?:问题|任务|题目)(?:已|已经)(?:解决|完成)|答案(?:是)?正确",
)
"""What is concluded from a result, above all that the task is solved: no program reports that."""


def find(heard: Heard, evidence: Evidence) -> Hit | None:
    """A statement that something was done, with the marks that language and evidence give it."""
    cue = heard.starts("claim.opening") or heard.find("claim.done")
    if cue is None:
        return None
    marks = marks_around(heard.lower, cue.start, cue.end)
    if heard.kind in (Kind.TABLE, Kind.HEADING):
        marks |= {Mark.QUOTED}
    if _CONCLUDES.search(heard.lower):
        marks |= {Mark.UNCONFIRMED}
    needs = Work.CHECK if heard.find("claim.check") else Work.EDIT
    return Hit(Category.VERIFIED_ACTION, f"claim.{needs.value}", 0.6, marks | evidence.judge(needs))
