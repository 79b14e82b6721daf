"""What observing brought, in counts. Values only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from cfpm.transcript.records import Problem


@dataclass(frozen=True, slots=True)
class Report:
    """What observing brought. accepted + merged + superseded + rejected = candidates, always.

    `pruned` facts went stale or were evicted; `facts` are the active ones of the namespace afterwards. `problems` are
    the parts of a file that could not be read, while the rest was.
    """

    sessions: int = 0
    turns: int = 0
    messages: int = 0
    accepted: int = 0
    merged: int = 0
    superseded: int = 0
    rejected: int = 0
    pruned: int = 0
    facts: int = 0
    rejected_by_reason: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    forgotten: int = 0
    """Facts that the user asked to forget."""
    unrecorded: int = 0
    """Messages that are off the record, of which no word is stored."""

    @property
    def candidates(self) -> int:
        """All drafts, whatever became of them."""
        return self.accepted + self.merged + self.superseded + self.rejected

    @property
    def unknown_kinds(self) -> Mapping[str, int]:
        """The kinds of lines that a reader did not know and left out, with their count."""
        found: Counter[str] = Counter()
        for problem in self.problems:
            if problem.unknown:
                found[problem.unknown] += problem.count
        return dict(sorted(found.items()))

    def __add__(self, other: Report) -> Report:
        reasons = Counter(self.rejected_by_reason) + Counter(other.rejected_by_reason)
        return Report(
            self.sessions + other.sessions,
            self.turns + other.turns,
            self.messages + other.messages,
            self.accepted + other.accepted,
            self.merged + other.merged,
            self.superseded + other.superseded,
            self.rejected + other.rejected,
            self.pruned + other.pruned,
            other.facts,
            dict(sorted(reasons.items())),
            self.problems + other.problems,
            self.forgotten + other.forgotten,
            self.unrecorded + other.unrecorded,
        )
