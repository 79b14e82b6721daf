"""Words in a message that are somebody else's or nobody's: a play, a joke, a text to translate or polish."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PLAY = re.compile(
    r"\b(?:role-?play(?:ing)?\b|let['’]s (?:play|pretend)\b|"
    r"you(?: are|['’]re) (?:the|a|an|my) [^.!?,;\n]{2,40}(?:, (?:and )?|; | and )i(?: am|['’]m) (?:the|a|an|your) )"
    r"[^.!?\n]{0,200}[.!?]|"
    r"\b(?:act as|be|play|pretend (?:to be|that you are|you are|you['’]re)|you(?:['’]re| are)) "
    r"(?:the |a |an |my )?\w[^.!?,;\n]{1,40}[.,;!]\s+"
    r"(?:and )?(?=i(?: am|['’]m|['’]ll be| will be| play) (?:your |(?-i:[A-Z])))|"
    r"\bIC:|\[as (?-i:[A-Z])[^\]\n]{1,30}\]|\(in character\)|"
    r"(?:角色扮演|演戏|(?:假装|扮作)?你(?:来|现在)?(?:当|扮演|演|是)[^。！？，\n]{1,12}[，,]\s*我(?:来)?(?:当|扮演|演|是))[^。！？\n]{0,100}[。！？]",
    re.IGNORECASE,
)
"""What opens a play: what follows it in the message is said by a character."""
_PLAY_ENDS = re.compile(r"\b(?:OOC|out of character|jokes? aside|seriously)\b|说正经的|言归正传", re.IGNORECASE)

_WORKED_ON = re.compile(
    r"(?:\b(?:translate|proof-?read|rephrase|reword|paraphrase|polish|spell-?check)\b[^:\n]{0,60}|"
    r"\b(?:rewrite|correct|edit|shorten|summari[sz]e|improve|check)\b[^:\n]{0,30}"
    r"\b(?:text|e?-?mail|letter|sentence|paragraph|message|note|bio|post|caption|speech|poem|essay|grammar|spelling)\b[^:\n]{0,30}|"
    r"(?:翻译|润色|改写|校对|缩写|扩写|(?:改|修改|检查)一下)[^：:。\n]{0,16})[:：]\s*",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=另外|对了|By the way|Also\b)")

_SENTENCE = r"(?:^|(?<=[.!?。！？\n]))[^.!?。！？\n]{4,200}[.!?。！？]+"
_TAKEN_BACK = re.compile(
    _SENTENCE
    + r"(?=\s*(?:(?:(?:i['’]m )?(?:just |only )?(?:kidding|joking)|jk|lol|lmao|rofl|haha)\b|/s\b|[😂🤣😅🙃😜😝🤪😹]|"
    r"(?:开|开个)玩笑|逗你))",
    re.IGNORECASE,
)
"""A sentence with laughter right after its end, or taken back by the next."""
_TOLD = re.compile(
    r"\b(?:knock,? knock\b[^\n]{0,40}\?|why (?:did|do|does|don['’]t|can['’]t) (?:the|a|an|\w+s) [^?\n]{4,80}\?|"
    r"what do you (?:call|get)\b[^?\n]{4,80}\?|how many [^?\n]{4,60}does it take[^?\n]{0,60}\?)"
    r"\s*(?=(?:it|they|he|she|because|so|to|a|an|the|none|one|two|\w+)\b)[^.!?\n]{2,80}[.!](?:\s|$)|"
    r"\b\w+ \w+ walks? into a bar\b[^.!?\n]{0,60}[.!?][^.!?\n]{2,120}[.!?]|"
    r"(?:讲|说)个(?:笑话|段子|冷笑话)[:：，。][^\n]{0,200}",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|this|yesterday)\b", re.IGNORECASE)
_ANCHORS = re.compile(
    r"play|pretend|act as|\bbe \w|you are|you['’]re|\bic:|\[as |character|translate|proof|phrase|reword|polish|spell|"
    r"rewrite|correct|edit|shorten|summari|improve|check|kidding|joking|\bjk\b|lol\b|lmao|rofl|haha|/s\b|"
    r"knock|why d|why can|"
    r"what do you|does it take|into a bar|[😂🤣😅🙃😜😝🤪😹你翻润改校缩扩检玩逗演笑段]",
    re.IGNORECASE,
)


def recited(text: str) -> Iterator[tuple[int, int]]:
    """The stretches, as [start, end)."""
    if not _ANCHORS.search(text):
        return
    if match := _PLAY.search(text):
        ends = _PLAY_ENDS.search(text, match.end())
        yield match.end(), ends.start() if ends else len(text)
    for match in _WORKED_ON.finditer(text):
        paragraph = _PARAGRAPH.search(text, match.end())
        yield match.end(), paragraph.start() if paragraph else len(text)
    for match in _TAKEN_BACK.finditer(text):
        yield match.span()
    for match in _TOLD.finditer(text):
        asked, _, answer = match.group().rpartition("?")
        if asked and _FIRST_PERSON.search(answer):
            # A real question, and what is known about it.
            continue
        yield match.span()
