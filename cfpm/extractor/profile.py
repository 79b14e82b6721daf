"""Profile: who the user is, what and whom they have, where they live and work."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.text import Cue, content_words, has_cjk, is_acknowledgement, is_low_information, marks_around

_SUBJECT = re.compile(r"(?:^|[,;:.!?—–-]|\b(?:and|but|so|that|because|since|when|while|also|both))[\s*\"'(]*$")
"""'My daughter plays' tells of her; 'it is in my email' tells nothing of oneself."""


def find(heard: Heard) -> Hit | None:
    """A first-person statement about oneself. 'I'm not a doctor' says something too, so negation is no mark here."""
    cue = heard.find("profile.self")
    if cue is None or (is_low_information(heard.text) and not _says_all(heard, cue)):
        return None
    said = heard.lower[cue.start : cue.end]
    owned = said.startswith(("my ", "our "))
    if owned and not _SUBJECT.search(heard.lower[: cue.start]):
        return None
    marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUOTED, Mark.QUESTION, Mark.HYPOTHETICAL}
    if (owned or said.startswith(("i'", "i’"))) and not heard.lower.startswith(("if ", "如果")):
        marks -= {Mark.HYPOTHETICAL}
    return Hit(Category.PROFILE, "profile.self", 0.7, marks)


def _says_all(heard: Heard, cue: Cue) -> bool:
    """Few words that are enough: 'I got engaged', '我会弹吉他'."""
    alone = cue.end >= len(heard.lower.rstrip(" .!")) or has_cjk(heard.text)
    return alone and bool(content_words(heard.text)) and not is_acknowledgement(heard.text)
