"""Finds the slot and the value in a simple sentence: "the port is 8080". In doubt there is no slot. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

NONE = ("", "")

MAX_SLOT_CHARS = 300
"""A slot sentence is short; a longer one says more than one thing."""

_HINT = lazy_pattern(
    r"[=:：]|\b(?:is|are|was|were|lives?|resides?|living|works?|working|using|uses?|prefers?|to|equals)\b|[是为叫用住搬在]|改[成到]"
)
"""What every slot sentence contains; most sentences end here."""

_OPENING = lazy_pattern(
    r"^(?:(?:actually|now|currently|so|ok|okay|well|oh|no|yes|and|but|update|correction|note|fyi|by the way"
    r"|remember|sorry|oops|wait|my mistake|i was wrong|i meant|as i said)[,:.!]?\s+"
    r"|(?:更正|纠正|说错|弄错|更新)(?:一下|了)?[，,:：。\s]+|(?:不对|其实|记住)[，,:：。\s]+)+",
    re.IGNORECASE,
)
_CLOSING = lazy_pattern(
    r"\s*,?\s+(?:now|instead|these days|nowadays|at the moment|currently|today|from now on|as of \w+"
    r"|last (?:week|month|year|spring|summer|autumn|fall|winter)|yesterday|recently|this (?:week|month|year))$",
    re.IGNORECASE,
)
_NO_LONGER = lazy_pattern(r",?\s+(?:so|and)\s+(?:(?:i|we)\s+(?:no longer|don't|do not)|not)\s.*$", re.IGNORECASE)
"""What was so before, behind what is so now."""
_REASON = lazy_pattern(r",?\s+(?:because|due to|since|so that)\s", re.IGNORECASE)
"""Where a sentence begins to say why, the slot has ended."""
_EDGE = " \t.,;:!?\"'`*。，；：！？“”「」"
_ARTICLE = lazy_pattern(r"^(?:the|our|this)\s+", re.IGNORECASE)
_PLACE = lazy_pattern(r"^(?:in|on|at|to|from|with|for|by|about|under|over|near|up|down|out)\s", re.IGNORECASE)
_TURNED = lazy_pattern(
    r"\b(?:not|no|never|none|nothing|without|if|unless|when|while|but|although|or|maybe|perhaps|might"
    r"|may(?!\s+\d)|could|would|should)\b|n't\b|[?？]|不|没|未|如果|可能|或者|但",
    re.IGNORECASE,
)


def _pattern(text: str) -> re.Pattern[str]:
    """Spaces stand for white space, WORDS(n) for up to n words."""
    text = re.sub(r"WORDS\((\d+)\)", lambda n: rf"[^\s,;]+(?:\s+[^\s,;]+){{0,{int(n[1]) - 1}}}", text)
    return lazy_pattern("^" + text.replace(" ", r"\s+") + "$", re.IGNORECASE)


_SUBJECT = r"(?P<subject>[^\s,;:]+(?:\s+[^\s,;:]+){0,5}?)"
_VALUE = r"(?P<value>\S+(?:\s+\S+){0,7})"
_LIVES = (
    _pattern(rf"{_SUBJECT} (?:(?:am|is|are) living|lives?|resides?) in {_VALUE}"),
    _pattern(r"(?P<subject>\w+)(?: have| has| just)* moved to (?P<value>WORDS(5))"),
)
_WORKS = _pattern(rf"{_SUBJECT} (?:(?:am|is|are) working|works?) (?:at|for) {_VALUE}")
_USES = _pattern(rf"(?:{_SUBJECT}\s+)?(?:use|uses|using) (?P<value>WORDS(4)?) (?:for|as) (?P<what>WORDS(5))")
_SWITCHED = _pattern(
    r"(?P<subject>i|we)(?:'ve| have| just| recently| now){0,2} (?:switched|migrated)(?: over)?(?: from WORDS(4)?)?"
    r" to (?P<value>WORDS(4)?) (?:for|as) (?P<what>WORDS(5))"
)
_DATED = _pattern(
    r"(?P<subject>(?:the|our|my) WORDS(3)?) (?:is|was) (?:(?:scheduled|planned|set|due) )?(?:for|on|at)"
    r" (?P<value>WORDS(4))"
)
_DAY = lazy_pattern(r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:noon|midnight|tomorrow)\b", re.IGNORECASE)
ON = " is on"
"""Ends the topic of what has a date. A second date of the like is a correction only where that is said: there are
many meetings."""
_PREFERS = _pattern(rf"{_SUBJECT} prefers? (?P<value>WORDS(4)?) (?:over|to|rather than|instead of) (?P<other>WORDS(4))")
_LISTS = toml_table("cfpm.text.quantities", "slots")
_CHANGED = "|".join(_LISTS["changed"].split())
_TO = r"(?: from WORDS(4)?)? to (?P<value>WORDS(4)?)(?:,? (?:after|so|which|for|by|with|and) .*)?"
_SHIFTED = (
    _pattern(rf"{_SUBJECT} (?:(?:was|were|is|are|has|have|been|recently|just|now)\s+){{0,3}}(?:{_CHANGED}){_TO}"),
    _pattern(
        rf"(?:i|we)(?:'ve| have| just| recently){{0,2}} (?:{_CHANGED}) (?P<subject>(?:my|our|the) WORDS(4)?){_TO}"
    ),
)
"""A verb of change says that the noun has one value, whatever the noun."""
_IS = _pattern(
    rf"{_SUBJECT}(?:\s+(?:is|are|was|were|=|equals|stands at|defaults to)\s+|\s*(?:=|:(?=\s|\d{{2}}))\s*){_VALUE}"
)
_EXACT = lazy_pattern(
    r"^[\"'`]?(?:[$€£¥]?v?\d[\w.:,/%°-]*|[\w.-]*[/\\_@][\w./\\@:-]*|true|false|on|off|yes|no)[\"'`]?(?:\s+(?:\w{1,8}|%))?$",
    re.IGNORECASE,
)
"""A value that cannot be a description: a number, a path, an address, a switch."""
_ZH_LIVES = lazy_pattern(
    r"^(?P<subject>我|他|她|用户|(?!现在|目前|已经|刚|最近|上|去|今)\w{2,4}?)?(?:现在|目前|已经|刚刚?|最近|上个?月|上周|去年|今年)*"
    r"(?:住在|居住在|搬到了?|搬去了?)(?P<value>[\w\s]{1,20}?)了?$"
)
_ZH_PARTS = lazy_pattern(r"[，；,;]")
_ZH_WORKS = lazy_pattern(r"^(?P<subject>我|他|她|用户)(?:现在|目前)?在(?P<value>[\w\s]{1,20})(?:工作|上班|任职)$")
_ZH_IS = lazy_pattern(
    r"^(?P<subject>[\w\s]{1,20}?)(?:现在|目前|已经|已)?(?:是|为|改为|改成|改到|设为|设置为|叫|等于|[:：=])\s*"
    r"(?P<value>[^\s，。；]{1,40})$"
)
_ZH_USES = lazy_pattern(
    r"^(?P<subject>[\w\s]{0,10}?)(?:使用|采用|用)(?P<value>[\w\s.+-]{1,20}?)(?:作为|来?做)(?P<what>[\w\s]{1,20})$"
)
_ZH_OUR = lazy_pattern(r"^(?:我们|咱们?)的?(?=.)")


_NOW = lazy_pattern(r"\b(?:now|currently|presently|nowadays)\s+(?=\w)", re.IGNORECASE)
"""'I now live in' fills the same slot as 'I live in'; which of the two is newer is not read from words."""


@lru_cache(maxsize=1_024)
def topic_and_value(content: str) -> tuple[str, str]:
    """The slot, in canonical form, and its value as written; two empty texts when the sentence is no slot sentence."""
    if len(content) > MAX_SLOT_CHARS or not _HINT.search(content) or "\n" in content.strip():
        return NONE
    text = " ".join(unicodedata.normalize("NFKC", content).replace("’", "'").split())
    if text.endswith("?"):
        return NONE
    text = _REASON.split(_OPENING.sub("", text.strip(_EDGE)), maxsplit=1)[0]
    text = _NOW.sub("", _CLOSING.sub("", _NO_LONGER.sub("", text))).strip(_EDGE)
    if not text or _TURNED.search(text):
        return NONE
    return _chinese(text) if re.search(r"[\u4e00-\u9fff]", text) else _english(text)


def _english(text: str) -> tuple[str, str]:
    for pattern in _LIVES:
        if (found := pattern.match(text)) is not None and _is_someone(found["subject"]):
            return _slot(f"{_topic(found['subject'])} live in", found["value"])
    if (found := _WORKS.match(text)) is not None and _is_someone(found["subject"]):
        return _slot(f"{_topic(found['subject'])} work at", found["value"])
    if (found := _PREFERS.match(text)) is not None:
        pair = " / ".join(sorted((_topic(found["value"]), _topic(found["other"]))))
        return _slot(f"{_topic(found['subject'])} prefer {pair}", found["value"])
    if (found := _SWITCHED.match(text)) is not None:
        return _slot(f"{_topic(found['subject'])} use for {_topic(found['what'])}", found["value"])
    if (found := _DATED.match(text)) is not None and _DAY.search(found["value"]):
        return _slot(_topic(found["subject"]) + ON, found["value"])
    if (found := _USES.match(text)) is not None:
        return _slot(f"{_topic(found['subject'] or '')} use for {_topic(found['what'])}".strip(), found["value"])
    for pattern in _SHIFTED:
        if (found := pattern.match(text)) is not None:
            topic = _topic(found["subject"])
            return NONE if topic.split()[0] in _words("no_subject") else _slot(topic, found["value"])
    return _named(found["subject"], found["value"]) if (found := _IS.match(text)) is not None else NONE


def _chinese(text: str) -> tuple[str, str]:
    lives = (_ZH_LIVES.match(part.strip()) for part in reversed(_ZH_PARTS.split(text)))
    if (found := next((match for match in lives if match), None)) is not None:
        return _slot(f"{found['subject'] or '我'} 住在", found["value"])
    if (found := _ZH_WORKS.match(text)) is not None:
        return _slot(f"{found['subject']} 工作在", found["value"])
    if (found := _ZH_USES.match(text)) is not None:
        return _slot(f"{found['subject']} 使用 {found['what']}".strip(), found["value"])
    if (found := _ZH_IS.match(text)) is not None:
        subject, value = _ZH_OUR.sub("", found["subject"].strip()), found["value"].removesuffix("了")
        introduced = subject == "我" and "我叫" in text
        named = subject.rpartition("的")[2] in _words("chinese") or "最喜欢" in subject
        return _slot(subject, value) if introduced or named or _EXACT.match(value) else NONE
    return NONE


def _named(subject: str, value: str) -> tuple[str, str]:
    """X is V counts only when X names a thing with one value, or V is exact."""
    topic, first = _topic(subject), value.split(maxsplit=1)[0].lower()
    words = topic.split()
    if (
        not words
        or words[0] in _words("no_subject")
        or _PLACE.match(topic + " ")
        or first.endswith("ing")
        or _PLACE.match(value)
    ):
        return NONE
    if _EXACT.match(value):
        return _slot(topic, value)
    described = first in _words("states") or first.endswith(("ed", "able", "ible"))
    if described and words[-1] not in _words("stateful"):
        return NONE
    noun = words[words.index("of") - 1] if "of" in words[1:] else words[-1]
    single = noun in _words("single") or "favourite" in words
    return _slot(topic, value) if single else NONE


def _slot(topic: str, value: str) -> tuple[str, str]:
    value = value.strip(_EDGE)
    return (topic, value) if topic and value else NONE


def _topic(subject: str) -> str:
    lower = " ".join(subject.lower().split()).strip(_EDGE)
    lower = _ARTICLE.sub("", lower).replace("favorite", "favourite").replace("color", "colour")
    return "i" if lower == "me" else lower


def _is_someone(subject: str) -> bool:
    """A person: a pronoun, the user, or one capitalised word."""
    lower = _topic(subject)
    return lower in _words("someone") or (subject[:1].isupper() and " " not in subject)


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(_LISTS[key].split())
