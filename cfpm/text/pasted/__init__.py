"""What a speaker only shows: documents, mails, logs and tables that are pasted, plays, texts to work on."""

from __future__ import annotations

from functools import lru_cache

from cfpm.model import Role
from cfpm.text.pasted.documents import quoted_stretches
from cfpm.text.sentences import Kind, sentences

__all__ = ["foreign_stretches"]

_SHOWN = frozenset({Kind.QUOTE, Kind.CODE, Kind.TABLE})


@lru_cache(maxsize=4_096)
def foreign_stretches(text: str) -> tuple[tuple[int, int], ...]:
    """The parts of a user's message, as [start, end) by their start, that are quoted, code, or pasted."""
    found = [(item.start, item.end) for item in quoted_stretches(text, Role.USER)]
    if "\n" in text or ">" in text or "|" in text:
        found += [(part.start, part.end) for part in sentences(text) if part.kind in _SHOWN]
    return tuple(sorted(found))
