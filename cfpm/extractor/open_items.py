"""Open items: what is left to do and said to be left."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.text import lexicon, marks_around

_EMPTY_BOX = re.compile(r"\[ \]\s+$")


def find(heard: Heard) -> Hit | None:
    """A line that opens with TODO or the like, an empty check box, or a sentence that says something remains."""
    if _EMPTY_BOX.search(heard.message.text, max(0, heard.start - 6), heard.start):
        return Hit(Category.OPEN_ITEM, "open_item.box", 0.7)
    if cue := heard.starts("open.prefix"):
        head = heard.text[cue.start : cue.end]
        rest = heard.text[cue.end :]
        if head.endswith((":", "：")) or rest.startswith((":", "：", "(")) or _to_do(rest):
            marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUESTION, Mark.QUOTED}
            return Hit(Category.OPEN_ITEM, "open_item.prefix", 0.7, marks)
    if cue := heard.find("open.cue"):
        marks = marks_around(heard.lower, cue.start, cue.end) - {Mark.NEGATED, Mark.TRANSIENT}
        if Mark.HYPOTHETICAL in marks and not heard.lower.startswith(("if ", "如果")):
            marks -= {Mark.HYPOTHETICAL}
        return Hit(Category.OPEN_ITEM, "open_item.remains", 0.6, marks)
    return None


def _to_do(rest: str) -> bool:
    """Without a colon only an imperative says what to do: 'TODO write tests', but not 'TODO management'."""
    lower = rest.lstrip().lower()
    return any(lexicon(language)["verb.imperative"].starts(lower) for language in ("en", "zh"))
