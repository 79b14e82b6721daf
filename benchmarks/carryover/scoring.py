"""Which wanted names a prompt's text holds, plainly and strictly, by the scorer of the compaction benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.compaction.gold import Gold
from benchmarks.compaction.scoring import Original, kept
from cfpm.context.history import Entry
from cfpm.model import Message, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.compaction.names import Name

_NOTHING_VERBATIM = Original(frozenset(), frozenset(), {})
"""Here every line counts as written: a message that is quoted must say something of the name, too."""


@dataclass(frozen=True, slots=True)
class Held:
    """Of the wanted names those that stand in a text, and those in a line that says what they are or what happened."""

    plain: frozenset[Name]
    strict: frozenset[Name]


def held(text: str, wanted: frozenset[Name], commands: Iterable[str]) -> Held:
    """Reads a text; `commands` are all that are known, so that a line's names are told from its words."""
    if not text or not wanted:
        return Held(frozenset(), frozenset())
    # Those that do not stand in it cannot be found, and a pattern of all is slow.
    here = frozenset(command for command in commands if command in text)
    found = kept([Entry(0, {}, (Message(Role.USER, text),), 0)], Gold(wanted, (), (), here), _NOTHING_VERBATIM)
    return Held(wanted & found.plain, wanted & found.strict)
