"""The nouns as JSON, field by field as the contract in docs/architecture.md names them. Times are ISO 8601, UTC."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from cfpm.admin.brief_file import WrittenBrief
    from cfpm.admin.report import Explanation, Stats
    from cfpm.model import Candidate, Event, Fact
    from cfpm.pipeline.report import Report
    from cfpm.recall import Recall
    from cfpm.recall.brief import Brief
    from cfpm.store.documents import Document as KeptDocument

Document = dict[str, object]


def fact(value: Fact) -> Document:
    """What is believed."""
    return {
        **_fields(value, "id category content status pinned source confidence evidence_count"),
        **_fields(value, "created_at updated_at last_validated_at validation_command session message_id"),
        "span": {"start": value.span_start, "end": value.span_end},
        **_fields(value, "speaker salience"),
        "contradicts": value.contradicts.split(),
    }


def candidate(value: Candidate) -> Document:
    """A row of the audit trail."""
    return {
        **_fields(value, "id decision reason rule detail category content role session turn"),
        "message_id": value.span.message_id,
        "span": _fields(value.span, "start end"),
        **_fields(value, "fact_id created_at speaker salience"),
    }


def event(value: Event) -> Document:
    """One change of one fact."""
    return _fields(value, "seq fact_id action cause before after at")


def report(value: Report, seconds: float) -> Document:
    """What one run of `observe` did."""
    return {
        **_fields(value, "sessions turns messages candidates accepted merged superseded rejected pruned facts"),
        **_fields(value, "forgotten unrecorded"),
        "rejected_by_reason": dict(value.rejected_by_reason),
        "unknown_kinds": dict(value.unknown_kinds),
        "seconds": round(seconds, 3),
    }


def document(value: KeptDocument) -> Document:
    """A document that can be looked up."""
    return _fields(value, "id name kind path size digest version lines characters added_at")


def recall(value: Recall) -> Document:
    """What was found for a query, and the block for the prompt."""
    items = [
        {
            **_fields(item, "kind id text score"),
            "why": _shares(item.why),
            **_fields(item, "session message_id created_at speaker source quarantined"),
        }
        for item in value.items
    ]
    return {"items": items, **_fields(value, "block tokens fit abstain")}


def brief(value: Brief) -> Document:
    """What a session should begin with."""
    return {**_fields(value, "text tokens"), "lines": [_fields(line, "section text id") for line in value.lines]}


def written_brief(value: WrittenBrief) -> Document:
    """A brief in a file, and what was learnt from it before it was written."""
    return {
        "path": str(value.path),
        **_fields(value, "changed tokens"),
        "lines": brief(value.brief)["lines"],
        "learnt": [{**_fields(one, "line replaced shown"), "fact": fact(one.fact)} for one in value.learnt],
        "forgotten": [fact(one) for one in value.forgotten],
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
    row, logged = value.candidate, value.message
    return {
        "candidate": {
            **candidate(row),
            **_fields(row, "extractor confidence marks line event_time validation_command reviewed"),
            "shares": _shares(dict(row.shares)),
        },
        "message": {
            "id": logged.message.id,
            **_fields(logged, "session turn position"),
            **_fields(logged.message, "role origin name text created_at"),
            "cut": logged.cut,
        }
        if logged
        else None,
        **_fields(value, "quoted tool trust"),
        "reason": _fields(value.reason, "code sentence example counter_example"),
        "fact": fact(value.fact) if value.fact else None,
        "compared_with": fact(value.compared_with) if value.compared_with else None,
        "history": [event(change) for change in value.history],
        "story": story,
    }


def _shares(by_name: Mapping[str, float]) -> dict[str, float]:
    return {name: round(share, 4) for name, share in by_name.items()}


def _fields(noun: object, names: str) -> Document:
    """The named attributes in this order: enumerations by their codes, times as text, fractions with four digits."""
    return {name: _plain(getattr(noun, name)) for name in names.split()}


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case datetime():
            return to_text(value)
        case float():
            return round(value, 4)
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
    return value
