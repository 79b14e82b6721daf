"""Finds what somebody takes back ("I misspoke, the talk starts at ten"), and what has changed since it was told.

The sentence must say so; then an older one is meant that says the same but for its value. What nobody says to have
changed is left to slots and figures. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cfpm.model.bytecode import compiled
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

_LEAD = lazy_pattern(
    r"\W*(?:(?:oh|ah|so|and|but|well|ok|okay|sorry|wait|no)\b\W*)*"
    r"(?:(?:no|wait|sorry|oops|correction|rather|i mean|actually|update)\b|scratch that|strike that|"
    r"(?:small |a |my )?typo\b|(?:i|we)(?:['’]ve| have| had| just)? "
    r"(?:misspoke|mistyped|misremembered|miscounted|misread|mixed (?:it|that|them|this) up|made a mistake)|"
    r"i (?:meant|was wrong|got (?:it|that) wrong)|my (?:mistake|bad|error|fault)|that was wrong|"
    r"change of plans?|let me (?:rephrase|correct)|forget (?:what|that)|make that|"
    r"(?:我)?(?:刚才|刚刚|之前|上面|前面)?(?:说错|写错|打错|记错|弄错|搞错|更正|纠正|口误|笔误|改一下|计划有变|不对|不是|其实))"
    r"[^,.;:，。；：!！–—]{0,40}[,.;:，。；：!！–—]+\s*",
    re.IGNORECASE,
)
_DENIED = lazy_pattern(r"(?:not\b|不是)[^,.;:，。；：]{1,40}[,.;:，。；：]+\s*(?:but )?", re.IGNORECASE)
"""'..., not Ann, ...': what it was not, before what it is."""
_WORD = lazy_pattern(r"[零〇一二两三四五六七八九十百千万]+|[a-z0-9_'’]+(?:[.:/-]\w+)*|[\w=]")
_NOW = frozenset(["now", "instead", "really", "actually"])
_BESIDE = frozenset(["also", "too", "another", "both", "也", "还"])
"""Words of what comes to the other and does not take its place."""
_USED = lazy_pattern("用的是")
_MAX_NEW = 3
"""Words, or Chinese characters, that a correction puts in the place of others."""
_MIN_SAME = 2
_MIN_SAME_CHINESE = 3
"""Words, and Chinese characters, that both say."""


_REVOKES = lazy_pattern(
    r"\W{0,9}(?:(?:oh|ah|hm+|uh|um|eh|so|but|and|well|ok|okay)\b\W{0,9})*(?:"
    r"(?:(?:no|nah|nope|actually|wait|sorry|hang on|hold on|on second thoughts?)\b\W{0,9})*"
    r"(?:(?:scrap|scratch|strike) (?:that|this|it)|never ?mind(?: that)?(?=\s{0,3}(?:$|[,.;:!?–—-]))|"
    r"i take (?:that|it) back)|"
    r"(?:(?:no|nah|nope|actually|wait|sorry|on second thoughts?)\b\W{0,9})+"
    r"(?:forget|drop|skip|cancel|ignore) (?:that|it)|"
    r"(?:不对?|算了|呃|哎|嗯|等等)?\W{0,9}(?:当我没说|收回(?:刚才|上一?句|前面)|"
    r"(?:刚才|刚刚|上面|前面)(?:那句|那条|说的)?\W{0,9}(?:不算|作废|划掉|取消)))"
    r"(?=\W|$|[\u4e00-\u9fff])(?:的?话)?\W{0,9}",
    re.IGNORECASE,
)
_A_VALUE = 3
"""Words, or half as many Chinese characters, below which what stands behind such words is only another value: "scrap
that, six"."""
_NAMES_ONE = lazy_pattern(r"(?:make|call|say) (?:it|that)\b|改成|改为|换成", re.IGNORECASE)

