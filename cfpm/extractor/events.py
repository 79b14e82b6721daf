"""Events: what happened to the user or will happen at a time that is named."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.text import is_low_information, marks_around

_PERSON = re.compile(r"\b(?:i|we|my|our|me|us|he|she|they|his|her|their)\b|我|咱|他|她")


def find(heard: Heard) -> Hit | None:
    """A past action of the speaker, or a person with a named time."""
    cue = heard.find("event.past")
    if cue is None or is_low_information(heard.text) or not _PERSON.search(heard.lower):
        return None
    marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION, Mark.HYPOTHETICAL}
    if not heard.lower.startswith(("if ", "what if ", "如果", "假如")):
        marks -= {Mark.HYPOTHETICAL}
    return Hit(Category.EVENT, "event.past", 0.65, marks)
