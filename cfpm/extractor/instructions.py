"""Instructions: standing rules that the user gives, for more than this one task. An order for this once is a goal."""

from __future__ import annotations

import re

from cfpm.extractor.utterance import Heard, Hit
from cfpm.model import Category, Mark
from cfpm.text import Cue, lexicon, marks_around

_HEAD = re.compile(
    r"(?:(?:and|also|but|so|then|ok|okay|please|kindly|just|remember|you|we|it|they|important|note|rule|this|that|"
    r"i(?:['’]d| would)? (?:want|need|like|prefer) you(?: to)?|one (?:more )?(?:thing|rule)|"
    r"the (?:code|tests?|docs?|output|answers?|commits?|responses?)|should|must|shall|to|is|are|be|not|there|can|could|"
    r"would|will|need to|have to)\b[\s,:;.-]*)*[\s*_\"'`-]*$"
)
"""What may stand in a clause before the word that makes it an order."""

_CHINESE_HEAD = re.compile(
    r"(?:请|你|您|那么?|还有|另外|对了|好的?|我?希望你?|我要你|麻烦|但是?|而且|并且|所以|也|都|就|[\s*_\"'“])*"
)
_SUBJECT = re.compile(r"\b(?:you|we|they|it|this|that|there|the \w+)\b")
_MODAL = re.compile(r"\b(?:must|should|shall|needs?|have to|has to|want|like|prefer|(?:can|could|would|will) you)\b")
"""'They always forget' tells how things are; 'they should always be sorted' tells how they are to be."""

_RULE_OF_STATE = re.compile(r"\b(?:must|should|shall|required|mandatory|forbidden|prohibited|not allowed)\b")
_RELATIVE = re.compile(r"\b(?:that|which|who|what|because|since|as|why|how)\b[^,;:]{0,20}$")
_CLAUSE_END = re.compile(r"[,;:.!?()—–，。；：！？]|\s-\s")
_DESCRIBES = re.compile(
    r"(?:always|never)\s+(?:\w+ing|\w+ed|\w+ly|been|had|was|were|is|are|a|an|the|so|more|too|in|on|at|for|with|from|to|"
    r"there|here|easy|fun|nice|great|good|hard|wrong|mind|again|before|seen|done|known|felt|welcome)\b"
)
"""'Always a pleasure', 'never been there': how things are, not what to do."""

_ADVICE_WORDS = frozenset({"should", "must", "shall", "do"})
_ADVICE_ASKED = re.compile(rf"\b(?:{'|'.join(sorted(_ADVICE_WORDS))}) (?:i|we)\b")
_ASKED_POLITELY = re.compile(r"\b(?:can|could|would|will) you\b[^?]{0,20}$")
_POINTED_AT = re.compile(r"(?:do not|don['’]t|dont|only)\s+\w+\s+(?:it|this|that|them|these|those)\b")
_FOREVER = ("always", "never", "ever ", "every", "each", "永", "从现在", "一律")
_OPENING = frozenset({"", "so", "and", "also", "but", "please", "ok", "okay", "then"})
_IN_EVERY_CASE = re.compile(
    r"[\s*-]*(?:if|when|before|after|unless)\s[^,?!.]{3,80},\s(?:please\s|then\s|you\s)?(?:always|never)\s(?=[a-z])(?!\w{3,}(?:ed|ing)\b)"
)
"""'If a build fails, always ping me': the word for every case makes a rule of it."""
_EVER = frozenset({"always", "never"})
_MAX_CONDITION = 100
"""Characters from 'when' to the comma after it."""


def find(heard: Heard) -> Hit | None:
    """A standing cue where an order can stand: at the head of a clause, as what somebody must do, or on a condition."""
    if not _ADVICE_WORDS.isdisjoint(heard.words) and _ADVICE_ASKED.search(heard.lower):
        return None
    if cue := _conditional(heard):
        return Hit(Category.INSTRUCTION, "instruction.conditional", 0.8, _marks(heard, cue))
    if cue := _adverbial(heard):
        return Hit(Category.INSTRUCTION, "instruction.standing", 0.8, _marks(heard, cue))
    cue = _standing(heard)
    if cue is None:
        return None
    if _for_once(heard, cue):
        return Hit(Category.GOAL, "instruction.once", 0.6, _marks(heard, cue))
    return Hit(Category.INSTRUCTION, "instruction.standing", 0.8, _marks(heard, cue))