_EXCEPTS = lazy_pattern(
    r"\b(?:does|do)(?:n['’]?t| not) (?:count|apply|hold|go|extend) (?:for|to|here|there|with|when|on|in)\b|"
    r"\bexcept(?: for| when| if| in| on| to)?\b|\b(?:the )?(?:only )?exceptions? (?:is|are|to)\b|\bexempt\b|"
    r"不适用|不在此列|例外|除外|除了",
    re.IGNORECASE,
)
_THE_RULE = lazy_pattern(
    r"\b(?:that|this|the)(?: [\w'’-]+){0,4} (?:rule|thing|reminder|instruction|policy|habit)\b|"
    r"[那这](?:条|个(?:规矩|规则|规定|要求|提醒|约定))",
    re.IGNORECASE,
)
_IS_OVER = lazy_pattern(
    r"\b(?:no longer|any ?more|scrap|drop|stop|cancel|forget|off|over|gone|history|dead|undo|lift(?:ed)?|not needed)\b|"
    r"取消|作废|别[再弄搞发用管了]|不用|不要|不必|去掉|删|免了|算了|停",
    re.IGNORECASE,
)


def revokes(text: str) -> bool:
    """Whether it takes back what was said right before as a whole: "Well no, scratch that, the shop wants inches". What
    only names another value leaves what that is of."""
    found = _REVOKES.match(text)
    if found is None:
        return False
    behind = _WORD.findall(text, found.end())
    least = 2 * _A_VALUE if any(map(_CJK.match, behind)) else _A_VALUE
    return not behind or (len(behind) >= least and _NAMES_ONE.match(text, found.end()) is None)


def excepts(text: str) -> bool:
    """Whether it tells an exception, so that a rule holds for all else: "That doesn't count for contracts"."""
    return _EXCEPTS.search(text) is not None


def ends_as_a_whole(text: str) -> bool:
    """Whether it names a rule as one and says that it is over, so that no part of it is left."""
    named = _THE_RULE.search(text)
    return named is not None and _IS_OVER.search(text, named.end()) is not None


_IS = r"(?:(?:it|that|he|she|they)(?:['’]s| is| was| are|['’]re) )?"
_LEADS = r"\W*(?:(?:oh|so|and|but|well|no|sorry|wait|actually)\b\W*)*"
_CONTRAST = lazy_pattern(
    rf"(?:[,;–—-]|\band)\s*{_IS}not (?P<behind>[^,;.!?–—]{{2,40}})[.!]*$|"
    rf"^{_LEADS}{_IS}not (?P<before>[^,;.!?–—]{{2,40}})(?:[,;–—-]|\s+but\b)\s*\S|"
    r"(?:，|,|^)\s*(?:可|而)?(?:并)?不是(?P<chinese>[^，,；。！？]{1,12})",
    re.IGNORECASE,
)
"""'It's lactose, not gluten', 'not gluten but lactose': what it was taken for."""
_POINTS = lazy_pattern(rf"{_LEADS}(?:(?:it|that|this|they)\b|not\b)|不是|是|其实", re.IGNORECASE)
_SHORT = 12
"""Words of a sentence that only sets one thing against another."""


def denied_in(text: str) -> str:
    """What a short sentence says that something is not, beside what it is; empty for any other."""
    if len(text.split()) > _SHORT:
        return ""
    match = _CONTRAST.search(text)
    return next((found for found in match.groups() if found), "").strip() if match else ""


def only_contrasts(text: str) -> bool:
    """Whether it says what something is and is not, and not of what: "It's lactose, not gluten"."""
    return _POINTS.match(text) is not None and bool(denied_in(text))


def said_instead(text: str) -> str:
    """The sentence behind the words that take something back; empty when there are none, or several sentences."""
    lead = _LEAD.match(text)
    if lead is None:
        return ""
    denied = _DENIED.match(text, lead.end())
    return _USED.sub("用", text[denied.end() if denied else lead.end() :].strip())


