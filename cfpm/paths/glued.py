"""Where a path ends in Chinese text, which puts no space between a path and the sentence around it."""

from __future__ import annotations

import re
from functools import cache

from cfpm.paths.lexicon import names, prose

CJK = r"\u3400-\u9fff"

_HAS_CJK = re.compile(rf"[{CJK}]")
_EXTENSION_THEN_CJK = re.compile(rf"\.([A-Za-z0-9]{{1,10}})(?=[{CJK}])")
_NAME_THEN_CJK = re.compile(rf"[A-Za-z0-9_)-](?=[{CJK}])")


@cache
def _alternation(key: str) -> re.Pattern[str]:
    ordered = sorted((word for word in prose(key) if not word.isascii()), key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, ordered)))


def end_before_prose(text: str, start: int, end: int, *, quoted: bool) -> int | None:
    """The end of the path in `text[start:end]` without glued Chinese prose; None when that cannot be told."""
    path = text[start:end]
    if quoted or path.isascii() or not _HAS_CJK.search(path):
        return end
    for ending in _EXTENSION_THEN_CJK.finditer(path):
        if ending[1].lower() in names("extensions"):
            return start + ending.end()
    last = max(path.rfind("/"), path.rfind("\\")) + 1
    if "." in path[last:]:
        return end
    if glued := _NAME_THEN_CJK.search(path, last):
        return start + glued.end() if _alternation("prose").match(path, glued.end()) else None
    if sentence := _alternation("prose_after_name").search(path, last + 1):
        return start + sentence.start()
    return end
