"""Lines of a brief that name what is no more: paths that were removed or moved, paths whose last fact was replaced."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from benchmarks.carryover.words import any_of
from benchmarks.compaction.names import names
from cfpm.extractor.calls import made, taken_away
from cfpm.extractor.evidence import ended_well
from cfpm.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.carryover.sessions import Turn
    from benchmarks.compaction.names import Name
    from cfpm import Memory

_UNDATED = datetime.min.replace(tzinfo=UTC)
_TAIL = 2
"""Last parts of a path by which a line names it: lines write it from many folders."""


@dataclass(slots=True)
class Gone:
    """The ends of the paths that calls took away, until one is made again."""

    ends: set[str] = field(default_factory=set)

    def learn(self, turn: Turn) -> None:
        """Takes in the calls of a turn that ended well, in their order."""
        for outcome in turn.outcomes:
            if outcome.call is None or not ended_well(outcome):
                continue
            self.ends.update(filter(None, (_end(deed.what) for deed in taken_away(outcome.call))))
            self.ends.difference_update(map(_end, made(outcome.call)))

    def in_lines(self, lines: Iterable[str]) -> list[str]:
        """The lines that name such a path and do not say that it is gone."""
        return [line for line in lines if self._names_one(line) and not any_of("gone").search(line)]

    def _names_one(self, line: str) -> bool:
        return any(end in line and _stands(end).search(line) for end in self.ends)


def _end(path: str) -> str:
    """The last parts of a path; empty for a single word without an ending, which may be any word."""
    parts = [part for part in re.split(r"[\\/]", path) if part not in ("", ".", "..")][-_TAIL:]
    return "/".join(parts) if len(parts) > 1 or (parts and "." in parts[0].strip(".")) else ""


@cache
def _stands(end: str) -> re.Pattern[str]:
    """The path, not a longer name."""
    return re.compile(rf"(?<![\w.-]){re.escape(end)}(?![\w-]|\.\w)")


def replaced_paths(memory: Memory) -> frozenset[Name]:
    """The paths of which the newest fact that names them is superseded."""
    newest: dict[Name, Status] = {}
    # The memory answers newest first, but for what is pinned.
    facts = memory.facts()[::-1]
    facts.sort(key=lambda fact: fact.created_at or _UNDATED)
    for fact in facts:
        newest.update(dict.fromkeys(paths(fact.content), fact.status))
    return frozenset(name for name, status in newest.items() if status is Status.SUPERSEDED)


def with_replaced(lines: Iterable[str], replaced: frozenset[Name]) -> list[str]:
    """The lines that name one of these paths."""
    return [line for line in lines if paths(line) & replaced]


@lru_cache(1 << 15)
def paths(text: str) -> frozenset[Name]:
    """The paths that a text names."""
    return frozenset(name for name in names(text) if name.kind == "path")
