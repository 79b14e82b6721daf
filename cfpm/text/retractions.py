"""Finds what somebody takes back in so many words: "I misspoke, the talk starts at ten" says again all but the hour.

Slots find corrections of values without any such word; this needs the word, and then no noun that it knows. What has
changed since, and was no mistake, is found in `said_anew.py`. Pure.
"""

from __future__ import annotations

import re

_LEAD = re.compile(
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
_DENIED = re.compile(r"(?:not\b|不是)[^,.;:，。；：]{1,40}[,.;:，。；：]+\s*(?:but )?", re.IGNORECASE)
"""'..., not Ann, ...': what it was not, before what it is."""
_WORD = re.compile(r"[零〇一二两三四五六七八九十百千万]+|[a-z0-9_'’]+(?:[.:/-]\w+)*|[\w=]")
_CJK = re.compile(r"[\u3400-\u9fff]")
_NOW = frozenset(["now", "instead", "really", "actually"])
_BESIDE = frozenset(["also", "too", "another", "both", "也", "还"])
"""Words of what comes to the other and does not take its place."""
_USED = re.compile("用的是")
_MAX_NEW = 3
"""Words, or Chinese characters, that a correction puts in the place of others."""
_MIN_SAME = 2
_MIN_SAME_CHINESE = 3
"""Words, and Chinese characters, that both say."""


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
