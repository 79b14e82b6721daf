"""Letting go of a fact without denying it: it is not recalled until it is seen again. Loads nothing heavy."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from cfpm.model import Action, Fact, FactChange, Status


def to_stale(fact: Fact, action: Action, cause: str, at: datetime | None) -> FactChange:
    """The fact is not recalled any more until it is seen again."""
    after = replace(fact, status=Status.STALE, updated_at=later(fact.updated_at, at))
    return FactChange(fact, after, action, cause, at)


def later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two moments, if there is one."""
    moments = [moment for moment in (one, other) if moment is not None]
    return max(moments, default=None)
