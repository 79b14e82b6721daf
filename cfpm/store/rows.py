"""Rows of messages and of facts, in the order of their columns, from values of `cfpm.model` and back. Those of
candidates and events are in `audit_rows`. Talks to no database."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cfpm.model import Fact, LoggedMessage, Message, Origin, Source, Status, ToolCall, ToolResult
from cfpm.store.columns import FACT_COLUMNS
from cfpm.store.values import CATEGORY_NAMED, ROLE_NAMED, encode_json, moment, moment_text, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfpm.store.statements import Row

# A look-up in a dict costs a fifth of calling the enumeration.
_ORIGINS = {member.value: member for member in Origin}
_STATUSES = {member.value: member for member in Status}
_SOURCES = {member.value: member for member in Source}


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
    (
        namespace, session, turn, position, message_id, role, name, origin, created_at,
        agent, cut, tool_calls, call_id, is_error, exit_code, text,
    ) = row  # fmt: skip
    result = None
    if call_id is not None:
        result = ToolResult(call_id, None if is_error is None else bool(is_error), exit_code)
    message = Message(
        ROLE_NAMED[role],
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
        rounded(fact.salience),
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
        CATEGORY_NAMED[category],
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
        ROLE_NAMED[role],
        *rest,
    )


def fact_fields(fact: Fact) -> dict[str, object]:
    """The fact as JSON values by field name."""
    return dict(zip(FACT_COLUMNS, fact_row(fact), strict=True))


def fact_from_fields(values: Mapping[str, Any]) -> Fact:
    """The reverse of `fact_fields`."""
    return fact_from(tuple(values[column] for column in FACT_COLUMNS))
