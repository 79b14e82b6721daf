"""Instructions: standing rules that the user gives, for more than this one task. An order for this once is a goal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from cfpm.extractor.utterance import Hit, Utterance
from cfpm.model import Category, Mark
from cfpm.model.patterns import lazy_pattern
from cfpm.text import Cue, Kind, is_question, lexicon, marks_around

_HEAD = lazy_pattern(
    r"(?:(?:and|also|but|so|then|ok|okay|please|kindly|just|remember|you|we|it|they|important|note|rule|this|that|"
    r"i(?:['’]d| would)? (?:want|need|like|prefer) you(?: to)?|one (?:more )?(?:thing|rule)|"
    r"the (?:code|tests?|docs?|output|answers?|commits?|responses?)|should|must|shall|to|is|are|be|not|there|can|could|"
    r"would|will|need to|have to)\b[\s,:;.-]*)*[\s*_\"'`-]*$"
)
"""What may stand in a clause before the word that makes it an order."""

_CHINESE_HEAD = lazy_pattern(
    r"(?:请|你|您|那么?|还有|另外|对了|好的?|我?希望你?|我要你|麻烦|但是?|而且|并且|所以|也|都|就|[\s*_\"'“])*"
)
_SUBJECT = lazy_pattern(r"\b(?:you|we|they|it|this|that|there|the \w+)\b")
_MODAL = lazy_pattern(r"\b(?:must|should|shall|needs?|have to|has to|want|like|prefer|(?:can|could|would|will) you)\b")
"""'They always forget' tells how things are; 'they should always be sorted' tells how they are to be."""

_RULE_OF_STATE = lazy_pattern(r"\b(?:must|should|shall|required|mandatory|forbidden|prohibited|not allowed)\b")
_RELATIVE = lazy_pattern(r"\b(?:that|which|who|what|because|since|as|why|how)\b[^,;:]{0,20}$")
_CLAUSE_END = lazy_pattern(r"[,;:.!?()—–，。；：！？]|\s-\s")
_DESCRIBES = lazy_pattern(
    r"(?:always|never)\s+(?:\w+ing|\w+ed|\w+ly|been|had|was|were|is|are|a|an|the|so|more|too|in|on|at|for|with|from|to|"
    r"there|here|easy|fun|nice|great|good|hard|wrong|mind|again|before|seen|done|known|felt|welcome)\b"
)
"""'Always a pleasure', 'never been there': how things are, not what to do."""

_ADVICE_WORDS = frozenset({"should", "must", "shall", "do"})
_ADVICE_ASKED = lazy_pattern(rf"\b(?:{'|'.join(sorted(_ADVICE_WORDS))}) (?:i|we)\b")
_ASKED_POLITELY = lazy_pattern(r"\b(?:can|could|would|will) you\b[^?]{0,20}$")
_POINTED_AT = lazy_pattern(r"(?:do not|don['’]t|dont|only)\s+\w+\s+(?:it|this|that|them|these|those)\b")
_FOREVER = ("always", "never", "ever ", "every", "each", "永", "从现在", "一律")
_OPENING = frozenset({"", "so", "and", "also", "but", "please", "ok", "okay", "then"})
_IN_EVERY_CASE = lazy_pattern(
    r"[\s*-]*(?:if|when|before|after|unless)\s[^,?!.]{3,80},\s(?:please\s|then\s|you\s)?(?:always|never)\s(?=[a-z])(?!\w{3,}(?:ed|ing)\b)"
)
"""'If a build fails, always ping me': the word for every case makes a rule of it."""
_EVER = frozenset({"always", "never"})
_WEAK = (Category.GOAL, Category.NOTE)
_ITEMS = (Kind.BULLET, Kind.PLAIN)
_MAX_CONDITION = 100
"""Characters from 'when' to the comma after it."""


def find(unit: Utterance) -> Hit | None:
    """A standing cue where an order can stand: at the head of a clause, as what somebody must do, or on a condition."""
    if not _ADVICE_WORDS.isdisjoint(unit.words) and _ADVICE_ASKED.search(unit.lower):
        return None
    if cue := _conditional(unit):
        return Hit(Category.INSTRUCTION, "instruction.conditional", 0.8, _marks(unit, cue))
    if cue := _adverbial(unit):
        return Hit(Category.INSTRUCTION, "instruction.standing", 0.8, _marks(unit, cue))
    cue = _standing(unit)
    if cue is None:
        return None
    if _for_once(unit, cue):
        return Hit(Category.GOAL, "instruction.once", 0.6, _marks(unit, cue))
    return Hit(Category.INSTRUCTION, "instruction.standing", 0.8, _marks(unit, cue))


def listed(heard: Sequence[tuple[Utterance, Hit | None]]) -> list[tuple[Utterance, Hit | None]]:
    """What is listed under a heading that announces rules is a rule, item by item; the heading alone says nothing."""
    found: list[tuple[Utterance, Hit | None]] = []
    items: Kind | None = None
    for (unit, hit), after in zip_longest(heard, heard[1:]):
        if items is unit.kind and not _parted(found[-1][0] if found else unit, unit):
            weak = not is_question(unit.lower) and (hit is None or (hit.category in _WEAK and not hit.marks))
            found.append((unit, Hit(Category.INSTRUCTION, "instruction.listed", 0.8) if weak else hit))
            continue
        items = after[0].kind if after is not None and _announces_rules(unit, after[0]) else None
        if items is None or (hit is not None and hit.category not in _WEAK):
            found.append((unit, hit))
    return found


def _announces_rules(unit: Utterance, after: Utterance) -> bool:
    heads = unit.kind is Kind.HEADING or unit.text.endswith((":", "："))
    if not heads or unit.pasted or after.kind not in _ITEMS or _parted(unit, after):
        return False
    return (
        unit.message is after.message
        and "\n" in unit.message.text[unit.end : after.start]
        and bool(unit.find("instruction.heading"))
    )


def _parted(unit: Utterance, after: Utterance) -> bool:
    """Whether a blank line stands between lines that are no items."""
    between = unit.message.text[unit.end : after.start]
    return after.kind is Kind.PLAIN and between.count("\n") > 1


def _conditional(unit: Utterance) -> Cue | None:
    """'When I ask for prices, add the tax', and 'add the tax when I ask for prices'."""
    if cue := unit.find("instruction.condition"):
        comma = unit.lower.find(",", cue.end, cue.end + _MAX_CONDITION)
        before = unit.lower[: cue.start].strip(" -*\"',")
        once = unit.find("instruction.moment")
        if comma > 0 and before in _OPENING and not once and _order_at(unit, comma + 1):
            return Cue(cue.start, comma)
    if (cue := unit.find("instruction.later")) and _order_at(unit, 0):
        return cue
    if not _EVER.isdisjoint(unit.words) and (match := _IN_EVERY_CASE.match(unit.lower)):
        return Cue(match.start(), match.end())
    return None


def _adverbial(unit: Utterance) -> Cue | None:
    """A word for 'in every case', which needs an order beside it: 'by default, use tabs'."""
    cue = unit.find("instruction.adverbial")
    if cue is None:
        return None
    if not unit.lower[cue.start : cue.end].isascii():
        ordered = next(lexicon("zh")["instruction.order"].find_all(unit.lower[cue.end :]), None)
        return cue if ordered and _CHINESE_HEAD.fullmatch(_clause_before(unit, cue)) else None
    comma = unit.lower.find(",", cue.end)
    ordered_here = _order_at(unit, 0) or _order_at(unit, cue.end) or (comma > 0 and _order_at(unit, comma + 1))
    return cue if ordered_here or _RULE_OF_STATE.search(unit.lower, cue.end) else None


def _standing(unit: Utterance) -> Cue | None:
    cue = unit.find("instruction.standing")
    if cue is None or _DESCRIBES.match(unit.lower, cue.start):
        return None
    said = unit.lower[cue.start : cue.end]
    clause = _clause_before(unit, cue)
    if not said.isascii():
        return cue if not clause.endswith(("我", "我们", "我也", "我都")) else None
    if _RULE_OF_STATE.search(said):
        return cue if not _RELATIVE.search(clause) else None
    if not _HEAD.match(clause):
        return None
    if said.startswith(("make sure", "be sure")) and re.search(r"\bwe\b", clause):
        return None
    if said in ("always", "never") and _SUBJECT.search(clause) and not _MODAL.search(clause):
        return cue if clause.rstrip().endswith("we") and _verb_at(unit, cue.end) else None
    return cue


def _for_once(unit: Utterance, cue: Cue) -> bool:
    """An order for this task only: it names the moment, points at a thing, or asks to see that something gets done."""
    said = unit.lower[cue.start : cue.end]
    if any(word in said for word in _FOREVER):
        return False
    if said.startswith(("make sure", "be sure")):
        rest = unit.lower[cue.end - len(said.split()[-1]) :]
        return lexicon("en")["instruction.manner"].starts(rest, unit.words) is None
    return unit.find("instruction.moment") is not None or _POINTED_AT.match(unit.lower, cue.start) is not None


def _order_at(unit: Utterance, at: int) -> bool:
    """Whether an order begins at an offset of the sentence, after what politeness puts before it."""
    rest = unit.lower[at:].lstrip(" ,:*_\"'`-")
    ordered = any(each["instruction.order"].starts(rest, unit.words) for each in unit.lexicons)
    return ordered or _verb_at(unit, len(unit.lower) - len(rest))


def _verb_at(unit: Utterance, at: int) -> bool:
    rest = unit.lower[at:].lstrip(" ,:")
    return any(each["verb.imperative"].starts(rest, unit.words) for each in unit.lexicons)


def _clause_before(unit: Utterance, cue: Cue) -> str:
    return _CLAUSE_END.split(unit.lower[: cue.start])[-1].lstrip()


def _marks(unit: Utterance, cue: Cue) -> frozenset[Mark]:
    marks = marks_around(unit.lower, cue.start, cue.end) & {Mark.QUESTION, Mark.QUOTED}
    if _ASKED_POLITELY.search(unit.lower, 0, cue.start):
        # 'Could you always name the unit?' asks for nothing but that.
        marks -= {Mark.QUESTION}
    return marks