def takes_back(instead: str, said: str) -> bool:
    """Whether `instead` says the same as `said` but for a few words in one place."""
    new, old = _words(instead), _words(said)
    if not _BESIDE.isdisjoint(new):
        return False
    before = _common(new, old)
    behind = _common(new[before:][::-1], old[before:][::-1])
    gone, come = len(old) - before - behind, len(new) - before - behind
    cjk = any(map(_CJK.match, new))
    enough = before + behind >= (_MIN_SAME_CHINESE if cjk else _MIN_SAME) and before > 0
    return enough and 0 < gone <= _MAX_NEW and 0 < come <= _MAX_NEW


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _NOW]


def _common(one: list[str], other: list[str]) -> int:
    """How many words agree from the beginning."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


_SIGNAL = lazy_pattern(
    r"\b(?:now|nowadays|since then|no longer|any ?more|any longer|instead|left|quit|gone|replaced|took over|renamed|"
    r"moved|shifted|switched|changed|rescheduled|postponed|pushed|delayed|brought forward|raised|lowered|bumped|"
    r"upgraded|downgraded|turned out|it turns out|became|has become|starting|as of|went up|went down|gone up|"
    r"gone down|rose|fell|these days)\b|[改换挪调搬移]|推迟|提前|现在|如今|不再|变成|变为"
)
"""Says, in lower case, that something is no longer what it was; to ask without regard to case takes twice as long."""
_SHIFTED = lazy_pattern(
    r"(?:['’]s|\b(?:has|have|had|was|were|is|are|got|gets|been|being|just|now|recently|finally)\b|\s)+"
    r"\b(?:moved|shifted|changed|rescheduled|postponed|pushed(?: back| out)?|delayed|brought forward|switched|renamed)"
    r"(?:\s+from\s+[^,;]{1,30}?)?\s+(?:to|till|until|into|by)\b(?:\s+(?:on|at))?",
    re.IGNORECASE,
)
_IS_AT = lazy_pattern(
    r"\s+(?:is|are|was|were|takes place|happens|will be)(?:\s+(?:scheduled|planned|set|due|now|currently))*"
    r"\s+(?:for|on|at|in|by)\b|\s+(?:is|are|was|were) (?:called|named)\b",
    re.IGNORECASE,
)
_WE_SHIFTED = lazy_pattern(
    r"^(?:i|we)(?:['’]ve| have| just| recently| finally)* (?:moved|shifted|changed|rescheduled|renamed|switched|"
    r"postponed|raised|"
    r"lowered|bumped|set) (?P<what>(?:the|my|our) \w+(?: \w+){0,2}?)(?: from [^,;]{1,30}?)? to (?P<value>.+)$",
    re.IGNORECASE,
)
"""'We renamed our bucket to lime-prod.'"""
_SINCE_WHEN = lazy_pattern(
    r"^(?:starting|as of|from|since|effective)\b[\w ]{1,24}?,?\s(?=(?:the|my|our|we|i)\b)|\s(?:now|these days|"
    r"nowadays|instead)$",
    re.IGNORECASE,
)
_TURNED_ROUND = lazy_pattern(
    r"^(?P<value>[\w ]{1,30}?) (?:is|are) (?:my|our|the) (?:new )?(?P<what>\w+(?: \w+)?)$", re.IGNORECASE
)
"""'Henrik is our designer', which is 'our designer is Henrik'."""
_CHINESE_SHIFT = lazy_pattern(r"(?:现在|已经|又|都|被)*(?:改|换|挪|搬|移|调整?|推迟|提前|延期|变)(?:到|成|为|在|至)了?")
_CHINESE_IS = lazy_pattern(r"(?:定|安排|设|放)?(?:在|是|为)")
_CHINESE_RENEWED = lazy_pattern(
    r"(?:我们?|咱们?)?换(?:了(?:个|一个|新)?)?(?P<what>[^，。；了]{1,8})了?[，；。]\s*(?:现在)?(?=是|用|叫|在)"
)
_CHINESE_LIGHT = lazy_pattern("我们?的?|咱们?的?|的|了$|现在|已经")
_CLAUSE = lazy_pattern(r"[,;:—–]\s+|\s(?:and|so|but)\s|[，；：]")
_ARTICLE = lazy_pattern(r"\b(?:the|my|our|a|an)\s+", re.IGNORECASE)
_IT = lazy_pattern(r"(?:it|that|this|they)(?P<be>['’]s|['’]re)?\b", re.IGNORECASE)
_SUBJECT = lazy_pattern(
    r"(?P<subject>(?:the|my|our|this)\s+\w+(?:\s\w+)?)\s+(?:has|have|had|was|were|is|are|got|['’]s)\b", re.IGNORECASE
)
_COPULA = lazy_pattern(r"^.{1,40}?\s(?=(?:is|are|was|were)\s)", re.IGNORECASE)
_OVER = lazy_pattern(
    r"\b(?P<who>i|we)(?:['’](?:m|re)| am| are)? (?P<how>no longer|don['’]t|do not|not) "
    r"(?P<what>[^,;.:!?—–]{4,60}?)(?P<more>\s+any ?(?:more|longer))?(?=[,;.:!?—–]|\s(?:and|but|so|because|since)\b|$)",
    re.IGNORECASE,
)
_CHINESE_OVER = lazy_pattern(r"我们?(?:现在|已经)?不(?:再)?(?P<what>[^，。；不]{2,10}?)了")
_CHINESE_OPENING = lazy_pattern(
    r"(?:我们?的|咱们?的|我们|咱们|"
    r"我)?(?P<what>[\u3400-\u9fff]{0,8}?)(?P<verb>不?[是在为用叫有住吃喝学养开改换挪搬移调推=])"
)
_CJK = lazy_pattern(r"[\u3400-\u9fff]")
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


def called_off(text: str) -> list[str]:
    """What a sentence says to take place no longer, in lower case; nothing for what is called off this once."""
    lower, signs = text.lower(), _signs_of_end()
    if signs.this_once.search(lower):
        return []
    return list(dict.fromkeys(found["what"].strip() for sign in signs.patterns for found in sign.finditer(lower)))


def for_this_once(text: str) -> bool:
    """Whether something is called off in it, and only this once."""
    lower, signs = text.lower(), _signs_of_end()
    return signs.this_once.search(lower) is not None and any(sign.search(lower) for sign in signs.patterns)


def was_planned(what: str, said: str) -> bool:
    """Whether an older statement plans what is called off: it names all of it, whatever else it says."""
    lower, signs = said.lower(), _signs_of_end()
    if not signs.planned.search(lower):
        return False
    if _CJK.search(what):
        return _longest_common(what, lower) >= max(2, _MOST_OF_IT * len(what))
    words = set(map(_singular, _NAME.findall(what))) - signs.small
    return bool(words) and words <= set(map(_singular, _NAME.findall(lower)))


_NAME = lazy_pattern(r"[^\W_]+")
_MOST_OF_IT = 0.5
"""Share of a Chinese name of what is called off that the older statement must hold."""


@dataclass(frozen=True, slots=True)
class _SignsOfEnd:
    """`called_off.toml`, compiled."""

    patterns: tuple[re.Pattern[str], ...]
    this_once: re.Pattern[str]
    planned: re.Pattern[str]
    small: frozenset[str]


@cache
def _signs_of_end() -> _SignsOfEnd:
    told = toml_table("cfpm.text", "called_off")
    patterns = []
    for row in told["called_off"]:
        pattern = row["pattern"]
        for name, part in told["parts"].items():
            pattern = pattern.replace("{" + name + "}", part)
        patterns.append(compiled(pattern))
    this_once, planned = compiled(told["this_once"]), compiled(told["planned"])
    return _SignsOfEnd(tuple(patterns), this_once, planned, frozenset(told["small"].split()))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _longest_common(one: str, other: str) -> int:
    """Characters of the longest piece of one that stands in the other."""
    pieces = (one[start:end] for start in range(len(one)) for end in range(start + 1, len(one) + 1))
    return max((len(piece) for piece in pieces if piece in other), default=0)