def _conditional(heard: Heard) -> Cue | None:
    """'When I ask for prices, add the tax', and 'add the tax when I ask for prices'."""
    if cue := heard.find("instruction.condition"):
        comma = heard.lower.find(",", cue.end, cue.end + _MAX_CONDITION)
        before = heard.lower[: cue.start].strip(" -*\"',")
        once = heard.find("instruction.moment")
        if comma > 0 and before in _OPENING and not once and _order_at(heard, comma + 1):
            return Cue(cue.start, comma)
    if (cue := heard.find("instruction.later")) and _order_at(heard, 0):
        return cue
    if not _EVER.isdisjoint(heard.words) and (match := _IN_EVERY_CASE.match(heard.lower)):
        return Cue(match.start(), match.end())
    return None


def _adverbial(heard: Heard) -> Cue | None:
    """A word for 'in every case', which needs an order beside it: 'by default, use tabs'."""
    cue = heard.find("instruction.adverbial")
    if cue is None:
        return None
    if not heard.lower[cue.start : cue.end].isascii():
        ordered = next(lexicon("zh")["instruction.order"].find_all(heard.lower[cue.end :]), None)
        return cue if ordered and _CHINESE_HEAD.fullmatch(_clause_before(heard, cue)) else None
    comma = heard.lower.find(",", cue.end)
    ordered_here = _order_at(heard, 0) or _order_at(heard, cue.end) or (comma > 0 and _order_at(heard, comma + 1))
    return cue if ordered_here or _RULE_OF_STATE.search(heard.lower, cue.end) else None


def _standing(heard: Heard) -> Cue | None:
    cue = heard.find("instruction.standing")
    if cue is None or _DESCRIBES.match(heard.lower, cue.start):
        return None
    said = heard.lower[cue.start : cue.end]
    clause = _clause_before(heard, cue)
    if not said.isascii():
        return cue if not clause.endswith(("我", "我们", "我也", "我都")) else None
    if _RULE_OF_STATE.search(said):
        return cue if not _RELATIVE.search(clause) else None
    if not _HEAD.match(clause):
        return None
    if said.startswith(("make sure", "be sure")) and re.search(r"\bwe\b", clause):
        return None
    if said in ("always", "never") and _SUBJECT.search(clause) and not _MODAL.search(clause):
        return cue if clause.rstrip().endswith("we") and _verb_at(heard, cue.end) else None
    return cue


def _for_once(heard: Heard, cue: Cue) -> bool:
    """An order for this task only: it names the moment, points at a thing, or asks to see that something gets done."""
    said = heard.lower[cue.start : cue.end]
    if any(word in said for word in _FOREVER):
        return False
    if said.startswith(("make sure", "be sure")):
        rest = heard.lower[cue.end - len(said.split()[-1]) :]
        return lexicon("en")["instruction.manner"].starts(rest) is None
    return heard.find("instruction.moment") is not None or _POINTED_AT.match(heard.lower, cue.start) is not None


def _order_at(heard: Heard, at: int) -> bool:
    """Whether an order begins at an offset of the sentence, after what politeness puts before it."""
    rest = heard.lower[at:].lstrip(" ,:*_\"'`-")
    ordered = any(phrases.starts(rest) for phrases in heard.sections["instruction.order"])
    return ordered or _verb_at(heard, len(heard.lower) - len(rest))


def _verb_at(heard: Heard, at: int) -> bool:
    rest = heard.lower[at:].lstrip(" ,:")
    return any(phrases.starts(rest) for phrases in heard.sections["verb.imperative"])


def _clause_before(heard: Heard, cue: Cue) -> str:
    return _CLAUSE_END.split(heard.lower[: cue.start])[-1].lstrip()


def _marks(heard: Heard, cue: Cue) -> frozenset[Mark]:
    marks = marks_around(heard.lower, cue.start, cue.end) & {Mark.QUESTION, Mark.QUOTED}
    if _ASKED_POLITELY.search(heard.lower, 0, cue.start):
        # 'Could you always cite your sources?' asks for nothing but that.
        marks -= {Mark.QUESTION}
    return marks
