"""The nouns as JSON, field by field as the contract in docs/architecture.md names them. Times are ISO 8601, UTC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from cfpm.admin.report import Explanation, Stats
    from cfpm.model import Candidate, Event, Fact, LoggedMessage
    from cfpm.pipeline.report import Report
    from cfpm.recall import Recall

Document = dict[str, object]


def fact(value: Fact) -> Document:
    """What is believed."""
    return {
        "id": value.id,
        "category": value.category.value,
        "content": value.content,
        "status": value.status.value,
        "pinned": value.pinned,
        "source": value.source.value,
        "confidence": round(value.confidence, 4),
        "evidence_count": value.evidence_count,
        "created_at": to_text(value.created_at),
        "updated_at": to_text(value.updated_at),
        "last_validated_at": to_text(value.last_validated_at),
        "validation_command": value.validation_command,
        "session": value.session,
        "message_id": value.message_id,
        "span": {"start": value.span_start, "end": value.span_end},
        "speaker": value.speaker,
        "salience": round(value.salience, 4),
        "contradicts": value.contradicts.split(),
    }


def candidate(value: Candidate) -> Document:
    """A row of the audit trail."""
    return {
        "id": value.id,
        "decision": value.decision.value,
        "reason": value.reason,
        "rule": value.rule,
        "detail": value.detail,
        "category": value.category.value,
        "content": value.content,
        "role": value.role.value,
        "session": value.session,
        "turn": value.turn,
        "message_id": value.span.message_id,
        "span": {"start": value.span.start, "end": value.span.end},
        "fact_id": value.fact_id,
        "created_at": to_text(value.created_at),
        "speaker": value.speaker,
        "salience": round(value.salience, 4),
    }


def event(value: Event) -> Document:
    """One change of one fact."""
    return {
        "seq": value.seq,
        "fact_id": value.fact_id,
        "action": value.action.value,
        "cause": value.cause,
        "before": dict(value.before),
        "after": dict(value.after),
        "at": to_text(value.at),
    }


def report(value: Report, seconds: float) -> Document:
    """What one run of `observe` did."""
    return {
        "sessions": value.sessions,
        "turns": value.turns,
        "messages": value.messages,
        "candidates": value.candidates,
        "accepted": value.accepted,
        "merged": value.merged,
        "superseded": value.superseded,
        "rejected": value.rejected,
        "pruned": value.pruned,
        "facts": value.facts,
        "rejected_by_reason": dict(value.rejected_by_reason),
        "seconds": round(seconds, 3),
    }


def recall(value: Recall) -> Document:
    """What was found for a query, and the block for the prompt."""
    items = [
        {
            "kind": item.kind,
            "id": item.id,
            "text": item.text,
            "score": round(item.score, 4),
            "why": {signal: round(share, 4) for signal, share in item.why.items()},
            "session": item.session,
            "message_id": item.message_id,
            "created_at": to_text(item.created_at),
            "speaker": item.speaker,
        }
        for item in value.items
    ]
    return {
        "items": items,
        "block": value.block,
        "tokens": value.tokens,
        "fit": round(value.fit, 4),
        "abstain": value.abstain,
    }


def stats(value: Stats) -> Document:
    """Counts by decision, reason, category and status."""
    return {
        "by_decision": {decision.value: count for decision, count in value.by_decision.items()},
        "by_reason": dict(value.by_reason),
        "by_category": {name: dict(counts) for name, counts in value.by_category.items()},
        "facts_by_status": dict(value.facts_by_status),
    }


def explanation(value: Explanation, story: list[str]) -> Document:
    """Everything known about one candidate, and the same in plain words."""
    row = value.candidate
    return {
        "candidate": {
            **candidate(row),
            "extractor": row.extractor,
            "confidence": round(row.confidence, 4),
            "marks": list(row.marks),
            "line": row.line,
            "event_time": to_text(row.event_time),
            "validation_command": row.validation_command,
            "reviewed": row.reviewed,
            "shares": {feature: round(share, 4) for feature, share in row.shares},
        },
        "message": _message(value.message) if value.message else None,
        "quoted": value.quoted,
        "reason": {
            "code": value.reason.code,
            "sentence": value.reason.sentence,
            "example": value.reason.example,
            "counter_example": value.reason.counter_example,
        },
        "fact": fact(value.fact) if value.fact else None,
        "compared_with": fact(value.compared_with) if value.compared_with else None,
        "history": [event(change) for change in value.history],
        "story": story,
    }


def _message(value: LoggedMessage) -> Document:
    message = value.message
    return {
        "id": message.id,
        "session": value.session,
        "turn": value.turn,
        "position": value.position,
        "role": message.role.value,
        "origin": message.origin.value,
        "name": message.name,
        "text": message.text,
        "created_at": to_text(message.created_at),
        "cut": value.cut,
    }
