"""What the verbs of a user answer: explanations, counts, how far a rollback went. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cfpm.auditor.reasons import Reason
from cfpm.model import Candidate, Decision, Event, Fact, LoggedMessage


@dataclass(frozen=True, slots=True)
class Explanation:
    """The whole story of one candidate. `quoted` is the text that its span cites."""

    candidate: Candidate
    message: LoggedMessage | None
    quoted: str
    reason: Reason
    fact: Fact | None
    compared_with: Fact | None
    history: tuple[Event, ...]
    tool: str = ""
    """The tool that returned the message, if one did."""
    trust: str = ""
    """How far its tool or its speaker is trusted, as the settings are now; empty for what needs no trust."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts over a whole namespace, keys sorted."""

    by_decision: Mapping[Decision, int]
    by_reason: Mapping[str, int]
    by_category: Mapping[str, Mapping[str, int]]
    facts_by_status: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Rollback:
    """How many facts went back to an earlier state, and how many are active now."""

    reverted: int
    facts: int
