"""Keeps what the messages of a turn change in their session's state: answers of the user, plan, todos and the like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cfpm.context.approvals import may_answer
from cfpm.context.session_state import SessionReader, call_concerns, concerns
from cfpm.model import Message, Origin, Role, Scope, ToolCall
from cfpm.model.trust import Trust, TrustTable, speaks_for_user
from cfpm.text.pasted.speakers import other_speaker

if TYPE_CHECKING:
    from cfpm.store.store import Store


def keep_state(
    store: Store,
    scope: Scope,
    turn: int,
    messages: Sequence[Message],
    earlier: Sequence[Message],
    calls: Mapping[str, ToolCall],
    table: TrustTable,
) -> None:
    """Writes what these new messages of a turn change. `earlier` are those before them in the same turn, `calls` all
    that they may answer. Inside the transaction that writes the messages."""
    if not any(_concerns(message, calls) for message in messages):
        return
    reader = SessionReader(scope.session, scope.agent, calls=dict(calls))
    before = store.state.entries(scope.namespace, scope.session)
    reader.hold(before)
    reader.said = _asked_before(store, scope, turn, messages, earlier)
    for message in messages:
        if _counts(store, scope, message, calls, table):
            reader.take(message)
    if reader.approvals:
        store.state.add_approvals(scope.namespace, reader.approvals)
    store.state.write(scope.namespace, before, list(reader.entries.values()))


def read_state_anew(store: Store, scope: Scope, table: TrustTable) -> None:
    """Writes what the messages of a session say of its state, those among them that a fork shares with its origin: for
    a session that turns were taken out of, and for a fork. What was put by hand stays. Inside the caller's transaction.
    """
    reader = SessionReader(scope.session)
    for row in (kept.row for kept in store.sessions.history(scope.namespace, scope.session)):
        reader.agent = row.agent
        if _counts(store, replace(scope, session=row.session), row.message, reader.calls, table):
            reader.take(row.message)
    before = store.state.entries(scope.namespace, scope.session)
    reader.hold(entry for entry in before if not entry.message_id)
    store.state.add_approvals(scope.namespace, reader.approvals)
    store.state.write(scope.namespace, before, list(reader.entries.values()))


def _concerns(message: Message, calls: Mapping[str, ToolCall]) -> bool:
    if message.tool_result is None:
        return concerns(message)
    call = calls.get(message.tool_result.call_id)
    return call is not None and call_concerns(call, message)


def _asked_before(
    store: Store, scope: Scope, turn: int, messages: Sequence[Message], earlier: Sequence[Message]
) -> str:
    """What the agent said right before these messages, where a user may answer it."""
    first = next((message for message in messages if message.role in (Role.USER, Role.ASSISTANT)), None)
    if first is None or first.role is not Role.USER or not may_answer(first.text):
        return ""
    said = [
        one for one in earlier if one.role in (Role.USER, Role.ASSISTANT) and one.origin is Origin.SAID and one.text
    ]
    if said:
        return said[-1].text if said[-1].role is Role.ASSISTANT else ""
    return store.log.said_before(scope.namespace, scope.session, turn)


def _counts(store: Store, scope: Scope, message: Message, calls: Mapping[str, ToolCall], table: TrustTable) -> bool:
    """Whether the word of who says it counts: not that of a tool that the settings distrust, nor of somebody else."""
    if message.tool_result is not None:
        call = calls.get(message.tool_result.call_id)
        return call is None or table.of_tool(call.name) is not Trust.UNTRUSTED
    name = message.name or other_speaker(message.text)
    if message.role is not Role.USER or not name:
        return True
    principal = store.log.principal(scope.namespace, scope.session)
    return principal is not None and speaks_for_user(name, principal, table) is Trust.OWN
