"""Negation, condition, question, quotation around a cue. Marks only; what a mark means is the auditor's business."""

from __future__ import annotations

from functools import lru_cache

from cfpm.model import Mark
from cfpm.model.patterns import lazy_pattern
from cfpm.text.lexicon import Lexicon
from cfpm.text.words import lexicons_for

_CLAUSE_END = lazy_pattern(
    r"[,;:，；：—–]|\s-\s|\b(?:but|however|although|though|and then|so that|because|since)\b|但|不过|因为|所以"
)
_CONTRACTION = lazy_pattern(r"n['’]t\b")
_OPEN_CONDITION = lazy_pattern(
    r"\s*(?:if|unless|once|when|suppose|assuming|in case|until|as soon as|provided that|imagine|what if|如果|假如|要是|"
    r"一旦|除非)"
)
_LEAD = lazy_pattern(
    r"(?:(?:ok|okay|good|great|perfect|excellent|now|so|first|next|then|and|yes|right|alright|well)\b)?[\s,.!:*_-]*"
)
_QUOTES = {'"': '"', "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}
_WINDOW = 40
"""Characters before a cue in which a negator or modal governs it: about six words."""


@lru_cache(maxsize=512)
def marks_around(lower: str, start: int, end: int) -> frozenset[Mark]:
    """Marks for a cue at [start, end) of a lower-case sentence: negated, hypothetical, question, quoted, transient."""
    marks = set()
    before = _clause_before(lower, start)
    window = before[-_WINDOW:]
    lexicons = lexicons_for(lower)
    if _CONTRACTION.search(window) or any(each["negation"].regex.search(window) for each in lexicons):
        marks.add(Mark.NEGATED)
    if _negated_after(lower, end):
        marks.add(Mark.NEGATED)
    if any(each["hypothetical"].regex.search(window) for each in lexicons) or _OPEN_CONDITION.match(lower):
        marks.add(Mark.HYPOTHETICAL)
    if is_question(lower):
        marks.add(Mark.QUESTION)
    if _inside_quotes(lower, start):
        marks.add(Mark.QUOTED)
    opening = lower[_LEAD.match(lower).end() :]  # type: ignore[union-attr]
    if any(_of_the_moment(each, lower, opening) for each in lexicons):
        marks.add(Mark.TRANSIENT)
    return frozenset(marks)


def _of_the_moment(lexicon: Lexicon, lower: str, opening: str) -> bool:
    return bool(lexicon["transient.opening"].regex.match(opening) or lexicon["transient"].regex.search(lower))


def answer_in(text: str) -> str:
    """What stands behind the last question of a text; empty without one."""
    asked = max(text.rfind("? "), text.rfind("？ "))
    return text[asked + 2 :] if asked >= 0 else ""


@lru_cache(maxsize=512)
def is_question(lower: str) -> bool:
    """True for a sentence that asks: a question mark at its end, or a question's opening words; not for a question with
    its answer."""
    stripped = lower.rstrip(" \t*_\"'”’)")
    if stripped.endswith(("?", "？")):
        return True
    lower = answer_in(lower) or lower
    for lexicon in lexicons_for(lower):
        pattern = lexicon["question"].regex
        if pattern.search(lower) if lexicon.language == "zh" and "？" in lower else pattern.match(lower.lstrip()):
            return True
    return False


def _clause_before(lower: str, start: int) -> str:
    left = 0
    for match in _CLAUSE_END.finditer(lower, max(0, start - 120), start):
        left = match.end()
    return lower[left:start]


def _negated_after(lower: str, end: int) -> bool:
    tail = lower[end : end + 16]
    return tail.startswith((" yet", " not", " nothing", " no ")) and not tail.startswith(" yet another")


def _inside_quotes(lower: str, start: int) -> bool:
    for opening, closing in _QUOTES.items():
        if opening not in lower:
            continue
        head = lower[:start]
        if opening == closing:
            if head.count(opening) % 2 == 1 and opening in lower[start:]:
                return True
        elif head.rfind(opening) > head.rfind(closing) and closing in lower[start:]:
            return True
    return False
