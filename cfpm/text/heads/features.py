"""The features of a sentence by which learnt weights judge it: its words, pairs of words, and how it looks."""

from __future__ import annotations

from itertools import pairwise

from cfpm.embedding.glosses import glossed
from cfpm.model.patterns import lazy_pattern

MAX_TOKENS = 60
"""Tokens of a sentence that are read: what a sentence is shows early."""

_STEP, _MOST_STEPS = 6, 6
"""Tokens by which the lengths of sentences differ, and how many such steps are told apart."""

_MOST_CODE = 3
"""Stretches of code that are told apart."""

_TOKEN = lazy_pattern(
    r"`[^`\n]{1,200}`"
    r"|(?:https?://\S+)"
    r"|(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@-]*|[\w-]+\.(?:[a-z]{1,5})\b(?!\s*\()"
    r"|\d[\d.,:%]*"
    r"|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)?(?![\w(])|\w+(?:\(\))?"
    r"|[?!？！:：]"
)
_READ = 600
"""Characters of a sentence that are looked at."""

_LOOKS = {
    "#bold": lazy_pattern(r"\A\*\*"),
    "#numbered": lazy_pattern(r"\A\s*\(?\d+(?:-\d+)?\)"),
    "#sign": lazy_pattern(r"[\u2190-\u27bf\U0001f300-\U0001faff]"),
    "#line": lazy_pattern(r"\b[Ll]ines?\s+~?\d|\w:\d+(?:-\d+)?\b"),
    "#colon": lazy_pattern(r"[:：]"),
    "#dash": lazy_pattern(r"\s[—–-]\s"),
    "#stop": lazy_pattern(r"[.!。！]\s*\Z"),
}
"""How a sentence looks: as pieces of lists, of reviews and of tables do, or as what is told."""

_CODE, _ADDRESS, _PATH, _NUMBER, _NAME = "`", "http", "~/", "0", "a_b"
"""Stand for all code, addresses, paths, numbers and names in code."""


def tokens(text: str) -> list[str]:
    """The words in lower case, Chinese ones in English; code, addresses, paths, numbers and names in code each as one
    sign."""
    return [_token(found) for found in _TOKEN.findall(glossed(text))[:MAX_TOKENS]]


def _token(found: str) -> str:
    first = found[0]
    if first == "`":
        return _CODE
    if first.isdigit():
        return _NUMBER
    if "/" in found:
        return _ADDRESS if found.startswith("http") else _PATH
    if found.isalpha():
        inner = found[1:]
        return _NAME if found.isascii() and inner != inner.lower() and not found.isupper() else found.lower()
    if "'" in found or "’" in found:
        return found.replace("’", "'").lower()
    return found if not found.isascii() or not found[-1].isalnum() else (_PATH if "." in found else _NAME)


def features(text: str) -> list[str]:
    """Each feature once: words, neighbouring words, the first and the last word, and flags that begin with `#`."""
    text = text[:_READ]
    words = tokens(text)
    if not words:
        return []
    found = dict.fromkeys(words)
    found.update(dict.fromkeys(f"{one} {other}" for one, other in pairwise(words)))
    found[f"^{words[0]}"] = None
    if len(words) > 1:
        found[f"^^{words[1]}"] = None
    found[f"{words[-1]}$"] = None
    found.update((name, None) for name, looks in _LOOKS.items() if looks.search(text))
    found[f"#code{min(text.count('`') // 2, _MOST_CODE)}"] = None
    found[f"#length{min(len(words) // _STEP, _MOST_STEPS)}"] = None
    return list(found)
