"""Whether the user asked to look anew: then nothing known is put into a command."""

from __future__ import annotations

import re

_PHRASES = re.compile(
    r"\b(?:re-?verif(?:y|ied|ication)|re-?check(?:ed|ing)?|re-?validate"
    r"|(?:verify|check|look|search|find out|probe)(?:\s+\S+){0,6}?\s+(?:again|anew|afresh|once more|from scratch)"
    r"|double[- ]check(?:ed|ing)?)\b"
    r"|重新(?:验证|确认|查找|检查|核实)|再次(?:查找|确认|验证|检查)|再(?:确认|验证|检查|查)(?:一下|一遍|一次)?",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:\b(?:don['’]?t|do not|no need to|without|needn['’]t|never|not)\s+(?:\w+\s+){0,2}"
    r"|不要|不用|无需|不必|别)$",
    re.IGNORECASE,
)
_LONGEST = 4_000
"""Characters of a message that are looked at, from its end: the request stands there."""


def asks_to_reverify(said: str) -> bool:
    """True for "verify the path again", "please re-check", 重新确认; not for "no need to check again"."""
    said = said[-_LONGEST:]
    return any(_NOT.search(said[: found.start()]) is None for found in _PHRASES.finditer(said))
