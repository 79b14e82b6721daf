"""Small values for the tests of the store: facts, messages, candidates, and the changes that put facts in."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cfpm.model import (
    Action,
    Candidate,
    Category,
    Decision,
    Fact,
    FactChange,
    LoggedMessage,
    Message,
    Role,
    Span,
    Status,
    ToolCall,
    ToolResult,
)
from cfpm.model.ids import digest, fact_id
from cfpm.store.store import Store
from cfpm.store.transfer import ImportReport
from cfpm.text.canonical import canonical_key

NAMESPACE = "project:shop"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def words(fact: Fact) -> list[str]:
    """Block keys for the tests: every word of the key, or no more than its marked ones once it is superseded."""
    found = sorted(set(fact.key.split()))
    return found if fact.status is not Status.SUPERSEDED else [word for word in found if word.startswith("#")]


def fact(content: str, category: Category = Category.NOTE, *, namespace: str = NAMESPACE, **fields: Any) -> Fact:
    key = canonical_key(category, content, str(fields.get("speaker", "")))
    given: dict[str, Any] = {"created_at": at(0), "updated_at": at(0), "session": "s", "message_id": "m", **fields}
    return Fact(fact_id(namespace, category, key), namespace, category, key, content, **given)


def change(before: Fact | None, after: Fact, action: Action = Action.CREATE, minutes: float | None = 0) -> FactChange:
    return FactChange(before, after, action, "cand_test", None if minutes is None else at(minutes))


def learn(store: Store, *facts: Fact, minutes: float | None = 0) -> None:
    for one in facts:
        store.change(one.namespace, [change(None, one, minutes=minutes)], block_keys=words)


def alter(store: Store, old: Fact, action: Action, minutes: float | None = 0, **fields: Any) -> Fact:
    new = replace(old, **fields)
    store.change(old.namespace, [change(old, new, action, minutes)], block_keys=words)
    return new


def forget(store: Store, old: Fact, minutes: float | None = 0) -> Fact:
    return alter(store, old, Action.FORGET, minutes, status=Status.FORGOTTEN)


def said(
    text: str,
    ident: str,
    *,
    turn: int = 0,
    position: int = 0,
    session: str = "s",
    namespace: str = NAMESPACE,
    role: Role = Role.USER,
    **fields: Any,
) -> LoggedMessage:
    message = Message(role, text, ident, **{"created_at": at(turn), **fields})
    return LoggedMessage(namespace, session, turn, position, message)


def asked(ident: str, call: ToolCall, **fields: Any) -> LoggedMessage:
    return said("", ident, role=Role.ASSISTANT, tool_calls=(call,), **fields)


def answered(text: str, ident: str, result: ToolResult, **fields: Any) -> LoggedMessage:
    return said(text, ident, role=Role.TOOL, tool_result=result, **fields)


def candidate(
    content: str,
    decision: Decision = Decision.REJECTED,
    reason: str = "negated",
    *,
    session: str = "s",
    namespace: str = NAMESPACE,
    **fields: Any,
) -> Candidate:
    return replace(
        Candidate(
            id="cand_" + digest(namespace, session, content),
            namespace=namespace,
            session=session,
            turn=0,
            decision=decision,
            reason=reason,
            rule=reason,
            detail="",
            category=Category.NOTE,
            content=content,
            role=Role.USER,
            span=Span("m", 0, len(content)),
            fact_id="",
            confidence=0.7,
            extractor="note.said",
            marks=(),
            line=content,
            event_time=None,
            validation_command=None,
            created_at=at(0),
        ),
        **fields,
    )


def exported(store: Store) -> str:
    out = io.StringIO()
    lines = store.export(out)
    assert lines == out.getvalue().count("\n")
    return out.getvalue()


def imported(store: Store, text: str) -> ImportReport:
    return store.import_lines(io.StringIO(text), "backup.jsonl", block_keys=words)
