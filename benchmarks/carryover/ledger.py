"""What earlier sessions used and what this one has named: says which names of a turn memory could have brought."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.carryover.sessions import Turn
    from benchmarks.compaction.names import Name


@dataclass(slots=True)
class Ledger:
    """Goes through the sessions in order: `begin` each, then `learn` each of its turns."""

    earlier: set[Name] = field(default_factory=set)
    """The names that earlier sessions used."""
    so_far: set[Name] = field(default_factory=set)
    """The names that stand anywhere in this session."""
    _used: set[Name] = field(default_factory=set)

    def begin(self) -> None:
        """A new session: what the last one used is known from now on."""
        self.earlier |= self._used
        self.so_far, self._used = set(), set()

    def learn(self, turn: Turn) -> None:
        """Takes in a turn of the session."""
        self.so_far |= turn.named
        self._used |= turn.used

    def new(self, turn: Turn) -> frozenset[Name]:
        """What the agent uses in a turn that neither its prompt nor the session before it names."""
        return turn.by_agent - turn.prompted - self.so_far

    def wanted(self, turn: Turn) -> frozenset[Name]:
        """Of the new names those that earlier sessions used."""
        return self.new(turn) & self.earlier
