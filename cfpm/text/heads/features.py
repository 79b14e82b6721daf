"""The features of a sentence by which learnt weights judge it: its words, pairs of words, and how it looks."""

from __future__ import annotations

from itertools import pairwise

from cfpm.embedding.glosses import glossed
from cfpm.model.patterns import lazy_pattern

MAX_TOKENS = 60
"""Tokens of a sentence that are read: what a sentence is shows early."""

SHORT, LONG = 4, 25
"""Tokens up to which a sentence is short, and from which it is long."""

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

_CODE, _ADDRESS, _PATH, _NUMBER, _NAME = "`", "http", "~/", "0", "a_b"
"""Stand for all code, addresses, paths, numbers and names in code."""


def tokens(text: str) -> list[str]:
    """The words in lower case, Chinese ones in English; code, addresses, paths, numbers and names in code each as one
    sign."""
    return [_token(found) for found in _TOKEN.findall(glossed(text[:_READ]))[:MAX_TOKENS]]


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
    words = tokens(text)
    if not words:
        return []
    found = dict.fromkeys(words)
    found.update(dict.fromkeys(f"{one} {other}" for one, other in pairwise(words)))
    found[f"^{words[0]}"] = None
    if len(words) > 1:
        found[f"^^{words[1]}"] = None
    found[f"{words[-1]}$"] = None
    if len(words) <= SHORT:
        found["#short"] = None
    if len(words) >= LONG:
        found["#long"] = None
    return list(found)
