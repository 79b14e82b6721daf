"""Canonical keys: what two contents must share to be the same fact."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from cfpm.model import PATH_CATEGORIES, Category
from cfpm.model.ids import plain_line
from cfpm.paths.comparison import canonical as canonical_path


def canonical_key(category: Category, content: str, speaker: str = "") -> str:
    """What two contents must share to be the same fact: the canonical path, or the text without case, form and edges.

    The same words of two people are two facts; a path is the same whoever names it.
    """
    if category in PATH_CATEGORIES:
        return canonical_path(content)
    text = _bare(content)
    name = _bare(speaker) if speaker else ""
    return f"{name}: {text}" if name else text


def same_speaker(one: str, other: str) -> bool:
    """True for two spellings of one name that give the same keys."""
    return one == other or _bare(one) == _bare(other)


@lru_cache(maxsize=1_024)
def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return plain_line(folded)
