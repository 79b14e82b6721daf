"""How belief in a fact grows and fades, and which facts are let go. Pure: no clock, no store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from cfpm.model import Action, Category, Fact, FactChange, Source, Status
from cfpm.settings import DAY, Settings

LOWEST = 0.05
"""Confidence never reaches 0: even a poor fact was once said (bounds of the reference, section 10.3)."""

HIGHEST = 1.0

LEARNT_CEILING = 0.99
"""Only the user's own word is certain; what was learnt stays below 1 however often it was seen."""


def reinforced(confidence: float, evidence: int, settings: Settings) -> float:
    """The confidence after one more independent observation, when there were `evidence` before it.

    Each further one adds less: the share `settings.reinforcement` of the distance to the ceiling, divided by the count.
    """
    start = _bounded(confidence)
    if start >= LEARNT_CEILING:
        return start
    gain = settings.reinforcement * (LEARNT_CEILING - start) / math.sqrt(max(1, evidence))
    return min(LEARNT_CEILING, start + gain)


def decayed(fact: Fact, now: datetime, settings: Settings) -> float:
    """The confidence left at `now`. Halves per half-life since the fact was last confirmed; never rises."""
    since = _confirmed_at(fact)
    half_life = _half_life_days(fact, settings)
    if since is None or half_life is None:
        return _bounded(fact.confidence)
    days = max(0.0, (_aware(now) - since).total_seconds() / DAY)
    return _bounded(fact.confidence * math.pow(0.5, min(days / half_life, 1_000.0)))


def stale_at(fact: Fact, settings: Settings) -> datetime | None:
    """When decay takes the fact under `settings.stale_below`, or its time to live ends; None when neither does."""
    ends = (_decays_at(fact, settings), lives_until(fact, settings, _confirmed_at(fact)))
    return min((end for end in ends if end is not None), default=None)


def lives_until(fact: Fact, settings: Settings, said: datetime | None) -> datetime | None:
    """When its time to live ends, that of its category or of its namespace, after it was last said; None for a fact
    that is pinned."""
    limits = (settings.keep_days.get(fact.category), settings.keep_days_by_namespace.get(fact.namespace))
    days = min((limit for limit in limits if limit is not None), default=None)
    return None if fact.pinned or days is None or said is None else _after(_aware(said), days)


def _decays_at(fact: Fact, settings: Settings) -> datetime | None:
    since = _confirmed_at(fact)
    half_life = _half_life_days(fact, settings)
    if since is None or half_life is None:
        return None
    ratio = _bounded(fact.confidence) / settings.stale_below
    return since if ratio <= 1.0 else _after(since, half_life * math.log2(ratio))


def _after(since: datetime, days: float) -> datetime | None:
    try:
        return since + timedelta(days=days)
    except OverflowError:
        return None


def to_stale(fact: Fact, action: Action, cause: str, at: datetime | None) -> FactChange:
    """Lets go of a fact without denying it: it is not recalled any more until it is seen again."""
    after = replace(fact, status=Status.STALE, updated_at=later(fact.updated_at, at))
    return FactChange(fact, after, action, cause, at)


def retire(
    expired: Sequence[Fact], crowded: Mapping[Category, Sequence[Fact]], at: datetime | None
) -> list[FactChange]:
    """The automatic prune: facts whose confidence has decayed go stale, and the least useful of a full category are
    evicted."""
    changes = [to_stale(fact, Action.STALE, "decay", at) for fact in expired]
    gone = {fact.id for fact in expired}
    for category in sorted(crowded):
        changes += [to_stale(f, Action.EVICT, "over_capacity", at) for f in crowded[category] if f.id not in gone]
    return changes


def later(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two moments, if there is one."""
    moments = [moment for moment in (one, other) if moment is not None]
    return max(moments, default=None)


def _half_life_days(fact: Fact, settings: Settings) -> float | None:
    """Grows with evidence, by its logarithm: what was seen often is forgotten slowly, but is forgotten."""
    if fact.pinned or fact.source is Source.USER:
        return None
    base = settings.half_life_days.get(fact.category)
    return None if base is None or base <= 0 else base * (1.0 + math.log2(max(1, fact.evidence_count)))


def _confirmed_at(fact: Fact) -> datetime | None:
    moments = [_aware(moment) for moment in (fact.created_at, fact.updated_at, fact.last_validated_at) if moment]
    return max(moments, default=None)


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _bounded(confidence: float) -> float:
    if math.isnan(confidence):
        return LOWEST
    return min(HIGHEST, max(LOWEST, confidence))
