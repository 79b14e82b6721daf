"""Words in a message that are somebody else's or nobody's: a play, a joke, a text to translate or polish."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cfpm.model.literals import LiteralSet
from cfpm.model.patterns import lazy_pattern

_ANNOUNCED = lazy_pattern(
    r"\b(?:role-?play(?:ing)?\b|let['’]s (?:play|pretend|act|(?:do|try) (?:some |an? )?(?:improv\w*|skit|scene|"
    r"sketch))\b)[^.!?\n]{0,200}[.!?]",
    re.IGNORECASE,
)
_CAST = lazy_pattern(
    r"\byou(?: are|['’]re) (?:the|a|an|my) [^.!?,;\n]{2,40}(?:, (?:and )?|; | and )i(?: am|['’]m) (?:the|a|an|your) "
    r"[^.!?\n]{0,200}[.!?]",
    re.IGNORECASE,
)
_I_AM_CAST = lazy_pattern(
    r"[.,;!]\s{1,9}(?:[Aa][Nn][Dd] )?[Ii](?: [Aa][Mm]|['’][Mm]|['’][Ll]{2} [Bb][Ee]"
    r"| [Ww][Ii][Ll]{2} [Bb][Ee]| [Pp][Ll][Aa][Yy]) (?:[Yy][Oo][Uu][Rr] |[A-Z])"
)
"""How the second sentence of `_CAST_APART` begins; it is much rarer than the first."""
_CAST_APART = lazy_pattern(
    r"\b(?:(?:act as|be|play|pretend (?:to be|that you are|you are|you['’]re)) (?:the |a |an |my )?|"
    r"you(?:['’]re| are) (?:(?:the|a|an|my) |(?=(?-i:[A-Z]))))\w[^.!?,;\n]{1,40}[.,;!]\s{1,9}"
    r"(?:and )?(?=i(?: am|['’]m|['’]ll be| will be| play) (?:your |(?-i:[A-Z])))",
    re.IGNORECASE,
)
_IN_CHARACTER = lazy_pattern(r"\bIC:|\[as (?-i:[A-Z])[^\]\n]{1,30}\]|\(in character\)", re.IGNORECASE)
_CHINESE_PLAY = lazy_pattern(
    r"(?:角色扮演|演戏|(?:假装|扮作)?你(?:来|现在)?(?:当|扮演|演|是)[^。！？，\n]{1,12}[，,]\s{0,9}我(?:来)?(?:当|扮演|演|是))[^。！？\n]{0,100}[。！？]|"
    r"(?:我们|咱们|一起)(?:来|)(?:演|扮|玩)(?:一?[段个出场]|角色)[^。！？：:\n]{0,20}[。！？：:]"
)
"""What opens a play: what follows it in the message is said by a character."""
_PLAY_ENDS = lazy_pattern(r"\b(?:OOC|out of character|jokes? aside|seriously)\b|说正经的|言归正传", re.IGNORECASE)

_WORKED_ON = lazy_pattern(
    r"(?:\b(?:translate|proof-?read|rephrase|reword|paraphrase|polish|spell-?check)\b[^:\n]{0,60}|"
    r"\b(?:rewrite|correct|edit|shorten|summari[sz]e|improve|check|fix)\b[^:\n]{0,30}"
    r"\b(?:text|e?-?mail|letter|sentence|paragraph|message|note|bio|post|caption|speech|poem|essay|grammar|spelling|"
    r"article|page|report|thread|chapter|story|passage|abstract|review|blog|news|transcript|interview|"
    r"paper)\b[^:\n]{0,30}|"
    r"(?:翻译|翻成|译成|润色|改写|校对|缩写|扩写|(?:改|修改|检查)一下)[^：:。\n]{0,16})[:：]",
    re.IGNORECASE,
)
_SPACE = lazy_pattern(r"\s*")
_COLON = lazy_pattern("[:：]")
_LONGEST_REQUEST = 120
"""Characters that `_WORKED_ON` can span."""
_PARAGRAPH = lazy_pattern(r"\n[^\S\n]*\n|\n(?=另外|对了|By the way|Also\b)")

_LAUGHTER = (
    r"(?=\s{0,9}(?:(?:(?:i['’]m )?(?:just |only )?(?:kidding|joking)|jk)\b|(?:lol|lmao|rofl|haha)\b"
    r"(?!,?[ \t]{1,9}(?!(?:i['’]m |just |only )*(?:kidding|joking|jk)\b)\w+[ \t]+\w)|/s\b|[😂🤣😅🙃😜😝🤪😹]|"
    r"(?:开|开个)玩笑|逗你))"
)
_LAUGHED_AT = lazy_pattern(r"[.!?。！？]" + _LAUGHTER, re.IGNORECASE)
_TAKEN_BACK = lazy_pattern(r"(?:^|(?<=[.!?。！？\n]))[^.!?。！？\n]{4,200}[.!?。！？]++" + _LAUGHTER, re.IGNORECASE)
"""A sentence with laughter right after its end, or taken back by the next; laughter that opens the next is of that."""
_TOLD = lazy_pattern(
    r"\b(?:knock,? knock\b[^\n]{0,40}\?|why (?:did|do|does|don['’]t|can['’]t) (?:the|a|an|\w+s) [^?\n]{4,80}\?|"
    r"what do you (?:call|get)\b[^?\n]{4,80}\?|how many [^?\n]{4,60}does it take[^?\n]{0,60}\?)"
    r"\s*(?=(?:it|they|he|she|because|so|to|a|an|the|none|one|two|\w+)\b)[^.!?\n]{2,80}[.!](?:\s|$)|"
    r"\b\w+ \w+ walks? into a bar\b[^.!?\n]{0,60}[.!?][^.!?\n]{2,120}[.!?]|"
    r"(?:讲|说)个(?:笑话|段子|冷笑话)[:：，。][^\n]{0,200}",
    re.IGNORECASE,
)
_FIRST_PERSON = lazy_pattern(r"\b(?:i|we|my|our|this|yesterday)\b", re.IGNORECASE)
_ANNOUNCES = LiteralSet(
    ["roleplay", "role-play", *(f"let{sign}s {verb}" for sign in "'’" for verb in ("p", "act", "do", "try"))]
)
_YOU_ARE = LiteralSet(["you are ", "you're ", "you’re "])
_I_AM = LiteralSet(f" i{be} {article} " for be in (" am", "'m", "’m") for article in ("the", "a", "an", "your"))
_WORKS_ON = LiteralSet(
    [
        *("translat", "proof", "rephrase", "reword", "paraphrase", "polish", "spell", "rewrite", "correct", "edit"),
        *("shorten", "summari", "improve", "check", "fix"),
        *("翻译", "翻成", "译成", "润色", "改写", "校对", "缩写", "扩写", "改一下", "修改", "检查"),
    ]
)
_LAUGHS = LiteralSet(
    ["kidding", "joking", "jk", "lol", "lmao", "rofl", "haha", "/s", "玩笑", "逗你", *"😂🤣😅🙃😜😝🤪😹"]
)
_TELLS = LiteralSet(["knock", "why d", "why can", "what do you", "does it take", "into a bar", "笑话", "段子"])
"""Literals of which every match of the patterns above holds one; looked for first, since they are found far faster."""


def recited(text: str) -> Iterator[tuple[int, int]]:
    """The stretches, as [start, end), none inside another of its kind."""
    lower = text.lower()
    if match := _play(text, lower):
        ends = _PLAY_ENDS.search(text, match.end())
        yield match.end(), ends.start() if ends else len(text)
    if (":" in text or "：" in text) and _WORKS_ON.any_in(lower):
        yield from _worked_on(text)
    if _LAUGHS.any_in(lower) and _LAUGHED_AT.search(text):
        for match in _TAKEN_BACK.finditer(text):
            yield match.span()
    if _TELLS.any_in(lower):
        yield from _told(text)


def _play(text: str, lower: str) -> re.Match[str] | None:
    """The first opening of a play, patterns tried only where a part of them stands that is rare."""
    found: list[re.Match[str] | None] = []
    if _ANNOUNCES.any_in(lower):
        found.append(_ANNOUNCED.search(text))
    if _YOU_ARE.any_in(lower) and _I_AM.any_in(lower):
        found.append(_CAST.search(text))
    if _I_AM_CAST.search(text):
        found.append(_CAST_APART.search(text))
    if "ic:" in lower or "[as " in lower or "(in character)" in lower:
        found.append(_IN_CHARACTER.search(text))
    if "演" in text or ("你" in text and "我" in text):
        found.append(_CHINESE_PLAY.search(text))
    return min(filter(None, found), key=lambda match: match.start(), default=None)


def _worked_on(text: str) -> Iterator[tuple[int, int]]:
    """What follows each colon that such a request ends in, up to the end of the paragraph."""
    before, until = 0, 0
    for colon in _COLON.finditer(text):
        begin, before = max(before, colon.start() - _LONGEST_REQUEST), colon.end()
        if colon.end() < until or not _WORKS_ON.any_in(text[begin : colon.start()].lower()):
            continue
        if _WORKED_ON.search(text, begin, colon.end()):
            start = _SPACE.match(text, colon.end()).end()  # type: ignore[union-attr]
            paragraph = _PARAGRAPH.search(text, start)
            until = paragraph.start() if paragraph else len(text)
            yield start, until


def _told(text: str) -> Iterator[tuple[int, int]]:
    for match in _TOLD.finditer(text):
        asked, _, answer = match.group().rpartition("?")
        # Otherwise it is a real question, and what is known about it.
        if not (asked and _FIRST_PERSON.search(answer)):
            yield match.span()
