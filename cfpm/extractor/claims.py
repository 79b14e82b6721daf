"""Claims of success in what the agent says. A claim is a draft; only evidence of the same turn makes it a verified
action."""

from __future__ import annotations

from cfpm.extractor.evidence import Evidence
from cfpm.extractor.heard import Heard, Hit
from cfpm.extractor.tools import Work
from cfpm.language import Kind, marks_around
from cfpm.models import Category, Mark


def find(heard: Heard, evidence: Evidence) -> Hit | None:
    """A statement that something was done, with the marks that language and evidence give it."""
    cue = heard.starts("claim.opening") or heard.find("claim.done")
    if cue is None:
        return None
    marks = marks_around(heard.lower, cue.start, cue.end)
    if heard.kind in (Kind.TABLE, Kind.HEADING):
        marks |= {Mark.QUOTED}
    needs = Work.CHECK if heard.find("claim.check") else Work.EDIT
    return Hit(Category.VERIFIED_ACTION, f"claim.{needs.value}", 0.6, marks | evidence.judge(needs))
