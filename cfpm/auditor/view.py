"""What the auditor may know besides the draft itself. Built by the front door from the store; plain values, no
look-ups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cfpm.models import Span


def _no_text(_: Span) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class View:
    """`known_lines`: line hash to its kind (see `lines.py`).

    `quote` gives the text that a span cites, or None when the message is not at hand. `folder_exists` asks the file
    system, if
    the settings allow it. `proven_folders` are canonical paths that successful tool results of this turn showed.
    `max_chars` is the longest content of a fact in characters.
    """

    known_lines: Mapping[str, str] = field(default_factory=dict)
    quote: Callable[[Span], str | None] = _no_text
    folder_exists: Callable[[str], bool] | None = None
    proven_folders: frozenset[str] = frozenset()
    max_chars: int = 600
    max_drafts: int = 2_000
