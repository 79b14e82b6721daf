"""Values of `cfpm.models` to rows in the order of their columns, and back. Talks to no database."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cfpm.clock import from_text, to_text
from cfpm.models import (
    Action,
    Candidate,
    Category,
    Decision,
    Event,
    Fact,
    LoggedMessage,
    Message,
    Origin,
    Role,
    Source,
    Span,
    Status,
    ToolCall,
    ToolResult,
)
from cfpm.store.columns import FACT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfpm.store.connection import Row

# The facts of one turn share their moments, so each is written and read once.
moment_text = lru_cache(maxsize=4_096)(to_text)
moment = lru_cache(maxsize=4_096)(from_text)

# A look-up in a dict costs a fifth of calling the enumeration.
_ROLES = {member.value: member for member in Role}
_ORIGINS = {member.value: member for member in Origin}
_CATEGORIES = {member.value: member for member in Category}
_STATUSES = {member.value: member for member in Status}
_SOURCES = {member.value: member for member in Source}
_DECISIONS = {member.value: member for member in Decision}
_ACTIONS = {member.value: member for member in Action}

encode_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str).encode
"""Canonical: the same value gives the same text."""


def _rounded(value: float) -> float:
    """Four decimals, so that exports of different machines agree byte by byte."""
    return round(float(value), 4)


@lru_cache(maxsize=512)
def _marks_text(marks: tuple[str, ...]) -> str:
    return encode_json(marks)


def _shares_text(shares: tuple[tuple[str, float], ...]) -> str:
    return encode_json([(name, _rounded(share)) for name, share in shares])


def message_row(logged: LoggedMessage) -> tuple[object, ...]:
    """In the order of MESSAGE_COLUMNS."""
    message = logged.message
    result = message.tool_result
    return (
        logged.namespace,
        logged.session,
        logged.turn,
        logged.position,
        message.id,
        message.role.value,
        message.name,
        message.origin.value,
        moment_text(message.created_at),
        logged.agent,
        logged.cut,
        _calls_text(message.tool_calls) if message.tool_calls else "",
        result.call_id if result else None,
        result.is_error if result else None,
        result.exit_code if result else None,
        message.text,
    )


def message_from(row: Row) -> LoggedMessage:
    """The reverse of `message_row`."""
    namespace, session, turn, position, message_id, role, name, origin, created_at = row[:9]
    agent, cut, tool_calls, call_id, is_error, exit_code, text = row[9:]
    result = None
    if call_id is not None:
        result = ToolResult(call_id, None if is_error is None else bool(is_error), exit_code)
    message = Message(
        _ROLES[role],
        text,
        message_id,
        moment(created_at),
        name,
        _ORIGINS[origin],
        calls_from(tool_calls),
        result,
    )
    return LoggedMessage(namespace, session, turn, position, message, cut, agent)


def _calls_text(calls: tuple[ToolCall, ...]) -> str:
    return encode_json([{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in calls])


def calls_from(text: str) -> tuple[ToolCall, ...]:
    """The tool calls of the JSON text of a message."""
    if not text:
        return ()
    return tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in json.loads(text))


def fact_row(fact: Fact) -> tuple[Any, ...]:
    """In the order of FACT_COLUMNS."""
    return (
        fact.id,
        fact.namespace,
        fact.category.value,
        fact.key,
        fact.content,
        fact.status.value,
        fact.pinned,
        fact.source.value,
        float(fact.confidence),
        fact.evidence_count,
        moment_text(fact.created_at),
        moment_text(fact.updated_at),
        moment_text(fact.last_validated_at),
        moment_text(fact.valid_from),
        moment_text(fact.valid_to),
        moment_text(fact.stale_at),
        moment_text(fact.event_time),
        fact.validation_command,
        fact.session,
        fact.agent,
        fact.role.value,
        fact.message_id,
        fact.span_start,
        fact.span_end,
        fact.topic,
        fact.value,
        fact.superseded_by,
        fact.speaker,
        _rounded(fact.salience),
        fact.contradicts,
    )


@lru_cache(maxsize=512)
def fact_from(row: Row) -> Fact:
    """The reverse of `fact_row`."""
    ident, namespace, category, key, content, status, pinned, source, confidence, evidence = row[:10]
    created, updated, validated, valid_from, valid_to, stale, event_time, command = row[10:18]
    session, agent, role, *rest = row[18:]
    return Fact(
        ident,
        namespace,
        _CATEGORIES[category],
        key,
        content,
        _STATUSES[status],
        bool(pinned),
        _SOURCES[source],
        confidence,
        evidence,
        moment(created),
        moment(updated),
        moment(validated),
        moment(valid_from),
        moment(valid_to),
        moment(stale),
        moment(event_time),
        command,
        session,
        agent,
        _ROLES[role],
        *rest,
    )


def fact_fields(fact: Fact) -> dict[str, object]:
    """The fact as JSON values by field name."""
    return dict(zip(FACT_COLUMNS, fact_row(fact), strict=True))


def fact_from_fields(values: Mapping[str, Any]) -> Fact:
    """The reverse of `fact_fields`."""
    return fact_from(tuple(values[column] for column in FACT_COLUMNS))


def candidate_row(candidate: Candidate) -> tuple[object, ...]:
    """In the order of CANDIDATE_COLUMNS."""
    return (
        candidate.id,
        candidate.namespace,
        candidate.session,
        candidate.turn,
        candidate.decision.value,
        candidate.reason,
        candidate.rule,
        candidate.detail,
        candidate.category.value,
        candidate.content,
        candidate.role.value,
        candidate.span.message_id,
        candidate.span.start,
        candidate.span.end,
        candidate.fact_id,
        float(candidate.confidence),
        candidate.extractor,
        _marks_text(candidate.marks) if candidate.marks else "",
        candidate.line,
        moment_text(candidate.event_time),
        candidate.validation_command,
        moment_text(candidate.created_at),
        candidate.reviewed,
        candidate.speaker,
        _rounded(candidate.salience),
        _shares_text(candidate.shares) if candidate.shares else "",
    )


def candidate_from(row: Row) -> Candidate:
    """The reverse of `candidate_row`."""
    ident, namespace, session, turn, decision, reason, rule, detail, category, content, role = row[:11]
    message_id, start, end, fact_id, confidence, extractor, marks, line = row[11:19]
    event_time, command, created_at, reviewed, speaker, salience, shares = row[19:]
    return Candidate(
        ident,
        namespace,
        session,
        turn,
        _DECISIONS[decision],
        reason,
        rule,
        detail,
        _CATEGORIES[category],
        content,
        _ROLES[role],
        Span(message_id, start, end),
        fact_id,
        confidence,
        extractor,
        tuple(json.loads(marks)) if marks else (),
        line,
        moment(event_time),
        command,
        moment(created_at),
        bool(reviewed),
        speaker,
        salience,
        tuple((name, share) for name, share in json.loads(shares)) if shares else (),
    )


def event_from(row: Row) -> Event:
    """From a row in the order of EVENT_COLUMNS."""
    namespace, number, fact_id, action, cause, at, before, after = row
    return Event(
        number,
        namespace,
        fact_id,
        _ACTIONS[action],
        cause,
        json.loads(before),
        json.loads(after),
        moment(at),
    )
