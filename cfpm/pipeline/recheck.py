"""What was let in by older rules, or came with an import, is judged again by the rules of today: learnt paths."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cfpm.auditor.path_rules import stored_problem
from cfpm.model import Action, Fact, FactChange
from cfpm.pruner.retention import to_stale


def rechecked(facts: Iterable[Fact], at: datetime | None) -> list[FactChange]:
    """The facts that are no helpful paths, each going stale for that reason."""
    return [
        to_stale(fact, Action.STALE, f"recheck: {problem}", at)
        for fact in facts
        if (problem := stored_problem(fact.category, fact.content, fact.role, fact.topic))
    ]
