"""What the auditor may know besides the draft itself. Built by the front door from the store; plain values, no
look-ups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cfpm.model import LEARNT_RULE, Category, Draft, Span


@dataclass(frozen=True, slots=True)
class AuditContext:
    """`known_lines`: line hash to its kind (see `lines.py`).

    `quote` gives the text that a span cites, or None when the turn has no such text; without it grounding is not
    judged. `folder_exists` asks the file system, if the settings allow it. `proven_folders` are canonical paths that
    successful tool results of this turn showed. `max_chars` is the longest content of a fact in characters.
    """

    known_lines: Mapping[str, str] = field(default_factory=dict)
    around: Mapping[Span, str] = field(default_factory=dict)
    """Hash of the whole line in which a span stands."""
    quote: Callable[[Span], str | None] | None = None
    folder_exists: Callable[[str], bool] | None = None
    proven_folders: frozenset[str] = frozenset()
    max_chars: int = 600
    max_drafts: int = 2_000


TOLD = frozenset({Category.NOTE, Category.EVENT})
"""Statements that nothing but their place in the talk makes a fact."""


def only_tells(draft: Draft) -> bool:
    """Whether nothing but its place in the talk makes a fact of it: a note or an event, or what learnt weights took a
    note for."""
    return draft.category in TOLD or draft.rule == LEARNT_RULE
