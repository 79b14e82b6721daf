"""How belief in a fact grows and fades, and which fact is worth most. Pure arithmetic: no clock, no store."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from cfpm.model import Fact, Source
from cfpm.settings import DAY, Settings

LOWEST = 0.05
"""Confidence never reaches 0: even a poor fact was once said (bounds of the reference, section 10.3)."""

HIGHEST = 1.0

LEARNT_CEILING = 0.99
"""Only the user's own word is certain; what was learnt stays below 1 however often it was seen."""

PINNED_UTILITY = 4.0
USER_UTILITY = 2.0
"""Steps between the classes of `utility`. A learnt fact is worth at most 1, so no amount of evidence passes a class."""

RECENCY_HALF_LIFE_DAYS = 90.0
"""Days in which the recency part of utility halves: a quarter, in which most projects move on to something else."""

EVIDENCE_AT_HALF = 1.0
"""Evidence count at which evidence/(evidence + this) is a half: a second sighting counts most, the tenth hardly."""


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
    """When decay takes the fact under `settings.stale_below`; None when it never does."""
    since = _confirmed_at(fact)
    half_life = _half_life_days(fact, settings)
    if since is None or half_life is None:
        return None
    ratio = _bounded(fact.confidence) / settings.stale_below
    if ratio <= 1.0:
        return since
    try:
        return since + timedelta(days=half_life * math.log2(ratio))
    except OverflowError:
        return None


def utility(fact: Fact, now: datetime) -> float:
    """What the fact is worth keeping, for the cap of a category: pinned, then the user's, then by a product.

    It is confidence x evidence x recency, in (0, 1]. Undated facts count as just seen: their order is unknown.
    """
    evidence = max(1, fact.evidence_count)
    weight = evidence / (evidence + EVIDENCE_AT_HALF)
    since = _confirmed_at(fact)
    days = 0.0 if since is None else max(0.0, (_aware(now) - since).total_seconds() / DAY)
    recency = math.pow(0.5, min(days / RECENCY_HALF_LIFE_DAYS, 1_000.0))
    learnt = _bounded(fact.confidence) * weight * recency
    return learnt + (PINNED_UTILITY if fact.pinned else 0.0) + (USER_UTILITY if fact.source is Source.USER else 0.0)


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
