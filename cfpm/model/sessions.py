"""What is told of a session: a row of the listing, what its replies took, what happened in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from cfpm.model.messages import TokenUsage


class Session(NamedTuple):
    """A session of the log. Turns are counted as a user counts them: what stands before their first word is none.

    `title` is what the host named it, else the beginning of what its user said first; `cwd` the last folder that was
    told, `project` the first. Times are those of its messages, UTC, None without any. `parent` is the session that it
    shares its first `shared` turns with; `rewound` the one out of which its turns were taken back.
    """

    name: str
    title: str
    cwd: str
    project: str
    model: str
    agent: str
    started: datetime | None
    updated: datetime | None
    turns: int
    messages: int
    done: bool
    parent: str
    shared: int
    rewound: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What the replies of one model to one agent in one turn of a session took; `turn` counts from 1, 0 is before the
    user's first word. `rewound` is true where the turn was taken back since."""

    session: str
    turn: int
    agent: str
    model: str
    replies: int
    usage: TokenUsage
    rewound: bool = False


@dataclass(frozen=True, slots=True)
class UsageReport:
    """What was spent, in the order in which it was; each reply once, whoever told it how often."""

    spent: tuple[Spent, ...]

    @property
    def total(self) -> TokenUsage:
        """The sum of all."""
        return sum((one.usage for one in self.spent), TokenUsage())

    @property
    def by_agent(self) -> Mapping[str, TokenUsage]:
        """The sum of each agent."""
        return self._by("agent")

    @property
    def by_session(self) -> Mapping[str, TokenUsage]:
        """The sum of each session; turns that a fork shares with its origin count for the origin."""
        return self._by("session")

    def _by(self, name: str) -> Mapping[str, TokenUsage]:
        sums: dict[str, TokenUsage] = defaultdict(TokenUsage)
        for one in self.spent:
            sums[getattr(one, name)] += one.usage
        return dict(sums)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing that happened. `kind` is message, fact, verdict, recall, gate or compaction; `id` opens it, `what` says
    in a word what it was (a role, an action, a reason), `text` the rest on one line. `turn` is 0 where it is not
    known."""

    kind: str
    at: datetime | None
    session: str
    turn: int
    id: str
    what: str
    text: str
