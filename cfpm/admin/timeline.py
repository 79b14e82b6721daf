"""What happened in a memory as one time line: what was said, believed, recalled, gated and compacted. Reads only."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from heapq import merge

from cfpm.admin.sessions import REWOUND
from cfpm.errors import UsageError
from cfpm.model import Candidate, Event, LoggedMessage
from cfpm.model.clock import to_text
from cfpm.model.markers import COMPACTION_PREFIX
from cfpm.model.sessions import LogEntry, Session
from cfpm.store.store import Store
from cfpm.transcript.arguments import shown

KINDS = ("message", "fact", "verdict", "recall", "gate", "compaction")
"""`verdict` are drafts that were refused, `fact` what became of facts."""

_TEXT = 200
"""Characters of a message: a line of the log names it, `cfpm show` and `resume` have all of it."""


def timeline(
    store: Store, namespace: str, sessions: Iterable[Session], only: Session | None, kinds: Collection[str]
) -> list[LogEntry]:
    """The entries of these sessions in the order in which they happened; those without a time stand where they were
    said. With `only` those of one session, and the recalls that named none while it went on.

    Raises UsageError for a kind that there is not.
    """
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise UsageError(f"kind {shown(unknown[0])}", "no such kind", f"Use some of {', '.join(KINDS)}")
    wanted = frozenset(kinds or KINDS)
    with store.reading():
        parts = [list(_of_session(store, namespace, session, wanted)) for session in sessions]
        around = list(_around(store, namespace, only, wanted))
    lines = merge(*map(_timed, parts), _timed(around), key=lambda pair: pair[0])
    return [entry for _, entry in lines]


def _timed(entries: Iterable[LogEntry]) -> list[tuple[str, LogEntry]]:
    """Each with the time until which it belongs: its own, or that of what was before it."""
    latest = ""
    timed = []
    for entry in entries:
        latest = max(latest, to_text(entry.at) or "")
        timed.append((latest, entry))
    return timed


def _of_session(store: Store, namespace: str, session: Session, wanted: Collection[str]) -> Iterator[LogEntry]:
    opening = store.sessions.opening(namespace, session.name)
    rows = store.candidates.find(namespace, session=session.name) if {"fact", "verdict"} & set(wanted) else []
    learnt: dict[int, list[Candidate]] = {}
    for row in reversed(rows):
        learnt.setdefault(row.turn, []).append(row)
    events: dict[str, list[Event]] = {}
    if "fact" in wanted:
        for told in store.events.touched_by(namespace, {row.id for row in rows}).values():
            for event in told:
                events.setdefault(event.cause, []).append(event)
    gone = {f"{REWOUND} {name}" for name in store.sessions.taken_back(namespace, session.name)}
    turn = -1
    for message in store.log.messages(namespace, session=session.name):
        if message.turn != turn:
            yield from _learnt(learnt.pop(turn, []), events, opening, wanted)
            turn = message.turn
        compaction = message.message.text.startswith(COMPACTION_PREFIX)
        if ("compaction" if compaction else "message") in wanted:
            yield _compacted(message, opening) if compaction else _said(message, opening)
    for left in sorted(learnt):
        yield from _learnt(learnt[left], events, opening, wanted)
    for event in sorted((event for cause in gone for event in events.get(cause, ())), key=lambda one: one.seq):
        yield LogEntry("fact", event.at, session.name, 0, event.fact_id, event.action.value, event.cause)


def _said(row: LoggedMessage, opening: int) -> LogEntry:
    message = row.message
    called = "; ".join(f"calls {call.name}" for call in message.tool_calls)
    text = " ".join(message.text[: 2 * _TEXT].split())[:_TEXT]
    told = "; ".join(part for part in (text, called) if part)
    return LogEntry(
        "message", message.created_at, row.session, row.turn - opening + 1, message.id, message.role.value, told
    )


def _compacted(row: LoggedMessage, opening: int) -> LogEntry:
    try:
        told = json.loads(row.message.text.removeprefix(COMPACTION_PREFIX))
    except ValueError:
        told = None
    if not isinstance(told, dict):
        told = {}
    tokens = f"{told.get('before_tokens', '?')} tokens to {told.get('after_tokens', '?')}"
    span = f", messages {told['first']} to {told['last']}" if told.get("first") is not None else ""
    text = f"{told.get('strategy', '')}: {told.get('compacted', '?')} messages left the view{span}, {tokens}"
    reason = str(told.get("reason") or told.get("outcome", "compacted"))
    message = row.message
    return LogEntry(
        "compaction", message.created_at, row.session, row.turn - opening + 1, message.id, reason, text.strip()
    )


def _learnt(
    rows: Iterable[Candidate], events: dict[str, list[Event]], opening: int, wanted: Collection[str]
) -> Iterator[LogEntry]:
    for row in rows:
        place = (row.session, row.turn - opening + 1)
        told = events.get(row.id, [])
        if "verdict" in wanted and row.decision == "rejected":
            yield LogEntry("verdict", row.created_at, *place, row.id, row.reason, row.content)
        for event in told:
            content = row.content if event.fact_id == row.fact_id else f"by: {row.content}"
            yield LogEntry("fact", event.at, *place, event.fact_id, event.action.value, content)


def _around(store: Store, namespace: str, only: Session | None, wanted: Collection[str]) -> Iterator[LogEntry]:
    """Recalls and decisions of the gate, and changes of facts that no message caused."""
    found: list[LogEntry] = []
    if "recall" in wanted:
        found += [
            LogEntry("recall", at, session, 0, ident, "recall", f"{query} ({facts} facts)")
            for session, ident, query, facts, at in store.activity.recall_events(namespace)
            if only is None or session == only.name or (not session and _during(only, at))
        ]
    if "gate" in wanted:
        decisions = store.activity.gate_events(namespace, session=only.name if only else None)
        for event in reversed(decisions):
            at = event["at"] if isinstance(event["at"], datetime) else None
            told = f"{event['reason']}: {event['rewritten'] or event['command']}"
            found.append(LogEntry("gate", at, str(event["session"]), 0, str(event["id"]), str(event["action"]), told))
    if "fact" in wanted and only is None:
        found += [
            LogEntry("fact", change.at, "", 0, change.fact_id, change.action.value, change.cause)
            for change in store.events.find(namespace)
            if not change.cause.startswith(("cand_", REWOUND))
        ]
    yield from sorted(found, key=lambda entry: to_text(entry.at) or "")


def _during(session: Session, at: datetime | None) -> bool:
    """Whether a moment lies in the time of a session."""
    if at is None or session.started is None or session.updated is None:
        return False
    return session.started <= at <= session.updated
