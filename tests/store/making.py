"""Small values for the tests of the store: facts, messages, candidates, and the changes that put facts in."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
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
from cfpm.store.search import match_expression
from cfpm.store.store import Store
from cfpm.store.transfer import ImportReport, export_lines, import_lines
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
        store.fact_writer.apply(one.namespace, [change(None, one, minutes=minutes)], block_keys=words)


def alter(store: Store, old: Fact, action: Action, minutes: float | None = 0, **fields: Any) -> Fact:
    new = replace(old, **fields)
    store.fact_writer.apply(old.namespace, [change(old, new, action, minutes)], block_keys=words)
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
            id="cand_" + digest(namespace, session, f"m:0:{len(content)}", Category.NOTE, "note.said", content),
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


def word_scores(store: Store, kind: str, query: str, *, single: bool = False) -> dict[int, float]:
    """The score of each row of an index that has a word of the query, by SQLite's own `bm25`; with `single` also of a
    Chinese character."""
    sql = f"SELECT rowid, -bm25({kind}_text) FROM {kind}_text WHERE {kind}_text MATCH ?"
    expression = match_expression(query, single=single)
    return dict(store.connection.rows(sql, (expression,))) if expression else {}


def search_facts(store: Store, namespaces: Sequence[str], query: str, k: int) -> list[tuple[str, float]]:
    """Ids and scores of the `k` active or stale facts that match best, best first; ties in order of learning."""
    scores = word_scores(store, "facts", query)
    facts = store.facts.by_seq(scores)
    shown = [
        seq
        for seq, fact in facts.items()
        if fact.namespace in namespaces and fact.status in (Status.ACTIVE, Status.STALE)
    ]
    return [(facts[seq].id, scores[seq]) for seq in sorted(shown, key=lambda seq: (-scores[seq], seq))[:k]]


def exported(store: Store) -> str:
    out = io.StringIO()
    lines = export_lines(store, out)
    assert lines == out.getvalue().count("\n")
    return out.getvalue()


def exported_as(store: Store, kind: str) -> list[dict[str, Any]]:
    """The lines of one kind in an export."""
    lines = map(json.loads, exported(store).splitlines())
    return [line for line in lines if line["type"] == kind]


def imported(store: Store, text: str, *, trailer: bool = True) -> ImportReport:
    return import_lines(store, io.StringIO(text), "backup.jsonl", block_keys=words, trailer=trailer)
