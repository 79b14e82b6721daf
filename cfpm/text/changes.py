"""Finds what has changed since it was told: "the demo got moved to Friday", "Ann left; my boss is Lea now".

The sentence must say that something changed; then an older one is meant that says the same but for its value. What
nobody says to have changed is left to slots and figures. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cfpm.text.retractions import takes_back

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNAL = re.compile(
    r"\b(?:now|nowadays|since then|no longer|any ?more|any longer|instead|left|quit|gone|replaced|took over|renamed|"
    r"moved|shifted|switched|changed|rescheduled|postponed|pushed|delayed|brought forward|raised|lowered|bumped|"
    r"upgraded|downgraded|turned out|it turns out|became|has become|starting|as of|went up|went down|gone up|"
    r"gone down|rose|fell|these days)\b|[改换挪调搬移]|推迟|提前|现在|如今|不再|变成|变为"
)
"""Says, in lower case, that something is no longer what it was; to ask without regard to case takes twice as long."""
_SHIFTED = re.compile(
    r"(?:['’]s|\b(?:has|have|had|was|were|is|are|got|gets|been|being|just|now|recently|finally)\b|\s)+"
    r"\b(?:moved|shifted|changed|rescheduled|postponed|pushed(?: back| out)?|delayed|brought forward|switched|renamed)"
    r"(?:\s+from\s+[^,;]{1,30}?)?\s+(?:to|till|until|into|by)\b(?:\s+(?:on|at))?",
    re.IGNORECASE,
)
_IS_AT = re.compile(
    r"\s+(?:is|are|was|were|takes place|happens|will be)(?:\s+(?:scheduled|planned|set|due|now|currently))*"
    r"\s+(?:for|on|at|in|by)\b|\s+(?:is|are|was|were) (?:called|named)\b",
    re.IGNORECASE,
)
_WE_SHIFTED = re.compile(
    r"^(?:i|we)(?:['’]ve| have| just| recently| finally)* (?:moved|shifted|changed|rescheduled|renamed|switched|"
    r"postponed|raised|"
    r"lowered|bumped|set) (?P<what>(?:the|my|our) \w+(?: \w+){0,2}?)(?: from [^,;]{1,30}?)? to (?P<value>.+)$",
    re.IGNORECASE,
)
"""'We renamed our bucket to lime-prod.'"""
_SINCE_WHEN = re.compile(
    r"^(?:starting|as of|from|since|effective)\b[\w ]{1,24}?,?\s(?=(?:the|my|our|we|i)\b)|\s(?:now|these days|"
    r"nowadays|instead)$",
    re.IGNORECASE,
)
_TURNED_ROUND = re.compile(
    r"^(?P<value>[\w ]{1,30}?) (?:is|are) (?:my|our|the) (?:new )?(?P<what>\w+(?: \w+)?)$", re.IGNORECASE
)
"""'Henrik is our designer', which is 'our designer is Henrik'."""
_CHINESE_SHIFT = re.compile(r"(?:现在|已经|又|都|被)*(?:改|换|挪|搬|移|调整?|推迟|提前|延期|变)(?:到|成|为|在|至)了?")
_CHINESE_IS = re.compile(r"(?:定|安排|设|放)?(?:在|是|为)")
_CHINESE_RENEWED = re.compile(
    r"(?:我们?|咱们?)?换(?:了(?:个|一个|新)?)?(?P<what>[^，。；了]{1,8})了?[，；。]\s*(?:现在)?(?=是|用|叫|在)"
)
_CHINESE_LIGHT = re.compile("我们?的?|咱们?的?|的|了$|现在|已经")
_CLAUSE = re.compile(r"[,;:—–]\s+|\s(?:and|so|but)\s|[，；：]")
_ARTICLE = re.compile(r"\b(?:the|my|our|a|an)\s+", re.IGNORECASE)
_IT = re.compile(r"(?:it|that|this|they)(?P<be>['’]s|['’]re)?\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"(?P<subject>(?:the|my|our|this)\s+\w+(?:\s\w+)?)\s+(?:has|have|had|was|were|is|are|got|['’]s)\b", re.IGNORECASE
)
_COPULA = re.compile(r"^.{1,40}?\s(?=(?:is|are|was|were)\s)", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?P<who>i|we)(?:['’](?:m|re)| am| are)? (?P<how>no longer|don['’]t|do not|not) "
    r"(?P<what>[^,;.:!?—–]{4,60}?)(?P<more>\s+any ?(?:more|longer))?(?=[,;.:!?—–]|\s(?:and|but|so|because|since)\b|$)",
    re.IGNORECASE,
)
_CHINESE_OVER = re.compile(r"我们?(?:现在|已经)?不(?:再)?(?P<what>[^，。；不]{2,10}?)了")
_CHINESE_OPENING = re.compile(
    r"(?:我们?的|咱们?的|我们|咱们|"
    r"我)?(?P<what>[\u3400-\u9fff]{0,8}?)(?P<verb>不?[是在为用叫有住吃喝学养开改换挪搬移调推=])"
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_MIN_BESIDE = 4
"""Words that an older sentence shares with one about 'it', the two of 'it is' among them."""
MAX_CHARS = 200
"""Longer sentences say more than one thing."""


def renewed(text: str) -> tuple[str, ...]:
    """The clauses of a text that says that something changed, each told so that it can be held against the older."""
    if len(text) > MAX_CHARS or not _SIGNAL.search(text.lower()) or text.rstrip().endswith(("?", "？")):
        return ()
    text = text.strip().rstrip(".!。！")
    if _CJK.search(text):
        return _chinese(text)
    subject = _SUBJECT.match(text)
    clauses = [form for clause in _CLAUSE.split(text) for form in _forms(clause, subject["subject"] if subject else "")]
    return tuple(form for form in map(_plain, clauses) if len(form.split()) > 2)


def _forms(clause: str, subject: str) -> Iterator[str]:
    """A clause as an older sentence may have put it."""
    clause = _SINCE_WHEN.sub("", clause)
    if moved := _WE_SHIFTED.match(clause):
        yield f"{moved['what']} = {moved['value']}"
    if turned := _TURNED_ROUND.match(clause):
        yield f"{turned['what']} is {turned['value']}"
    it = _IT.match(clause)
    if it and subject:
        yield _SHIFTED.sub(" = ", f"{subject}{' is' if it['be'] else ''}{clause[it.end() :]}")
    elif it and it["be"]:
        yield f"it is{clause[it.end() :]}"
    else:
        yield _SHIFTED.sub(" = ", clause)


def takes_place(clause: str, said: str) -> bool:
    """Whether such a clause says the same as an older sentence but for a few words in one place."""
    said = said.strip().rstrip(".!。！")
    if _CJK.search(clause):
        return takes_back(clause, _CHINESE_LIGHT.sub("", _CHINESE_IS.sub("=", said, count=1)))
    if clause.startswith("it is "):
        told = _COPULA.sub("it ", said)
        return told != said and _shared(clause, told) >= _MIN_BESIDE and takes_back(clause, told)
    return takes_back(clause, _plain(_IS_AT.sub(" = ", said) if " = " in clause else said))


def is_over(text: str, said: str) -> bool:
    """Whether a text ends what an older sentence tells as lasting: "I don't work at the bakery any more"."""
    if (ended := _CHINESE_OVER.search(text)) and _CJK.search(said):
        return ended["what"] in said
    match = _OVER.search(text)
    if match is None or (match["how"].lower() != "no longer" and not match["more"]):
        return False
    what, known = _plain(match["what"]).lower().split(), _plain(said).lower().rstrip(".!").split()
    begins = [match["who"].lower(), what[0]]
    return (
        len(what) > 1
        and begins in (known[:2], [*known[:1], *known[2:3]])
        and {word.removesuffix("s") for word in what} <= {word.removesuffix("s") for word in known}
    )


def opening_key(text: str) -> str:
    """Under which a Chinese sentence is found by what it is about; its words are not parted by spaces."""
    if not _CJK.search(text):
        return ""
    match = _CHINESE_OPENING.match(_CHINESE_LIGHT.sub("", text))
    return f"zh:{match['what'] or match['verb'][-1]}" if match else ""


def _chinese(text: str) -> tuple[str, ...]:
    if match := _CHINESE_RENEWED.match(text):
        text = match["what"] + text[match.end() :]
    clauses = (_CHINESE_SHIFT.sub("=", clause, count=1) for clause in _CLAUSE.split(text))
    plain = (
        _CHINESE_LIGHT.sub("", _CHINESE_IS.sub("=", clause, count=1) if "=" not in clause else clause)
        for clause in clauses
    )
    return tuple(clause for clause in plain if "=" in clause[1:])


def _plain(text: str) -> str:
    return " ".join(_ARTICLE.sub("", f"{text} ").split())


def _shared(one: str, other: str) -> int:
    return len(set(one.lower().split()) & set(other.lower().split()))
