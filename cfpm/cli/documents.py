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
    from cfpm.model import Candidate, Event, Fact, LoggedMessage
    from cfpm.model.state import Approval, StateEntry
    from cfpm.pipeline.report import Report
    from cfpm.recall import Recall
    from cfpm.recall.brief import Brief
    from cfpm.store.documents import Document as KeptDocument

Document = dict[str, object]


def fact(value: Fact) -> Document:
    """What is believed."""
    return {
        **fields(value, "id category content status pinned source confidence evidence_count"),
        **fields(value, "created_at updated_at last_validated_at validation_command session message_id"),
        "span": {"start": value.span_start, "end": value.span_end},
        **fields(value, "speaker salience"),
        "contradicts": value.contradicts.split(),
    }


def candidate(value: Candidate) -> Document:
    """A row of the audit trail."""
    return {
        **fields(value, "id decision reason rule detail category content role session turn"),
        "message_id": value.span.message_id,
        "span": fields(value.span, "start end"),
        **fields(value, "fact_id created_at speaker salience"),
    }


def event(value: Event) -> Document:
    """One change of one fact."""
    return fields(value, "seq fact_id action cause before after at")


def report(value: Report, seconds: float) -> Document:
    """What one run of `observe` did."""
    return {
        **fields(value, "sessions turns messages candidates accepted merged superseded rejected pruned facts"),
        **fields(value, "forgotten unrecorded"),
        "rejected_by_reason": dict(value.rejected_by_reason),
        "unknown_kinds": dict(value.unknown_kinds),
        "seconds": round(seconds, 3),
    }


def document(value: KeptDocument) -> Document:
    """A document that can be looked up."""
    return fields(value, "id name kind path size digest version lines characters added_at")


def approval(value: Approval) -> Document:
    """An answer of the user."""
    return fields(value, "id subject answer granted scope by session agent message_id at")


def entry(value: StateEntry) -> Document:
    """An entry of a session's state."""
    return fields(value, "kind key text status agent message_id at")


def message(value: LoggedMessage) -> Document:
    """A message of the log, whole."""
    said = value.message
    return {
        "id": said.id,
        **fields(value, "session turn position"),
        **fields(said, "role name origin created_at"),
        "agent": value.agent,
        "text": said.text,
        "tool_calls": [fields(call, "id name arguments") for call in said.tool_calls],
        "cut": value.cut,
    }


def recall(value: Recall) -> Document:
    """What was found for a query, and the block for the prompt."""
    items = [
        {
            **fields(item, "kind id text score"),
            "why": _shares(item.why),
            **fields(item, "session message_id created_at speaker source quarantined"),
        }
        for item in value.items
    ]
    return {"items": items, **fields(value, "block tokens fit abstain")}


def brief(value: Brief) -> Document:
    """What a session should begin with."""
    return {**fields(value, "text tokens"), "lines": [fields(line, "section text id") for line in value.lines]}


def written_brief(value: WrittenBrief) -> Document:
    """A brief in a file, and what was learnt from it before it was written."""
    return {
        "path": str(value.path),
        **fields(value, "changed tokens"),
        "lines": brief(value.brief)["lines"],
        "learnt": [{**fields(one, "line replaced shown"), "fact": fact(one.fact)} for one in value.learnt],
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
            **fields(row, "extractor confidence marks line event_time validation_command reviewed"),
            "shares": _shares(dict(row.shares)),
        },
        "message": {
            "id": logged.message.id,
            **fields(logged, "session turn position"),
            **fields(logged.message, "role origin name text created_at"),
            "cut": logged.cut,
        }
        if logged
        else None,
        **fields(value, "quoted tool trust"),
        "reason": fields(value.reason, "code sentence example counter_example"),
        "fact": fact(value.fact) if value.fact else None,
        "compared_with": fact(value.compared_with) if value.compared_with else None,
        "history": [event(change) for change in value.history],
        "story": story,
    }


def _shares(by_name: Mapping[str, float]) -> dict[str, float]:
    return {name: round(share, 4) for name, share in by_name.items()}


def fields(noun: object, names: str) -> Document:
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
