"""Rows of the audit trail: a draft and its verdict, as they are stored."""

from __future__ import annotations

from datetime import datetime

from cfpm.model import Accepted, Candidate, Decision, Draft, Merged, Rejected, Scope, Superseding, Verdict


def candidate(name: str, scope: Scope, turn: int, draft: Draft, verdict: Verdict, at: datetime | None) -> Candidate:
    """The audit trail's row for a draft and its verdict."""
    return Candidate(
        id=name,
        namespace=scope.namespace,
        session=scope.session,
        turn=turn,
        decision=decision_of(verdict),
        reason=verdict.reason,
        rule=verdict.rule,
        detail=verdict.detail,
        category=draft.category,
        content=draft.content,
        role=draft.role,
        span=draft.span,
        fact_id=_fact_of(verdict),
        confidence=draft.confidence,
        extractor=draft.rule,
        marks=tuple(sorted(draft.marks)),
        line=draft.line,
        event_time=draft.event_time,
        validation_command=draft.validation_command,
        created_at=at,
        speaker=draft.speaker,
        salience=draft.salience,
        shares=draft.shares,
    )


def decision_of(verdict: Verdict) -> Decision:
    """The outcome that a verdict stands for."""
    match verdict:
        case Accepted():
            return Decision.ACCEPTED
        case Merged():
            return Decision.MERGED
        case Superseding():
            return Decision.SUPERSEDED
        case Rejected():
            return Decision.REJECTED


def _fact_of(verdict: Verdict) -> str:
    match verdict:
        case Accepted(fact_id=name) | Superseding(fact_id=name) | Merged(into=name) | Rejected(compared_with=name):
            return name
